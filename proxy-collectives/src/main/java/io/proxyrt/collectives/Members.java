/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.RingOrder;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Some of the ranks, in their order in a ring, and this rank's place in it. */
record Members(int[] ranks, int place, RingOrder order) {
    private Members(int[] ranks, int place) {
        this(ranks, place, RingOrder.byRank(ranks.length));
    }

    /** The ranks of a rank's node. */
    static Members ofNode(Nodes nodes, int rank) {
        int node = nodes.nodeOf(rank);
        int[] own = nodes.ranks().get(node).stream().mapToInt(Integer::intValue).toArray();
        int[] places = nodes.rings().get(node).stream().mapToInt(member -> Arrays.binarySearch(own, member)).toArray();
        return new Members(own, Arrays.binarySearch(own, rank), RingOrder.of(places));
    }

    /** The ranks of all nodes that have a rank's place in theirs; of nodes that have equally many. */
    static Members ofPlace(Nodes nodes, int rank) {
        int place = ofNode(nodes, rank).place;
        return new Members(nodes.ranks().stream().mapToInt(ranks -> ranks.get(place)).toArray(), nodes.nodeOf(rank));
    }

    int next() {
        return ranks[order.next(place)];
    }

    int prev() {
        return ranks[order.prev(place)];
    }

    /** A ring for each channel, whose neighbours are connected. */
    Ring[] rings(StepPorts... channels) {
        return IntStream.range(0, channels.length).mapToObj(c -> Ring.join(c, channels[c].pair(prev()).recv(),
                channels[c].pair(next()).send())).toArray(Ring[]::new);
    }
}
