/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.Subsystem;
import io.proxyrt.core.agent.Uninterruptibly;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;

/**
 * What other hosts tell of ranks. Of a rank that cannot be asked there is nothing.
 *
 * @param images of ranks, by their number
 * @param silent ranks of which nothing was told in time
 */
record RemoteAnswers(Map<Integer, ImagePair> images, Set<Integer> silent) {
    /** For the ranks asked at once, each time. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Logger LOGGER = Subsystem.PROXY.logger();

    /** Copies. */
    RemoteAnswers {
        images = Collections.unmodifiableMap(new LinkedHashMap<>(images));
        silent = Set.copyOf(silent);
    }

    /** Asks for some ranks, twice, as one looks at one's own host. Blocks for two seconds and a quarter at most. */
    static RemoteAnswers ask(RemoteRanks remote, Collection<Integer> ranks) {
        Set<Integer> silent = new TreeSet<>();
        Map<Integer, byte[]> before = images(remote, ranks, silent);
        HostLook.pass(HostLook.SPAN.toNanos());
        Map<Integer, ImagePair> pairs = new LinkedHashMap<>();
        images(remote, before.keySet(), silent)
                .forEach((rank, image) -> pairs.put(rank, new ImagePair(before.get(rank), image)));
        return new RemoteAnswers(pairs, silent);
    }

    private static Map<Integer, byte[]> images(RemoteRanks remote, Collection<Integer> ranks, Set<Integer> silent) {
        Map<Integer, CompletableFuture<byte[]>> asked = new LinkedHashMap<>();
        ranks.forEach(rank -> asked.put(rank, remote.ask(rank)));
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        Map<Integer, byte[]> found = new LinkedHashMap<>();
        asked.forEach((rank, answer) -> image(rank, answer, deadline - System.nanoTime(), silent)
                .ifPresent(image -> found.put(rank, image)));
        return found;
    }

    private static Optional<byte[]> image(int rank, CompletableFuture<byte[]> answer, long leftNs,
            Set<Integer> silent) {
        try {
            return Optional.of(Uninterruptibly.get(answer, Duration.ofNanos(Math.max(0, leftNs))));
        } catch (TimeoutException e) {
            silent.add(rank);
        } catch (ExecutionException e) {
            LOGGER.debug("rank {} is not seen from here, and its host tells nothing: {}", rank, e.getMessage());
        } finally {
            answer.cancel(false);
        }
        return Optional.empty();
    }
}
