/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

/**
 * One attempt to find channels: depth first, each hop takes bandwidth of the links that it crosses, and what does not
 * fit is undone. A step is a GPU that is visited, a channel that is begun, or so many links that are looked at;
 * there is a number of steps.
 */
final class ChannelSearch {
    /** Steps to find the channels that GPUs make in their own order. */
    private static final int OWN_ORDER_STEPS = 1 << 10;
    /** Links that are looked at, which are one step: on large machines most of them lead nowhere. */
    private static final int LINKS_A_STEP = 1 << 10;

    private final SearchPaths paths;
    private final int gpus;
    private final int nets;
    private final NextGpus nextGpus;
    private final long[] left;
    private final long[] netLeft;
    private final int[] netChannels;
    private final SearchGraph graph;
    private final SearchGraph best;
    /** Of all GPUs, and then of each. */
    private final int[][] netOrders;
    private int steps;
    private int taken;
    private int links;
    private boolean isFull;
    /** GPUs that the channel has. */
    private long visited;
    /** GPUs that the channel may end with. */
    private long ends;

    /** How a channel goes from GPU to GPU. */
    private enum Order {
        /** Any that fits. */
        FREE,
        /** That of the GPUs. */
        OWN,
        /** That of the channel before. */
        REPLAY
    }

    /** The steps of a channel after which it goes to the network, and to its first GPU; -1 for never. */
    private record Turns(int toNet, int toFirst) {
        Turns toNet(int step) {
            return new Turns(step, toFirst);
        }
    }

    ChannelSearch(SearchPaths paths, NextGpus nextGpus, SearchGraph graph, SearchGraph best) {
        this.paths = paths;
        this.gpus = paths.gpus().size();
        this.nets = paths.nets().size();
        this.nextGpus = nextGpus;
        this.left = paths.budget();
        this.netLeft = paths.nets().stream().mapToLong(net -> SearchPath.units(net.net().bandwidth())).toArray();
        this.netChannels = paths.nets().stream().mapToInt(net -> net.net().maxChannels()).toArray();
        this.graph = graph;
        this.best = best;
        this.netOrders = new int[nets == 0 ? 0 : gpus + 1][];
        for (int gpu = -1; gpu < gpus && nets > 0; gpu++) {
            netOrders[gpu + 1] = paths.netOrder(gpu, graph.typeInter);
        }
    }

    /** Searches for so many steps at most; what is found is in the best graph. */
    void run(int maxSteps) {
        steps = maxSteps;
        graph.channels = 0;
        graph.hops = 0;
        searchChannel();
    }

    /** How many there were. */
    int steps() {
        return taken;
    }

    /** Whether there were not enough of them. */
    boolean isOutOfSteps() {
        return !isFull && steps <= 0;
    }

    /** Whether as many channels were found as there may be. */
    boolean isFull() {
        return isFull;
    }

    private void countStep() {
        steps--;
        taken++;
    }

    private void countLinks(SearchPath path) {
        links += path.hops();
        if (links >= LINKS_A_STEP && steps > 0) {
            links -= LINKS_A_STEP;
            countStep();
        }
    }

    private void searchChannel() {
        Turns turns = turns();
        if (nets > 0) {
            searchFromNets(turns);
            return;
        }
        if (graph.channels == 0) {
            tryFirst(-1, 0, turns, Order.OWN);
        } else {
            tryFirst(-1, graph.gpu(graph.channels - 1, 0), turns, Order.REPLAY);
        }
        if (!graph.isSameChannels || graph.channels == 0) {
            for (int gpu = 0; gpu < gpus; gpu++) {
                tryFirst(-1, gpu, turns, Order.FREE);
            }
        }
    }

    private Turns turns() {
        if (nets == 0) {
            return new Turns(-1, graph.pattern == GraphPattern.RING ? gpus - 1 : -1);
        }
        return new Turns(switch (graph.pattern) {
            case RING -> gpus - 1;
            case SPLIT_TREE -> 1;
            default -> 0;
        }, -1);
    }

