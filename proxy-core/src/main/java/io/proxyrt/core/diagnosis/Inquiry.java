/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.counters.ActiveOp;
import io.proxyrt.core.diagnosis.CallComparison.Missing;
import io.proxyrt.core.diagnosis.RankObservation.Process;
import io.proxyrt.core.diagnosis.WaitGraph.Arc;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One diagnosis: what is certain by itself comes first, then the ranks at which the waiting ends. */
final class Inquiry {
    /** Of the time between two looks: with more a thread can't do its work. */
    private static final double NO_CPU = 0.6;
    /** A progress thread says at least twice a second that it is at work; later if it has no CPU. */
    private static final Duration SILENT = Duration.ofSeconds(2);
    /** A caller that waits drives its agent all the time. */
    private static final Duration UNDRIVEN = Duration.ofSeconds(1);
    private static final double PERCENT = 100;

    private final JobObservation job;
    private final Map<Integer, RankObservation> ranks;
    private final WaitGraph graph;
    private final CallComparison calls;
    private final SortedSet<Integer> reached;

    private record Finding(Reason reason, SortedSet<Integer> culprits, String sentence) {
    }

    Inquiry(JobObservation job, CallWords words) {
        this.job = job;
        this.ranks = WaitGraph.byRank(job);
        this.calls = new CallComparison(ranks, words);
        this.graph = new WaitGraph(job, ranks, calls);
        this.reached = graph.reached();
    }

    Diagnosis diagnosis() {
        Finding found = Stream.<Supplier<Optional<Finding>>>of(this::dead, this::stopped, this::disagreed, this::failed,
                this::undriven, this::owed, this::circle).map(Supplier::get).flatMap(Optional::stream).findFirst()
                .orElseGet(this::nothing);
        return new Diagnosis(job.job(), found.reason(), List.copyOf(found.culprits()), found.sentence(),
                graph.edges());
    }

    private Optional<Finding> dead() {
        List<RankObservation> dead = those(rank -> rank.process() == Process.DEAD);
        return finding(Reason.DEAD, dead, Phrases.processes(dead) + Phrases.verb(dead, " is", " are")
                + " dead: killed, or crashed");
    }

    private Optional<Finding> stopped() {
        List<RankObservation> stopped = those(rank -> rank.process() == Process.STOPPED);
        return finding(Reason.STOPPED, stopped, Phrases.processes(stopped) + Phrases.verb(stopped, " is", " are")
                + " stopped, by a signal or a debugger (kill -CONT " + Phrases.pids(stopped) + " continues "
                + Phrases.verb(stopped, "it", "them") + ")");
    }

    private Optional<Finding> disagreed() {
        return calls.disagreement().map(found -> new Finding(Reason.CALLED_OTHER, found.culprits(),
                found.sentence()));
    }

    private Optional<Finding> failed() {
        List<RankObservation> failed = those(rank -> !rank.failure().isEmpty());
        return failed.isEmpty() ? Optional.empty() : Optional.of(new Finding(Reason.FAILED, numbers(failed),
                Phrases.processes(failed) + Phrases.verb(failed, " has", " have") + " failed: "
                        + failed.getFirst().failure()));
    }

    /**
     * Without threads a rank does nothing while its caller is elsewhere: what it was waiting for when it was driven
     * last may have come since.
     */
    private Optional<Finding> undriven() {
        SortedSet<Integer> all = numbers(those(this::isUndriven));
        List<RankObservation> awaited = those(rank -> all.contains(rank.rank())
                && !all.containsAll(waiters(graph.into(new TreeSet<>(Set.of(rank.rank()))))));
        if (awaited.isEmpty()) {
            return Optional.empty();
        }
        String what = awaited.stream().map(rank -> proxy(rank, Phrases.processes(List.of(rank))))
                .collect(Collectors.joining("; "));
        return finding(Reason.PROXY, awaited, what + ": without threads it has to synchronize");
    }

    private boolean isUndriven(RankObservation rank) {
        boolean isLate = rank.heartbeatAge().filter(age -> age.compareTo(UNDRIVEN) < 0).isEmpty();
        return !rank.hasThreads() && isLate && (!graph.from(rank.rank()).isEmpty() || rank.notFetched() > 0);
    }

    private List<RankObservation> those(Predicate<RankObservation> which) {
        return ranks.values().stream().filter(which).toList();
    }

    private static SortedSet<Integer> numbers(List<RankObservation> of) {
        return of.stream().map(RankObservation::rank).collect(Collectors.toCollection(TreeSet::new));
    }

    private Optional<Finding> finding(Reason reason, List<RankObservation> of, String what) {
        return of.isEmpty() ? Optional.empty() : Optional.of(new Finding(reason, numbers(of),
                what + waiting(numbers(of))));
    }

