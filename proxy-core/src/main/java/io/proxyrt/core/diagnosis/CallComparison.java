/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.diagnosis.CommunicatorCalls.Call;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What ranks were asked for, by communicator and number. */
final class CallComparison {
    private final Map<Integer, RankObservation> ranks;
    private final CallWords words;

    CallComparison(Map<Integer, RankObservation> ranks, CallWords words) {
        this.ranks = ranks;
        this.words = words;
    }

    /** Ranks that were asked for something else than others, as the same collective of the same communicator. */
    record Disagreement(SortedSet<Integer> culprits, String sentence) {
    }

    /** What a rank has not called that another is at. */
    record Missing(String communicator, long number, Optional<Call> call) {
    }

    /** That of the lowest number. */
    Optional<Disagreement> disagreement() {
        SortedSet<String> communicators = new TreeSet<>();
        ranks.values().forEach(rank -> rank.communicators().forEach(all -> communicators.add(all.communicator())));
        return communicators.stream().map(this::disagreement).flatMap(Optional::stream).findFirst();
    }

    private Optional<Disagreement> disagreement(String communicator) {
        Map<Long, Map<Integer, Call>> byNumber = new TreeMap<>();
        for (RankObservation rank : ranks.values()) {
            calls(rank, communicator).ifPresent(all -> all.calls().stream().filter(call -> call.number() > 0)
                    .forEach(call -> byNumber.computeIfAbsent(call.number(), _ -> new TreeMap<>())
                            .put(rank.rank(), call)));
        }
        return byNumber.values().stream().filter(calls -> calls.values().stream().map(CallComparison::kind).distinct()
                .count() > 1).findFirst().map(calls -> disagreement(communicator, calls));
    }

    private record Kind(long word, long bytes) {
    }

    private static Kind kind(Call call) {
        return new Kind(call.word(), call.bytes());
    }

    private Disagreement disagreement(String communicator, Map<Integer, Call> calls) {
        Map<Kind, List<Integer>> byKind = new LinkedHashMap<>();
        calls.forEach((rank, call) -> byKind.computeIfAbsent(kind(call), _ -> new ArrayList<>()).add(rank));
        // The most, and of as many those with the lowest rank, are taken to be right.
        Kind usual = byKind.entrySet().stream().max(Comparator.<Map.Entry<Kind, List<Integer>>>comparingInt(
                entry -> entry.getValue().size()).thenComparing(entry -> -entry.getValue().getFirst()))
                .orElseThrow().getKey();
        SortedSet<Integer> culprits = new TreeSet<>();
        List<String> others = new ArrayList<>();
        byKind.forEach((kind, of) -> {
            if (!kind.equals(usual)) {
                culprits.addAll(of);
                String difference = words.difference(kind.word(), kind.bytes(), usual.word(), usual.bytes());
                others.add(Phrases.ranks(of) + " " + words.describe(kind.word(), kind.bytes())
                        + (difference.isEmpty() ? "" : " (other " + difference + ")"));
            }
        });
        long number = calls.values().iterator().next().number();
        return new Disagreement(culprits, "the ranks disagree: as collective " + number + of(communicator) + " "
                + Phrases.ranks(byKind.get(usual)) + " called " + words.describe(usual.word(), usual.bytes()) + ", and "
                + String.join(", ", others));
    }

    /** Ranks that were not asked for a collective yet. */
    SortedSet<Integer> behind(String communicator, long number) {
        return ranks.values().stream().filter(rank -> calls(rank, communicator)
                .filter(calls -> calls.lastNumber() < number).isPresent()).map(RankObservation::rank)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** What a rank owes to others by not having called it; of several communicators the one called longest ago. */
    Optional<Missing> missing(int rank, Collection<Integer> waiters) {
        RankObservation late = ranks.get(rank);
        if (late == null) {
            return Optional.empty();
        }
        Map<String, Missing> found = new HashMap<>();
        for (int waiter : waiters) {
            RankObservation ahead = ranks.get(waiter);
            for (CommunicatorCalls calls : ahead == null ? List.<CommunicatorCalls>of() : ahead.communicators()) {
                Optional<CommunicatorCalls> own = calls(late, calls.communicator());
                if (own.isPresent() && own.get().lastNumber() < calls.lastNumber()) {
                    long number = own.get().lastNumber() + 1;
                    found.putIfAbsent(calls.communicator(),
                            new Missing(calls.communicator(), number, calls.collective(number)));
                }
            }
        }
        return found.values().stream().min(Comparator.<Missing, Instant>comparing(
                missing -> missing.call().map(Call::time).orElse(Instant.MAX))
                .thenComparing(Missing::communicator));
    }

    /** Whether a rank knows that all has ended that another was asked for, and so has done its part. */
    boolean hasFinished(int rank, int waiter) {
        RankObservation done = ranks.get(rank);
        RankObservation waits = ranks.get(waiter);
        return done != null && waits != null && waits.communicators().stream().anyMatch(calls ->
                calls.lastNumber() > 0 && calls(done, calls.communicator())
                        .filter(own -> own.finished() >= calls.lastNumber()).isPresent());
    }

    /** The last call of a rank, for people; empty if none is known. */
    Optional<String> last(int rank) {
        return latest(rank).flatMap(calls -> calls.lastOfAny().map(call -> describe(calls.communicator(), call)));
    }

    /** When that was. */
    Optional<Call> lastCall(int rank) {
        return latest(rank).flatMap(CommunicatorCalls::lastOfAny);
    }

    /** The communicator whose last call has not ended as far as is known. */
    Optional<String> at(int rank) {
        return latest(rank).filter(calls -> !calls.isIdle()).map(CommunicatorCalls::communicator);
    }

    /** The one that was called last, of those whose call has not ended if there are such. */
    private Optional<CommunicatorCalls> latest(int rank) {
        return Optional.ofNullable(ranks.get(rank)).flatMap(of -> of.communicators().stream()
                .filter(calls -> calls.lastOfAny().isPresent())
                .max(Comparator.<CommunicatorCalls, Boolean>comparing(calls -> !calls.isIdle())
                        .thenComparing(calls -> calls.lastOfAny().orElseThrow().time())
                        .thenComparing(CommunicatorCalls::communicator)));
    }

    String describe(String communicator, Call call) {
        return (call.number() > 0 ? "collective " + call.number() + of(communicator) + ", " : "")
                + words.describe(call.word(), call.bytes())
                + (call.number() == 0 && call.peer() >= 0 ? " with rank " + call.peer() : "") + (call.number() == 0
                        ? of(communicator) : "");
    }

    static String of(String communicator) {
        return communicator.isEmpty() ? "" : " of " + communicator;
    }

    private static Optional<CommunicatorCalls> calls(RankObservation rank, String communicator) {
        return rank.communicators().stream().filter(calls -> calls.communicator().equals(communicator)).findFirst();
    }
}
