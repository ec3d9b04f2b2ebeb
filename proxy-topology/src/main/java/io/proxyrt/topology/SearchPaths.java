/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The paths between the GPUs and networks of a topology, by their place in it. Those that are absent are null. */
final class SearchPaths {
    private final Paths paths;
    private final List<TopologyNode> gpus;
    private final List<TopologyNode> nets;
    private final SearchPath[][] amongGpus;
    private final SearchPath[][] toNets;
    private final SearchPath[][] fromNets;
    private final boolean[][] isSamePort;
    /** Of each GPU, in turn; of each network. */
    private final int[][] localNets;
    private final int[][] localGpus;

    SearchPaths(Paths paths) {
        this.paths = paths;
        this.gpus = paths.graph().nodes(NodeType.GPU);
        this.nets = paths.graph().nodes(NodeType.NET);
        this.amongGpus = table(gpus, gpus);
        this.toNets = table(gpus, nets);
        this.fromNets = table(nets, gpus);
        this.isSamePort = new boolean[nets.size()][nets.size()];
        for (int net = 0; net < nets.size(); net++) {
            for (int other = 0; other < nets.size(); other++) {
                isSamePort[net][other] = nets.get(net).net().isSamePort(nets.get(other).net());
            }
        }
        this.localNets = gpus.stream().map(gpu -> paths.localNets(gpu).stream().mapToInt(nets::indexOf).toArray())
                .toArray(int[][]::new);
        this.localGpus = nets.stream().map(net -> paths.closest(net, NodeType.GPU).stream().mapToInt(gpus::indexOf)
                .toArray()).toArray(int[][]::new);
    }

    private SearchPath[][] table(List<TopologyNode> from, List<TopologyNode> to) {
        return from.stream().map(start -> to.stream().map(end -> path(start, end)).toArray(SearchPath[]::new))
                .toArray(SearchPath[][]::new);
    }

    private SearchPath path(TopologyNode from, TopologyNode to) {
        return from == to ? null : paths.find(from, to).map(path -> new SearchPath(from, path)).orElse(null);
    }

    List<TopologyNode> gpus() {
        return gpus;
    }

    List<TopologyNode> nets() {
        return nets;
    }

    SearchPath amongGpus(int from, int to) {
        return amongGpus[from][to];
    }

    SearchPath toNet(int gpu, int net) {
        return toNets[gpu][net];
    }

    SearchPath fromNet(int net, int gpu) {
        return fromNets[net][gpu];
    }

    boolean hasSwitch() {
        return !paths.graph().nodes(NodeType.NVS).isEmpty();
    }

    /** The bandwidths of all links. */
    long[] budget() {
        long[] left = new long[paths.graph().linkCount()];
        paths.graph().nodes().stream().flatMap(node -> node.links().stream())
                .forEach(link -> left[link.index()] = SearchPath.units(link.bandwidth()));
        return left;
    }

    /** Those that there are between GPUs. */
    Set<PathType> typesIntra() {
        return types(amongGpus);
    }

    /** Those that there are between GPUs and networks. */
    Set<PathType> typesInter() {
        return types(toNets);
    }

    private static Set<PathType> types(SearchPath[][] table) {
        Set<PathType> types = EnumSet.noneOf(PathType.class);
        for (SearchPath[] row : table) {
            for (SearchPath path : row) {
                if (path != null) {
                    types.add(path.type());
                }
            }
        }
        return types;
    }

    /** The greatest bandwidth of a path: to the network, if there is one. */
    double maxBandwidth() {
        double most = 0;
        for (SearchPath[] row : nets.isEmpty() ? amongGpus : toNets) {
            for (SearchPath path : row) {
                most = path == null ? most : Math.max(most, path.bandwidth());
            }
        }
        return most;
    }

    /** GPUs that a network's data come in by. */
    int[] localGpus(int net) {
        return localGpus[net];
    }

    /** Whether two networks share one port. */
    boolean isSamePort(int one, int other) {
        return isSamePort[one][other];
    }

    /** Networks of all GPUs (-1), or of one, come first, then those that are close enough. */
    int[] netOrder(int onlyGpu, PathType farthest) {
        Set<Integer> order = new LinkedHashSet<>();
        int first = Math.max(0, onlyGpu);
        int last = onlyGpu < 0 ? gpus.size() - 1 : onlyGpu;
        for (int gpu = first; gpu <= last; gpu++) {
            Arrays.stream(localNets[gpu]).forEach(order::add);
        }
        for (PathType type : EnumSet.range(PathType.LOC, farthest)) {
            for (int gpu = first; gpu <= last; gpu++) {
                for (int net = 0; net < nets.size(); net++) {
                    if (toNets[gpu][net] != null && toNets[gpu][net].type() == type) {
                        order.add(net);
                    }
                }
            }
        }
        return order.stream().mapToInt(Integer::intValue).toArray();
    }
}