    private void searchFromNets(Turns turns) {
        int[] order = netOrders[0];
        long bandwidth = SearchPath.units(graph.bwInter);
        for (int i = 0; i < order.length && steps > 0; i++) {
            int net = order[(graph.channels + i) % order.length];
            boolean isWrongOne = graph.pattern == GraphPattern.RING && graph.crossNic == 2 && (graph.channels & 1) == 1
                    && net != graph.inter[(graph.channels - 1) * 2 + 1];
            if (!isWrongOne && netLeft[net] >= bandwidth && netChannels[net] > 0) {
                graph.inter[graph.channels * 2] = net;
                graph.latencyInter = paths.nets().get(net).net().latency();
                share(net, -bandwidth);
                netChannels[net]--;
                searchFromNet(net, turns);
                netChannels[net]++;
                share(net, bandwidth);
            }
        }
    }

    private void searchFromNet(int net, Turns turns) {
        if (graph.channels > 0 && graph.isSameChannels) {
            tryFirst(net, graph.gpu(graph.channels - 1, 0), turns, Order.REPLAY);
            return;
        }
        if (graph.channels == 0 && !paths.hasSwitch()) {
            // A reference, for which few steps have to do.
            int spared = Math.max(0, steps - OWN_ORDER_STEPS);
            steps -= spared;
            tryFirst(net, 0, turns, Order.OWN);
            steps = isFull ? 0 : Math.max(0, steps) + spared;
        }
        for (int gpu : paths.localGpus(net)) {
            tryFirst(net, gpu, turns, Order.FREE);
        }
    }

    /** The bandwidth of a port belongs to all devices that are that port. */
    private void share(int net, long bandwidth) {
        for (int other = 0; other < nets; other++) {
            if (paths.isSamePort(net, other)) {
                netLeft[other] += bandwidth;
            }
        }
    }

    /** Begins a channel, with the GPU that the network's data come in by; -1 for no network. */
    private void tryFirst(int net, int gpu, Turns turns, Order order) {
        SearchPath path = net < 0 ? null : paths.fromNet(net, gpu);
        SearchPath back = net < 0 ? null : paths.toNet(gpu, net);
        if (steps <= 0) {
            return;
        }
        countStep();
        if (net >= 0 && !take(path, back, graph.typeInter, graph.bwInter)) {
            return;
        }
        long endsBefore = ends;
        ends = ends(gpu, turns);
        if (ends != 0) {
            visited = 1L << gpu;
            visit(gpu, 0, turns, order);
            visited = 0;
        }
        ends = endsBefore;
        if (net >= 0) {
            give(path, graph.bwInter);
        }
    }

    /** Whichever GPU a ring ends with has to reach the network, or the first GPU, with what the links have left. */
    private long ends(int first, Turns turns) {
        long mask = 0;
        for (int gpu = 0; gpu < gpus; gpu++) {
            if (graph.pattern != GraphPattern.RING || canEnd(gpu, first, turns)) {
                mask |= 1L << gpu;
            }
        }
        return mask;
    }

    private boolean canEnd(int gpu, int first, Turns turns) {
        if (turns.toFirst >= 0) {
            return gpu == first ? gpus == 1 : fits(paths.amongGpus(gpu, first), graph.typeIntra, graph.bwIntra);
        }
        if (gpu == first && gpus > 1) {
            return false;
        }
        for (int net : netOrders[gpu + 1]) {
            if (mayLeaveBy(net, gpus - 1) && fits(paths.toNet(gpu, net), graph.typeInter, graph.bwInter)) {
                return true;
            }
        }
        return false;
    }

    private boolean fits(SearchPath path, PathType limit, double bandwidth) {
        if (path == null || path.type().compareTo(limit) > 0 || steps <= 0) {
            return false;
        }
        countLinks(path);
        if (!path.take(left, bandwidth)) {
            return false;
        }
        path.give(left, bandwidth);
        return true;
    }

    private void visit(int gpu, int step, Turns turns, Order order) {
        if (steps <= 0) {
            return;
        }
        countStep();
        if (step == gpus) {
            finishChannel();
            return;
        }
        graph.intra[graph.channels * gpus + step] = gpu;
        if (step == turns.toNet) {
            visitNets(gpu, step, turns, order);
        } else if (step < gpus - 1) {
            visitNext(gpu, step, turns, order);
        } else if (step == turns.toFirst) {
            int first = graph.gpu(graph.channels, 0);
            SearchPath path = paths.amongGpus(gpu, first);
            if (gpu == first || take(path, paths.amongGpus(first, gpu), graph.typeIntra, graph.bwIntra)) {
                visit(first, step + 1, new Turns(turns.toNet, -1), order);
                if (gpu != first) {
                    give(path, graph.bwIntra);
                }
            }
        } else {
            visit(gpu, gpus, new Turns(-1, -1), order);
        }
    }

