/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import io.proxyrt.cli.trace.JobTrace.Pair;
import io.proxyrt.core.Direction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the two ends of what was sent. First connections: a rank's that sends to another one, and that one's that
 * receives from it, on the same channel. Then their ops: parts of a collective by opCount, which all ranks count alike;
 * messages by their place among all of the connection, for each rank numbers its own. What could be joined in two ways
 * is not joined, and neither is what a rank sends itself, nor what a file makes so much of that it would take long.
 */
final class Pairing {
    private static final String COLLNET = "COLLNET";
    /** Ops, times the connections whose ops they are looked for in: a second or so. */
    private static final long MAX_LOOKS = 20_000_000;

    private final Map<Route, Ends> routes = new LinkedHashMap<>();
    private final List<Pair> pairs = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    /**
     * What was sent.
     *
     * @param pairs    of what could be joined
     * @param problems why some is not
     */
    record Joined(List<Pair> pairs, List<String> problems) {
    }

    /** Several connections may have one, such as those of two communicators. */
    private record Route(String job, int from, int to, int channel, boolean isMessage) {
    }

    /** A connection of a rank, which is a place in the list of ranks: jobs without a name may have a number twice. */
    private record End(int rank, long connection) {
    }

    /** By connection, the places of its ops by what both ends know of them; none if two are alike. */
    private record Ends(Map<End, Map<Long, Integer>> sends, Map<End, Map<Long, Integer>> recvs) {
        long looks() {
            return count(sends) * recvs.size() + count(recvs) * sends.size();
        }

        private static long count(Map<End, Map<Long, Integer>> ends) {
            return ends.values().stream().mapToLong(Map::size).sum();
        }
    }

    private Pairing() {
    }

    static Joined of(List<RankTrace> ranks) {
        Pairing pairing = new Pairing();
        for (int i = 0; i < ranks.size(); i++) {
            pairing.add(i, ranks.get(i));
        }
        pairing.routes.forEach(pairing::join);
        return new Joined(pairing.pairs, pairing.problems);
    }

    private void add(int index, RankTrace rank) {
        for (int place = 0; place < rank.ops().size(); place++) {
            OpSpan op = rank.ops().get(place);
            Optional<Direction> direction = op.way().direction();
            boolean isNumbered = !op.isMessage() || op.place().isPresent();
            boolean isShown = op.state() != OpSpan.State.QUEUED;
            if (direction.isEmpty() || !isNumbered || !isShown || op.way().transport().equals(COLLNET)
                    || op.peer() == rank.rank()) {
                continue;
            }
            boolean isSend = direction.get() == Direction.SEND;
            Ends ends = routes.computeIfAbsent(new Route(rank.job(), isSend ? rank.rank() : op.peer(),
                    isSend ? op.peer() : rank.rank(), op.channel(), op.isMessage()),
                    any -> new Ends(new LinkedHashMap<>(), new LinkedHashMap<>()));
            (isSend ? ends.sends : ends.recvs)
                    .computeIfAbsent(new End(index, op.connection()), any -> new HashMap<>())
                    .merge(op.isMessage() ? op.place().getAsLong() : op.opCount(), place, (one, other) -> null);
        }
    }

    private void join(Route route, Ends ends) {
        if (ends.looks() > MAX_LOOKS) {
            problems.add("what rank " + route.from + " sent to rank " + route.to + " on channel " + route.channel
                    + (route.job.isEmpty() ? "" : " of job " + route.job) + " is not joined: it would take too long, "
                    + "for " + ends.sends.size() + " connections send, and " + ends.recvs.size() + " receive");
            return;
        }
        Map<End, End> senders = new HashMap<>();
        ends.recvs.forEach((to, recvs) -> best(recvs, ends.sends).ifPresent(from -> senders.put(to, from)));
        ends.sends.forEach((from, sends) -> best(sends, ends.recvs).filter(to -> from.equals(senders.get(to)))
                .ifPresent(to -> sends.forEach((number, send) -> {
                    Integer recv = ends.recvs.get(to).get(number);
                    if (recv != null) {
                        pairs.add(new Pair(from.rank, send, to.rank, recv));
                    }
                })));
    }

    /** The one that has the most ops in common, and more than any other. */
    private static Optional<End> best(Map<Long, Integer> one, Map<End, Map<Long, Integer>> others) {
        End best = null;
        long most = 0;
        boolean isTie = false;
        for (Map.Entry<End, Map<Long, Integer>> other : others.entrySet()) {
            long common = one.keySet().stream().filter(other.getValue()::containsKey).count();
            isTie = common == most || common < most && isTie;
            if (common > most) {
                most = common;
                best = other.getKey();
            }
        }
        return isTie ? Optional.empty() : Optional.ofNullable(best);
    }
}
