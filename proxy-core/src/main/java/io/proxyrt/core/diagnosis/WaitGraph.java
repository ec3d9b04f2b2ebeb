/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.Direction;
import io.proxyrt.core.counters.ActiveOp;
import io.proxyrt.core.diagnosis.CommunicatorCalls.Call;
import io.proxyrt.core.diagnosis.RankObservation.KernelWait;
import io.proxyrt.core.diagnosis.RankObservation.Process;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Who waits for whom, of the ranks that run. */
final class WaitGraph {
    private static final Comparator<Arc> LONGEST = Comparator.<Arc, Boolean>comparing(arc -> !arc.isKernel())
            .thenComparing(arc -> arc.edge().still(), Comparator.reverseOrder())
            .thenComparing(arc -> arc.edge().from());

    /** With more, it is not said of each that it may be late. */
    private static final int MOST_UNSEEN = 1024;

    private final List<Arc> arcs = new ArrayList<>();
    private final Map<Integer, RankObservation> ranks;

    /** An edge and the op that makes it; none if a kernel does. */
    record Arc(WaitEdge edge, Optional<ActiveOp> op) {
        boolean isKernel() {
            return op.isEmpty();
        }

        boolean isAwaiting(ActiveOp.Awaited whom) {
            return op.filter(any -> any.awaited() == whom).isPresent();
        }
    }

    WaitGraph(JobObservation job, Map<Integer, RankObservation> ranks, CallComparison calls) {
        this.ranks = ranks;
        for (RankObservation rank : ranks.values()) {
            if (rank.process() == Process.RUNNING) {
                int before = arcs.size();
                add(rank, job);
                if (arcs.size() == before) {
                    addByCalls(rank, job, calls);
                }
            }
        }
    }

    /** Of kernels of GPUs that reach each other's memory no more is seen than that their caller waits. */
    private void addByCalls(RankObservation rank, JobObservation job, CallComparison calls) {
        for (CommunicatorCalls waiting : rank.communicators()) {
            Call last = waiting.lastOfAny().orElse(null);
            if (last == null || waiting.waits().compareTo(job.span()) < 0) {
                continue;
            }
            SortedSet<Integer> late = last.number() == 0 ? new TreeSet<>(Set.of(last.peer()))
                    : calls.behind(waiting.communicator(), last.number());
            if (late.isEmpty() && job.nRanks() - ranks.size() <= MOST_UNSEEN) {
                IntStream.range(0, job.nRanks()).filter(other -> !ranks.containsKey(other)).forEach(late::add);
            }
            late.removeIf(peer -> peer < 0 || peer >= job.nRanks() || peer == rank.rank());
            String what = calls.describe(waiting.communicator(), last);
            for (int peer : late.isEmpty() ? Set.of(rank.rank()) : late) {
                arcs.add(new Arc(new WaitEdge(rank.rank(), peer, what, waiting.waits()), Optional.empty()));
            }
        }
    }

    private void add(RankObservation rank, JobObservation job) {
        for (KernelWait kernel : rank.kernels()) {
            if (kernel.still().compareTo(job.span()) >= 0) {
                SortedSet<Integer> peers = kernel.peers();
                peers.removeIf(peer -> peer >= job.nRanks() || peer == rank.rank());
                peers.forEach(peer -> arcs.add(new Arc(new WaitEdge(rank.rank(), peer, kernel.clause(peer),
                        kernel.still()), Optional.empty())));
            }
        }
        for (ActiveOp op : rank.ops()) {
            if (op.depth() == 0 && op.awaited() != ActiveOp.Awaited.NOTHING
                    && op.still().compareTo(job.span()) >= 0) {
                int to = isOfPeer(op) && op.peer() >= 0 && op.peer() < job.nRanks() ? op.peer() : rank.rank();
                arcs.add(new Arc(new WaitEdge(rank.rank(), to, what(op), op.still()), Optional.of(op)));
            }
        }
    }

    private static boolean isOfPeer(ActiveOp op) {
        return op.awaited() == ActiveOp.Awaited.PEER || op.awaited() == ActiveOp.Awaited.NETWORK;
    }

