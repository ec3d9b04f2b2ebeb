/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What rings of a host can carry at best, found by trying every order of its GPUs; on its own, without the search. */
final class BruteForce {
    private static final double INTEL_OVERHEAD = 1.2;

    private final Paths paths;
    private final List<TopologyNode> gpus;
    private double best;

    BruteForce(Paths paths) {
        this.paths = paths;
        this.gpus = paths.graph().nodes(NodeType.GPU);
    }

    /** GB/s of the best order, over paths of a type at most; 0 if there is none. */
    double best(PathType farthest) {
        best = 0;
        permute(new ArrayList<>(gpus), 1, farthest);
        return best;
    }

    private void permute(List<TopologyNode> order, int from, PathType farthest) {
        if (from == order.size()) {
            best = Math.max(best, bandwidth(order, farthest));
            return;
        }
        for (int i = from; i < order.size(); i++) {
            Collections.swap(order, from, i);
            permute(order, from + 1, farthest);
            Collections.swap(order, from, i);
        }
    }

    private double bandwidth(List<TopologyNode> order, PathType farthest) {
        Map<TopologyLink, Double> uses = new HashMap<>();
        for (int i = 0; i < order.size(); i++) {
            TopologyPath path = paths.find(order.get(i), order.get((i + 1) % order.size())).orElse(null);
            if (path == null || path.type().compareTo(farthest) > 0) {
                return 0;
            }
            add(uses, order.get(i), path, 1);
        }
        return uses.entrySet().stream().mapToDouble(use -> use.getKey().bandwidth() / use.getValue()).min().orElse(0);
    }

    /** Links of which channels together take more than there is. */
    List<TopologyLink> overloaded(ChannelGraph ring) {
        Map<Integer, TopologyNode> byRank = new HashMap<>();
        gpus.forEach(gpu -> byRank.put(gpu.rank().orElseThrow(), gpu));
        Map<TopologyLink, Double> uses = new HashMap<>();
        for (ChannelGraph.Channel channel : ring.channels()) {
            int last = ring.pattern() == GraphPattern.RING && channel.netIn() < 0 ? gpus.size() : gpus.size() - 1;
            for (int i = 0; i < last; i++) {
                TopologyNode from = byRank.get(channel.ranks().get(i));
                TopologyNode to = byRank.get(channel.ranks().get((i + 1) % gpus.size()));
                if (from != to) {
                    add(uses, from, paths.find(from, to).orElseThrow(), ring.bwIntra());
                }
            }
            if (ring.pattern() == GraphPattern.RING && channel.netIn() >= 0) {
                TopologyNode in = net(channel.netIn());
                TopologyNode first = byRank.get(channel.ranks().getFirst());
                TopologyNode exit = byRank.get(channel.ranks().getLast());
                add(uses, in, paths.find(in, first).orElseThrow(), ring.bwInter());
                add(uses, exit, paths.find(exit, net(channel.netOut())).orElseThrow(), ring.bwInter());
            }
        }
        // The search counts in thousandths.
        return uses.entrySet().stream().filter(use -> use.getValue() > use.getKey().bandwidth() + 0.05)
                .map(Map.Entry::getKey).sorted(Comparator.comparingInt(TopologyLink::index)).toList();
    }

    private TopologyNode net(int dev) {
        return paths.graph().nodes(NodeType.NET).stream().filter(net -> net.dev().orElseThrow() == dev).findFirst()
                .orElseThrow();
    }

    private static void add(Map<TopologyLink, Double> uses, TopologyNode from, TopologyPath path, double amount) {
        boolean isCostly = from.type() == NodeType.GPU && path.type() == PathType.PHB
                && path.cpu().filter(cpu -> cpu.cpu().isIntel()).isPresent();
        path.links().forEach(link -> uses.merge(link,
                isCostly && link.type() == TopologyLink.Type.PCI ? amount * INTEL_OVERHEAD : amount, Double::sum));
    }
}
