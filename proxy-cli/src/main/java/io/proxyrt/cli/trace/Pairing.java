/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

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
 * is not joined.
 */
final class Pairing {
    private static final String COLLNET = "COLLNET";

    private final Map<Route, Ends> routes = new LinkedHashMap<>();
    private final List<Pair> pairs = new ArrayList<>();

    /**
     * What was sent.
     *
     * @param from the rank that sent it, as a place in the list of ranks
     * @param send its op
     * @param to   the rank that received it, as a place in the list of ranks
     * @param recv its op
     */
    record Pair(int from, OpSpan send, int to, OpSpan recv) {
    }

    /** Several connections may have one, such as those of two communicators. */
    private record Route(String job, int from, int to, int channel, boolean isMessage) {
    }

    /** A connection of a rank, which is a place in the list of ranks: jobs without a name may have a number twice. */
    private record End(int rank, long connection) {
    }

    /** By connection, its ops by what both ends know of them. */
    private record Ends(Map<End, Map<Long, OpSpan>> sends, Map<End, Map<Long, OpSpan>> recvs) {
    }

    private Pairing() {
    }

    static List<Pair> of(List<RankTrace> ranks) {
        Pairing pairing = new Pairing();
        for (int i = 0; i < ranks.size(); i++) {
            pairing.add(i, ranks.get(i));
        }
        pairing.routes.values().forEach(pairing::join);
        return pairing.pairs;
    }

    private void add(int index, RankTrace rank) {
        for (OpSpan op : rank.ops()) {
            Optional<Direction> direction = op.way().direction();
            boolean isNumbered = !op.isMessage() || op.place().isPresent();
            boolean isShown = op.state() != OpSpan.State.QUEUED;
            if (direction.isEmpty() || !isNumbered || !isShown || op.way().transport().equals(COLLNET)) {
                continue;
            }
            boolean isSend = direction.get() == Direction.SEND;
            Ends ends = routes.computeIfAbsent(new Route(rank.job(), isSend ? rank.rank() : op.peer(),
                    isSend ? op.peer() : rank.rank(), op.channel(), op.isMessage()),
                    any -> new Ends(new LinkedHashMap<>(), new LinkedHashMap<>()));
            (isSend ? ends.sends : ends.recvs)
                    .computeIfAbsent(new End(index, op.connection()), any -> new HashMap<>())
                    .merge(op.isMessage() ? op.place().getAsLong() : op.opCount(), op, (one, other) -> null);
        }
    }

    private void join(Ends ends) {
        ends.sends.forEach((from, sends) -> best(sends, ends.recvs)
                .filter(to -> best(ends.recvs.get(to), ends.sends).filter(from::equals).isPresent())
                .ifPresent(to -> sends.forEach((number, send) -> {
                    OpSpan recv = ends.recvs.get(to).get(number);
                    if (recv != null) {
                        pairs.add(new Pair(from.rank, send, to.rank, recv));
                    }
                })));
    }

    /** The one that has the most ops in common, and more than any other. */
    private static Optional<End> best(Map<Long, OpSpan> one, Map<End, Map<Long, OpSpan>> others) {
        End best = null;
        long most = 0;
        boolean isTie = false;
        for (Map.Entry<End, Map<Long, OpSpan>> other : others.entrySet()) {
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