    static String what(ActiveOp op) {
        return op.waitsFor() + " (" + (op.isMessage() ? "message" : "op") + " " + op.opCount() + ", "
                + (op.direction() == Direction.SEND ? "to" : "from") + " rank " + op.peer() + ", " + op.transport()
                + " connection " + Long.toHexString(op.connection()) + ", channel " + op.channel() + ")";
    }

    List<Arc> arcs() {
        return arcs;
    }

    List<WaitEdge> edges() {
        return arcs.stream().map(Arc::edge).toList();
    }

    /** From a rank to others. */
    SortedSet<Integer> awaited(int rank) {
        SortedSet<Integer> others = new TreeSet<>();
        arcs.stream().map(Arc::edge).filter(edge -> edge.from() == rank && edge.to() != rank)
                .forEach(edge -> others.add(edge.to()));
        return others;
    }

    /** What a rank waits for of its own. */
    List<Arc> own(int rank) {
        return arcs.stream().filter(arc -> arc.edge().from() == rank && arc.edge().to() == rank).toList();
    }

    /** All that a rank waits for. */
    List<Arc> from(int rank) {
        return arcs.stream().filter(arc -> arc.edge().from() == rank).toList();
    }

    /** The ranks that wait for one of these, kernels and the longest first. */
    List<Arc> into(SortedSet<Integer> culprits) {
        return arcs.stream().filter(arc -> culprits.contains(arc.edge().to()) && !culprits.contains(arc.edge().from()))
                .sorted(LONGEST).toList();
    }

    /** The ranks that wait for one of these, or for one that does. */
    SortedSet<Integer> waitingFor(SortedSet<Integer> culprits) {
        SortedSet<Integer> waiting = new TreeSet<>();
        Deque<Integer> next = new ArrayDeque<>(culprits);
        while (!next.isEmpty()) {
            int rank = next.remove();
            arcs.stream().map(Arc::edge).filter(edge -> edge.to() == rank).map(WaitEdge::from)
                    .filter(from -> !culprits.contains(from) && waiting.add(from)).forEach(next::add);
        }
        return waiting;
    }

    /** All that the rank that has waited longest waits for, itself included; empty if none waits. */
    SortedSet<Integer> reached() {
        Optional<Arc> first = arcs.stream().max(Comparator.<Arc, Duration>comparing(arc -> arc.edge().still())
                .thenComparing(arc -> arc.edge().from(), Comparator.reverseOrder()));
        SortedSet<Integer> seen = new TreeSet<>();
        Deque<Integer> next = new ArrayDeque<>();
        first.ifPresent(arc -> next.add(arc.edge().from()));
        while (!next.isEmpty()) {
            int rank = next.remove();
            if (seen.add(rank)) {
                next.addAll(awaited(rank));
            }
        }
        return seen;
    }

    /** Of these, the ones that wait for no other. */
    SortedSet<Integer> sinks(SortedSet<Integer> reached) {
        SortedSet<Integer> sinks = new TreeSet<>();
        reached.stream().filter(rank -> awaited(rank).isEmpty()).forEach(sinks::add);
        return sinks;
    }

    /** A step that a rank has given to the network for another one that waits for it. */
    Optional<Arc> undelivered(SortedSet<Integer> reached) {
        return arcs.stream().filter(arc -> reached.contains(arc.edge().from())
                && arc.isAwaiting(ActiveOp.Awaited.PEER) && isSent(arc)).min(LONGEST);
    }

    private boolean isSent(Arc arc) {
        ActiveOp recv = arc.op().orElseThrow();
        RankObservation sender = ranks.get(arc.edge().to());
        long awaited = recv.base() + recv.awaitedStep();
        return sender != null && sender.ops().stream().anyMatch(send -> send.direction() == Direction.SEND
                && send.peer() == arc.edge().from() && send.channel() == recv.channel()
                && send.transport().equals(recv.transport())
                && send.base() + send.transmitted() > awaited);
    }

    static Map<Integer, RankObservation> byRank(JobObservation job) {
        Map<Integer, RankObservation> ranks = new TreeMap<>();
        for (RankObservation rank : job.ranks()) {
            ranks.merge(rank.rank(), rank, (one, other) -> other.process() == Process.DEAD ? one : other);
        }
        return ranks;
    }
}
