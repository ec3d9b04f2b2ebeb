/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.topology.HostMachine;
import io.proxyrt.topology.NetDevsPolicy;
import io.proxyrt.topology.RankPlace;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Which adapter each head of a node takes: of those nearest to its NUMA node, the first that no head before it has. Two
 * heads with one adapter would get no more through than one, so that a far one is better than a near one that is taken.
 */
final class HeadAdapters {
    private HeadAdapters() {
    }

    /**
     * For the last of these heads.
     *
     * @param numaNodes of the heads of this node up to that one, as they tell; -1 if one does not know
     */
    static int of(ProxyConfig config, List<TransportAdapter> adapters, int... numaNodes) {
        if (adapters.size() < 2) {
            return ConnectorRequest.ANY_ADAPTER;
        }
        // How many adapters a rank takes says nothing of heads, each of which takes one.
        HostMachine machine = HostMachine.findWithoutLinks(config, adapters).with(NetDevsPolicy.ALL);
        return choose(IntStream.of(numaNodes).mapToObj(node -> near(machine, node)).toList(), adapters.size());
    }

    private static List<Integer> near(HostMachine machine, int numaNode) {
        try {
            return numaNode < 0 ? List.of() : machine.ranks(List.of(RankPlace.ofHostDevice(0, numaNode))).adapters(0);
        } catch (ProxyException e) {
            return List.of();
        }
    }

    /** By what is near each head; one of which nothing is known takes that of its number. */
    static int choose(List<List<Integer>> near, int count) {
        BitSet taken = new BitSet();
        int last = ConnectorRequest.ANY_ADAPTER;
        for (int head = 0; head < near.size(); head++) {
            List<Integer> own = near.get(head).isEmpty() ? List.of(head % count) : near.get(head);
            int free = taken.nextClearBit(0);
            last = own.stream().filter(adapter -> !taken.get(adapter)).findFirst()
                    .orElse(free < count ? free : own.getFirst());
            taken.set(last);
        }
        return last;
    }
}
