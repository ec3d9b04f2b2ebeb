/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Asks for the ranks that are not seen from here, as far as the waiting leads there. */
final class RemoteLook {
    /** Of ranks that are not seen, if they are no more, all are asked at once; else those at which the waiting ends. */
    private static final int MOST_AT_ONCE = 64;
    /** A round that begins before that may take as long as the source does. */
    private static final long LONGEST_NS = Duration.ofSeconds(5).toNanos();

    private final CallWords words;
    private final Function<Collection<Integer>, Optional<RemoteAnswers>> source;
    private final Set<Integer> asked = new HashSet<>();
    private final Set<Integer> silent = new HashSet<>();
    private JobObservation seen;

    private RemoteLook(JobObservation seen, CallWords words,
            Function<Collection<Integer>, Optional<RemoteAnswers>> source) {
        this.seen = seen;
        this.words = words;
        this.source = source;
    }

    /**
     * Goes on where a look at this host ends. Blocks for as long as the source takes, a few times, and for five
     * seconds and once the source's time at most.
     *
     * @param source asks for ranks; empty if there is no way to do so
     * @return without a word of other hosts if those are not needed
     */
    static Diagnosis goOn(JobObservation seen, CallWords words,
            Function<Collection<Integer>, Optional<RemoteAnswers>> source) {
        return new RemoteLook(seen, words, source).diagnosis();
    }

    private Diagnosis diagnosis() {
        long deadline = System.nanoTime() + LONGEST_NS;
        Diagnosis found = Diagnosis.of(seen, words);
        while (found.reason() == Reason.NOT_SEEN && deadline - System.nanoTime() > 0) {
            List<Integer> next = unseen(found).stream().filter(asked::add).toList();
            if (next.isEmpty() || !ask(next)) {
                return found;
            }
            found = Diagnosis.of(seen, words);
        }
        return found;
    }

    private Collection<Integer> unseen(Diagnosis found) {
        Set<Integer> here = seen.ranks().stream().map(RankObservation::rank).collect(Collectors.toSet());
        return seen.nRanks() - here.size() > MOST_AT_ONCE ? found.culprits()
                : IntStream.range(0, seen.nRanks()).boxed().filter(rank -> !here.contains(rank)).toList();
    }

    /** One that cannot be asked, or tells nonsense, is as little seen as before; one that says nothing is silent. */
    private boolean ask(List<Integer> ranks) {
        Optional<RemoteAnswers> told = source.apply(ranks);
        if (told.isEmpty()) {
            return false;
        }
        List<RankObservation> all = new ArrayList<>(seen.ranks());
        told.get().images().forEach((rank, images) -> images.observation(rank, seen.nRanks()).ifPresent(all::add));
        silent.addAll(told.get().silent());
        seen = new JobObservation(seen.job(), seen.nRanks(), all, seen.time(), seen.span(), silent);
        return true;
    }
}
