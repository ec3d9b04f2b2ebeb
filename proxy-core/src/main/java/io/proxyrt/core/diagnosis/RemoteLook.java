/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.agent.Uninterruptibly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;

/** Asks for the ranks that are not seen from here, as far as the waiting leads there. */
final class RemoteLook {
    private static final Logger LOGGER = Subsystem.PROXY.logger();
    private static final long PATIENCE_NS = Duration.ofSeconds(1).toNanos();
    /** Of ranks that are not seen, if they are no more, all are asked at once; else those at which the waiting ends. */
    private static final int MOST_AT_ONCE = 64;
    /** A round that begins before that may take two seconds more. */
    private static final long LONGEST_NS = Duration.ofSeconds(5).toNanos();

    private final CallWords words;
    private final RemoteRanks remote;
    private final Set<Integer> asked = new HashSet<>();
    private final Set<Integer> silent = new HashSet<>();
    private JobObservation seen;

    private RemoteLook(JobObservation seen, CallWords words, RemoteRanks remote) {
        this.seen = seen;
        this.words = words;
        this.remote = remote;
    }

    /**
     * Goes on where a look at this host ends. Blocks for a quarter of a second a round, and for a second if ranks do
     * not answer; for seven seconds at most.
     *
     * @return without a word of other hosts if those are not needed
     */
    static Diagnosis goOn(JobObservation seen, CallWords words, RemoteRanks remote) {
        return new RemoteLook(seen, words, remote).diagnosis();
    }

    private Diagnosis diagnosis() {
        long deadline = System.nanoTime() + LONGEST_NS;
        Diagnosis found = Diagnosis.of(seen, words);
        while (found.reason() == Reason.NOT_SEEN && deadline - System.nanoTime() > 0) {
            List<Integer> next = unseen(found).stream().filter(asked::add).toList();
            if (next.isEmpty()) {
                return found;
            }
            ask(next);
            found = Diagnosis.of(seen, words);
        }
        return found;
    }

    private Collection<Integer> unseen(Diagnosis found) {
        Set<Integer> here = seen.ranks().stream().map(RankObservation::rank).collect(Collectors.toSet());
        return seen.nRanks() - here.size() > MOST_AT_ONCE ? found.culprits()
                : IntStream.range(0, seen.nRanks()).boxed().filter(rank -> !here.contains(rank)).toList();
    }

    /** Twice, as one looks at one's own host. */
    private void ask(Collection<Integer> ranks) {
        Map<Integer, RuntimeLook> before = images(ranks);
        HostLook.pass(HostLook.SPAN.toNanos());
        Map<Integer, RuntimeLook> after = images(before.keySet());
        List<RankObservation> all = new ArrayList<>(seen.ranks());
        before.forEach((rank, look) -> Optional.ofNullable(after.get(rank))
                .ifPresent(later -> all.add(later.since(look))));
        seen = new JobObservation(seen.job(), seen.nRanks(), all, seen.time(), seen.span(), silent);
    }

    private Map<Integer, RuntimeLook> images(Collection<Integer> ranks) {
        Map<Integer, CompletableFuture<byte[]>> asked = new LinkedHashMap<>();
        ranks.forEach(rank -> asked.put(rank, remote.ask(rank)));
        long deadline = System.nanoTime() + PATIENCE_NS;
        Map<Integer, RuntimeLook> found = new LinkedHashMap<>();
        asked.forEach((rank, answer) -> image(rank, answer, deadline - System.nanoTime())
                .ifPresent(look -> found.put(rank, look)));
        return found;
    }

    /** One that cannot be asked, or tells nonsense, is as little seen as before; one that says nothing is silent. */
    private Optional<RuntimeLook> image(int rank, CompletableFuture<byte[]> answer, long leftNs) {
        try {
            RuntimeLook look = RuntimeLook.of(RuntimeImage.decode(Uninterruptibly.get(answer,
                    Duration.ofNanos(Math.max(0, leftNs)))));
            return Optional.of(look).filter(own -> own.rank() == rank && own.nRanks() == seen.nRanks());
        } catch (TimeoutException e) {
            silent.add(rank);
        } catch (ExecutionException | ProxyException e) {
            LOGGER.debug("rank {} is not seen from here, and what its host tells is: {}", rank, e.getMessage());
        } finally {
            answer.cancel(false);
        }
        return Optional.empty();
    }
}
