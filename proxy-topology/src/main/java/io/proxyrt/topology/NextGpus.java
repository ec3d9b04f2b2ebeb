/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * In which order the next GPU of a channel is tried. A search that runs out of its budget has at least tried the best
 * ones.
 */
final class NextGpus {
    private final SearchPaths paths;
    private final int gpus;
    private final int nets;
    private final int[][] orders;

    /** Whether the next GPU's way to the network matters. */
    enum Net {
        /** There is none. */
        NONE,
        /** The next GPU goes there. */
        NEXT,
        /** A later one, for which the best ones are spared. */
        LATER
    }

    NextGpus(SearchPaths paths) {
        this.paths = paths;
        this.gpus = paths.gpus().size();
        this.nets = paths.nets().size();
        this.orders = new int[gpus * (nets + 1)][];
    }

    /** Those that are not visited yet, best first; {@code start} is the net that the channel began with, or -1. */
    int[] of(int from, long visited, Net net, int start, GraphPattern pattern) {
        int[] order = order(from, net == Net.NONE ? -1 : start);
        int[] next = new int[order.length];
        int count = 0;
        boolean isAlike = true;
        for (int gpu : order) {
            if ((visited & 1L << gpu) == 0) {
                next[count++] = gpu;
                isAlike &= isAlike(from, next[0], gpu);
            }
        }
        next = Arrays.copyOf(next, count);
        if (net == Net.LATER && isAlike) {
            for (int i = 0; i < count / 2; i++) {
                int swapped = next[i];
                next[i] = next[count - 1 - i];
                next[count - 1 - i] = swapped;
            }
        }
        return paths.hasSwitch() ? neighbours(from, visited, pattern) : next;
    }

    private int[] order(int from, int start) {
        int key = from * (nets + 1) + start + 1;
        if (orders[key] == null) {
            orders[key] = IntStream.range(1, gpus).map(i -> (from + i) % gpus)
                    .filter(gpu -> paths.amongGpus(from, gpu) != null).boxed().sorted(bestFirst(from, start))
                    .mapToInt(Integer::intValue).toArray();
        }
        return orders[key];
    }

    private Comparator<Integer> bestFirst(int from, int start) {
        Comparator<Integer> byIntra = Comparator
                .comparingDouble((Integer gpu) -> -paths.amongGpus(from, gpu).bandwidth())
                .thenComparingInt(gpu -> paths.amongGpus(from, gpu).hops());
        if (start < 0) {
            return byIntra;
        }
        return Comparator.comparingDouble((Integer gpu) -> -interBandwidth(start, gpu))
                .thenComparingDouble(gpu -> -pciBandwidth(gpu))
                .thenComparingInt(gpu -> paths.fromNet(start, gpu) == null ? 0 : paths.fromNet(start, gpu).hops())
                .thenComparing(byIntra);
    }

    private double interBandwidth(int start, int gpu) {
        return paths.fromNet(start, gpu) == null ? 0 : paths.fromNet(start, gpu).bandwidth();
    }

    private double pciBandwidth(int gpu) {
        return paths.gpus().get(gpu).links().stream().filter(link -> link.type() == TopologyLink.Type.PCI)
                .mapToDouble(TopologyLink::bandwidth).findFirst().orElse(-1);
    }

    private boolean isAlike(int from, int one, int other) {
        SearchPath near = paths.amongGpus(from, one);
        SearchPath far = paths.amongGpus(from, other);
        return near.bandwidth() == far.bandwidth() && near.hops() == far.hops();
    }

    /** NVSwitches do best if a GPU talks to few others. */
    private int[] neighbours(int from, long visited, GraphPattern pattern) {
        int after = (from + 1) % gpus;
        int before = (from + gpus - 1) % gpus;
        IntStream order = switch (pattern) {
            case RING -> IntStream.of(before, after);
            case SPLIT_TREE, BALANCED_TREE -> IntStream.of(after, before);
            case TREE -> IntStream.of(after);
        };
        return order.distinct().filter(gpu -> (visited & 1L << gpu) == 0 && gpu != from
                && paths.amongGpus(from, gpu) != null).toArray();
    }
}