    private void visitNext(int gpu, int step, Turns turns, Order order) {
        for (int next : next(gpu, step, turns, order)) {
            long all = visited | 1L << next;
            boolean isEnd = step + 1 == gpus - 1;
            if ((visited & 1L << next) != 0 || (isEnd ? ends & 1L << next : ends & ~all) == 0) {
                continue;
            }
            SearchPath path = paths.amongGpus(gpu, next);
            if (steps > 0 && take(path, paths.amongGpus(next, gpu), graph.typeIntra, graph.bwIntra)) {
                visited = all;
                visit(next, step + 1, turns, order);
                visited = all & ~(1L << next);
                give(path, graph.bwIntra);
            }
        }
    }

    private int[] next(int gpu, int step, Turns turns, Order order) {
        return switch (order) {
            case OWN -> new int[] {step + 1};
            case REPLAY -> new int[] {graph.gpu(graph.channels - 1, step + 1)};
            case FREE -> nextGpus.of(gpu, visited, turns.toNet == -1 ? NextGpus.Net.NONE
                    : turns.toNet == step + 1 ? NextGpus.Net.NEXT : NextGpus.Net.LATER,
                    nets == 0 ? -1 : graph.inter[graph.channels * 2], graph.pattern);
        };
    }

    private void finishChannel() {
        graph.channels++;
        if (graph.isBetterThan(best)) {
            best.copy(graph);
            if (graph.channels == graph.maxChannels) {
                isFull = true;
                steps = 0;
            }
        }
        if (graph.channels < graph.maxChannels && steps > 0) {
            long all = visited;
            visited = 0;
            searchChannel();
            visited = all;
        }
        graph.channels--;
    }

    private void visitNets(int gpu, int step, Turns turns, Order order) {
        boolean isBalanced = graph.pattern == GraphPattern.BALANCED_TREE;
        // Each of the first two GPUs has half of it.
        double bandwidth = isBalanced ? graph.bwInter / 2 : graph.bwInter;
        int nextToNet = isBalanced && step == 0 && gpus > 1 ? 1 : -1;
        for (int net : netOrders[gpu + 1]) {
            SearchPath path = paths.toNet(gpu, net);
            if (steps > 0 && mayLeaveBy(net, step)
                    && take(path, paths.fromNet(net, gpu), graph.typeInter, bandwidth)) {
                graph.inter[graph.channels * 2 + 1] = net;
                visit(gpu, step, turns.toNet(nextToNet), order);
                give(path, bandwidth);
            }
        }
    }

    private boolean mayLeaveBy(int net, int step) {
        int start = graph.inter[graph.channels * 2];
        if (graph.pattern == GraphPattern.TREE && net != start) {
            return false;
        }
        if (graph.pattern == GraphPattern.RING && graph.crossNic == 2) {
            return (graph.channels & 1) == 0 || net == graph.inter[(graph.channels - 1) * 2];
        }
        if (graph.crossNic == 0 && !paths.isSamePort(net, start)) {
            return false;
        }
        return graph.pattern != GraphPattern.BALANCED_TREE || step == 0 || net == graph.inter[graph.channels * 2 + 1];
    }

    /** Trees go both ways, so the way back may not be farther either. */
    private boolean take(SearchPath path, SearchPath back, PathType limit, double bandwidth) {
        boolean isTooFar = path == null || path.type().compareTo(limit) > 0
                || graph.pattern != GraphPattern.RING && (back == null || back.type().compareTo(limit) > 0);
        if (isTooFar) {
            return false;
        }
        countLinks(path);
        if (!path.take(left, bandwidth)) {
            return false;
        }
        graph.hops += path.hops();
        return true;
    }

    private void give(SearchPath path, double bandwidth) {
        path.give(left, bandwidth);
        graph.hops -= path.hops();
    }
}