    /** Who waits for these, and the one that has longest: for what. */
    private String waiting(SortedSet<Integer> culprits) {
        List<Arc> into = graph.into(culprits);
        if (into.isEmpty()) {
            return "";
        }
        Arc longest = into.getFirst();
        SortedSet<Integer> waiters = waiters(into);
        return "; " + Phrases.ranks(waiters) + Phrases.verb(waiters, " waits", " wait") + " for "
                + Phrases.verb(culprits, "it", "them")
                + (waiters.size() == 1 ? ", for " : ", rank " + longest.edge().from() + " for ")
                + Phrases.seconds(longest.edge().still()) + ": " + longest.edge().what() + behind(culprits, waiters);
    }

    private String behind(SortedSet<Integer> culprits, SortedSet<Integer> waiters) {
        SortedSet<Integer> behind = graph.waitingFor(culprits);
        behind.removeAll(waiters);
        return behind.isEmpty() ? "" : "; " + Phrases.ranks(behind) + Phrases.verb(behind, " waits", " wait")
                + " for " + Phrases.ranks(waiters) + " in turn";
    }

    private static SortedSet<Integer> waiters(List<Arc> into) {
        return into.stream().map(arc -> arc.edge().from()).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The ranks where the waiting ends, of those the ones with the strongest reason. */
    private Optional<Finding> owed() {
        List<Finding> found = graph.sinks(reached).stream().map(this::owed).toList();
        return found.stream().map(Finding::reason).min(Comparator.naturalOrder())
                .filter(reason -> reason != Reason.NONE)
                .map(reason -> merge(found.stream().filter(one -> one.reason() == reason).toList()));
    }

    private Finding merge(List<Finding> found) {
        SortedSet<Integer> culprits = new TreeSet<>();
        found.forEach(one -> culprits.addAll(one.culprits()));
        String what = found.stream().map(Finding::sentence).distinct().collect(Collectors.joining("; "));
        return new Finding(found.getFirst().reason(), culprits, what + waiting(culprits));
    }

    private Finding owed(int sink) {
        RankObservation rank = ranks.get(sink);
        SortedSet<Integer> one = new TreeSet<>(Set.of(sink));
        if (rank == null && job.silent().contains(sink)) {
            return new Finding(Reason.NO_ANSWER, one, "rank " + sink + " is not seen from here, and neither it nor "
                    + "another rank of its host answers: its host is down or cut off, or its processes are stopped");
        }
        if (rank == null) {
            return new Finding(Reason.NOT_SEEN, one, "rank " + sink + " is not seen from here: it is on another host,"
                    + " of another user, in another folder or gone; proxyrt why tells more there");
        }
        String name = Phrases.processes(List.of(rank));
        if (rank.noCpu() >= NO_CPU) {
            String late = calls.missing(sink, waiters(graph.into(one))).map(call -> notCalled(rank, call) + "; it")
                    .orElse(name);
            return new Finding(Reason.NO_CPU, one, late + " gets no CPU: its threads had little of one, and "
                    + "one waited for it " + Math.round(rank.noCpu() * PERCENT) + " % of the time");
        }
        if (isSilent(rank)) {
            return new Finding(Reason.PROXY, one, proxy(rank, name));
        }
        List<Arc> own = graph.own(sink);
        return own.isEmpty() ? idle(rank, name) : atOwn(rank, name, own);
    }

    /** A caller that drives its agent itself, and does not, has not called. */
    private static boolean isSilent(RankObservation rank) {
        boolean isLate = rank.heartbeatAge().filter(age -> age.compareTo(SILENT) < 0).isEmpty();
        return isLate && (rank.hasThreads() || rank.notFetched() > 0);
    }

    private static String proxy(RankObservation rank, String name) {
        String since = rank.heartbeatAge().map(age -> "for " + Phrases.seconds(age)).orElse("ever");
        String ops = rank.notFetched() == 0 ? "" : ", and " + rank.notFetched() + " posted ops are not fetched";
        return rank.hasThreads() ? name + ": its progress thread has not been at work " + since + ops
                + ": it is stuck, in a network or in a plug-in"
                : name + ": its caller has not driven its proxy " + since + ops;
    }

    /** It waits for kernels or threads of its own. */
    private Finding atOwn(RankObservation rank, String name, List<Arc> own) {
        SortedSet<Integer> late = new TreeSet<>();
        own.stream().filter(arc -> arc.isAwaiting(ActiveOp.Awaited.KERNEL_OR_PEER))
                .map(arc -> arc.op().orElseThrow().peer())
                .filter(peer -> calls.missing(peer, Set.of(rank.rank())).isPresent()).forEach(late::add);
        if (!late.isEmpty()) {
            return new Finding(Reason.NOT_CALLED, late, late.stream().map(peer -> notCalled(ranks.get(peer),
                    calls.missing(peer, Set.of(rank.rank())).orElseThrow())).collect(Collectors.joining("; ")));
        }
        Arc longest = own.stream().max(Comparator.comparing(arc -> arc.edge().still())).orElseThrow();
        boolean isKernel = longest.isKernel() || longest.isAwaiting(ActiveOp.Awaited.KERNEL)
                || longest.isAwaiting(ActiveOp.Awaited.KERNEL_OR_PEER);
        SortedSet<Integer> one = new TreeSet<>(Set.of(rank.rank()));
        return isKernel ? new Finding(Reason.KERNEL, one, name + ": its kernel has not come or stands still: "
                        + (longest.isKernel() ? "" : "it ") + longest.edge().what() + ", for "
                        + Phrases.seconds(longest.edge().still()))
                : new Finding(Reason.PROXY, one, name + ": it " + longest.edge().what() + ", for "
                        + Phrases.seconds(longest.edge().still()));
    }

    /** It waits for nothing, and others do for it. */
    private Finding idle(RankObservation rank, String name) {
        SortedSet<Integer> one = new TreeSet<>(Set.of(rank.rank()));
        SortedSet<Integer> waiters = waiters(graph.into(one));
        Optional<Missing> missing = calls.missing(rank.rank(), waiters);
        if (missing.isPresent()) {
            return new Finding(Reason.NOT_CALLED, one, notCalled(rank, missing.get()));
        }
        if (rank.hasMoved() || rank.notFetched() > 0) {
            return new Finding(Reason.NONE, one, name + " moves");
        }
        boolean isFinished = !waiters.isEmpty() && waiters.stream()
                .allMatch(waiter -> calls.hasFinished(rank.rank(), waiter));
        if (isFinished) {
            return new Finding(Reason.NETWORK, one, name + " has finished all that it was asked for, and what it "
                    + "sent has not come");
        }
        String last = last(rank.rank());
        boolean isMessage = waiters.stream().anyMatch(waiter -> calls.lastCall(waiter)
                .filter(call -> call.number() == 0).isPresent());
        if (isMessage || last.isEmpty()) {
            return new Finding(Reason.NOT_CALLED, one, name + " has not called what others wait for: neither an op nor "
                    + "a kernel of it is there" + (last.isEmpty() ? "" : "; " + last));
        }
        return rank.hasThreads()
                ? new Finding(Reason.KERNEL, one, name + " has called what others wait for, and its kernel has not "
                        + "come or stands still; " + last)
                : new Finding(Reason.PROXY, one, name + " has called what others wait for, and does not drive it: "
                        + "without threads it has to synchronize; " + last);
    }

    private String notCalled(RankObservation rank, Missing missing) {
        String last = last(rank.rank());
        return Phrases.processes(List.of(rank)) + " has not called " + missing.call()
                .map(call -> calls.describe(missing.communicator(), call))
                .orElse("collective " + missing.number() + CallComparison.of(missing.communicator()))
                + (last.isEmpty() ? "" : "; " + last);
    }

    private String last(int rank) {
        return calls.lastCall(rank).map(call -> "its last call, " + calls.last(rank).orElse("") + ", was "
                + Phrases.seconds(Duration.between(call.time(), job.time())) + " ago").orElse("");
    }

    /** All ranks that are reached wait for one of them. */
    private Optional<Finding> circle() {
        if (reached.isEmpty() || !graph.sinks(reached).isEmpty()) {
            return Optional.empty();
        }
        Optional<Arc> lost = graph.undelivered(reached);
        if (lost.isPresent()) {
            return lost.map(this::undelivered);
        }
        SortedSet<Integer> behind = new TreeSet<>();
        reached.stream().filter(rank -> calls.missing(rank, waiters(graph.into(new TreeSet<>(Set.of(rank)))))
                .isPresent()).forEach(behind::add);
        boolean areElsewhere = reached.stream().map(calls::at).flatMap(Optional::stream).distinct().count() > 1;
        String circle = Phrases.ranks(reached) + " wait for each other: " + where();
        if (areElsewhere) {
            return Optional.of(new Finding(Reason.OTHER_COMMUNICATOR, reached, circle
                    + ": calls of several communicators have to come in the same order at all ranks"));
        }
        if (!behind.isEmpty() && behind.size() < reached.size()) {
            return Optional.of(new Finding(Reason.NOT_CALLED, behind, circle));
        }
        return Optional.of(new Finding(Reason.CIRCLE, reached, circle + ": a fault of a network or of proxyrt; keep "
                + "what proxyrt dump and blackbox say"));
    }

    private Finding undelivered(Arc lost) {
        WaitEdge edge = lost.edge();
        return new Finding(Reason.NETWORK, new TreeSet<>(Set.of(edge.from(), edge.to())),
                "the network does not bring to rank " + edge.from() + " what rank " + edge.to()
                        + " has given to it: rank " + edge.from() + " " + edge.what() + ", for "
                        + Phrases.seconds(edge.still()));
    }

    private String where() {
        Collection<String> places = reached.stream().map(rank -> "rank " + rank + " is at "
                + calls.last(rank).orElse("an unknown call")).toList();
        return String.join("; ", places);
    }

    private Finding nothing() {
        String seen = ranks.isEmpty() ? "no rank of the job is seen" : "nothing stands still: "
                + (graph.arcs().isEmpty() ? "no op and no kernel of " + Phrases.ranks(ranks.keySet()) + " waits"
                        : "what waits, waits for ranks that move");
        return new Finding(Reason.NONE, new TreeSet<>(), seen);
    }
}
