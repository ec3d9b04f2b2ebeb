/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.topology.HostRanks;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.event.Level;

/**
 * In which order the ranks of each host follow each other. Each tells where its own host's topology has it, and all
 * take what they are told, so that no rank needs to know another host. If one tells nothing, or what does not fit what
 * those of its host tell, all go by rank.
 */
final class HostOrders {
    private static final int NONE = -1;
    /** How many ranks its host has, what it takes their order for, its places in ring and tree. */
    private static final int BYTES = 4 * Integer.BYTES;

    private HostOrders() {
    }

    /** What a rank tells, by its number on the host. */
    static byte[] tell(Optional<HostRanks.Order> order, int local) {
        ByteBuffer out = ByteBuffer.allocate(BYTES);
        order.ifPresentOrElse(known -> out.putInt(known.ring().size())
                .putInt(Objects.hash(known.ring(), known.tree())).putInt(known.ring().indexOf(local))
                .putInt(known.tree().indexOf(local)), () -> out.putInt(NONE).putInt(0).putInt(NONE).putInt(NONE));
        return out.array();
    }

    /**
     * What came of it.
     *
     * @param nodes  in the order that was agreed on, or by rank
     * @param whyNot they go by rank; empty if they do not
     * @param level  to tell that at
     */
    record Outcome(Nodes nodes, String whyNot, Level level) {
        private static Outcome byRank(Nodes nodes, String whyNot, boolean isUsual) {
            return new Outcome(nodes, whyNot, isUsual ? Level.INFO : Level.WARN);
        }

        /** For people. */
        @Override
        public String toString() {
            return whyNot.isEmpty() ? "ranks follow each other in rings as " + nodes.ring()
                    + ", by the topology of their hosts"
                    : "ranks of a host follow each other by their numbers: " + whyNot;
        }
    }

    /** The same at all ranks, of what each has told; by rank. */
    static Outcome agree(Nodes nodes, byte[][] told) {
        int[][] rings = new int[nodes.count()][];
        int[][] trees = new int[nodes.count()][];
        for (int node = 0; node < nodes.count(); node++) {
            List<Integer> ranks = nodes.ranks().get(node);
            rings[node] = new int[ranks.size()];
            trees[node] = new int[ranks.size()];
            Arrays.fill(rings[node], NONE);
            Arrays.fill(trees[node], NONE);
            for (int rank : ranks) {
                String whyNot = whyNot(rank, told[rank], ranks, told[ranks.getFirst()], rings[node], trees[node]);
                if (!whyNot.isEmpty()) {
                    return Outcome.byRank(nodes, whyNot, tellsNothing(told[rank]));
                }
            }
        }
        return new Outcome(nodes.inOrder(lists(rings), lists(trees)), "", Level.INFO);
    }

    /** Takes a rank's places; or says why they do not fit. */
    private static String whyNot(int rank, byte[] told, List<Integer> ranks, byte[] first, int[] ring, int[] tree) {
        if (told.length != BYTES) {
            return "rank " + rank + " has told " + told.length + " bytes of the order of its host's ranks";
        }
        ByteBuffer in = ByteBuffer.wrap(told);
        int count = in.getInt();
        if (tellsNothing(told)) {
            return "the topology of rank " + rank + "'s host says nothing of its GPUs";
        }
        int order = in.getInt();
        if (count != ranks.size() || order != ByteBuffer.wrap(first).getInt(Integer.BYTES)) {
            return "rank " + rank + " and rank " + ranks.getFirst() + " of one host have found different orders of its "
                    + "ranks; do they have the same NCCL_TOPO_FILE and NCCL_GRAPH_FILE?";
        }
        return take(in.getInt(), rank, ring) && take(in.getInt(), rank, tree) ? ""
                : "rank " + rank + " takes a place among its host's ranks that there is not, or that another one has";
    }

    private static boolean tellsNothing(byte... told) {
        return told.length == BYTES && ByteBuffer.wrap(told).getInt() == NONE;
    }

    private static boolean take(int place, int rank, int[] order) {
        if (place < 0 || place >= order.length || order[place] != NONE) {
            return false;
        }
        order[place] = rank;
        return true;
    }

    private static List<List<Integer>> lists(int[][] orders) {
        return Arrays.stream(orders).map(order -> Arrays.stream(order).boxed().toList()).toList();
    }
}
