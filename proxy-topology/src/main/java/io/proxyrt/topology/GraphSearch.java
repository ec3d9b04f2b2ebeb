/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.DoubleStream;

/**
 * Finds the order of a host's ranks in each channel: NCCL's {@code ncclTopoCompute}. It tries the greatest bandwidth a
 * channel over the closest paths first, then channels that differ, farther paths, NICs crosswise, and less bandwidth;
 * and from what it found, more bandwidth again. Depth first within a budget of steps, so that it ends soon and always
 * in the same way. Of one thread.
 */
final class GraphSearch {
    /** GPUs that are visited, and channels that are begun, in one search, at most. */
    static final int MAX_STEPS = 1 << 19;
    /** Channels, at most: as many as the search has bits for. */
    static final int MAX_CHANNELS = 64;
    /** Ranks of all channels, at most: each is a level of the search, which has to fit a thread's stack. */
    private static final int MAX_DEPTH = 1 << 9;
    private static final int ATTEMPT_STEPS = 1 << 14;
    private static final int SAME_CHANNELS_STEPS = 1 << 8;
    /** For a search that found nothing. */
    private static final int SPARED_STEPS = 1 << 14;
    /** Less than about half the bandwidth is not tried, once there is something. */
    private static final double LEAST_SLOWER = 0.49;
    /** From which bandwidth on a channel becomes two. */
    private static final double DOUBLE_BANDWIDTH = 25;
    private static final double DOUBLE_BANDWIDTH_80 = 50;
    private static final int FEW_CHANNELS = 4;
    private static final double FALLBACK_BANDWIDTH = 0.1;

    private final Paths paths;
    private final SearchPaths searchPaths;
    private final NextGpus nextGpus;
    private final List<TopologyNode> gpus;
    private final List<TopologyNode> nets;
    private final double[] speeds;
    private int steps;

    // Of one search.
    private SearchGraph best;
    private SearchGraph tried;
    private Set<PathType> typesIntra;
    private Set<PathType> typesInter;
    private double maxBandwidth;
    private double totalBandwidth;
    private int speed;
    private int crossNic;
    private boolean isOutOfSteps;

    /**
     * A search over a host.
     *
     * @param paths of a topology with at least one GPU or rank
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it has none
     */
    GraphSearch(Paths paths) {
        this.paths = paths;
        this.gpus = paths.graph().nodes(NodeType.GPU);
        this.nets = paths.graph().nodes(NodeType.NET);
        this.searchPaths = new SearchPaths(paths);
        this.nextGpus = new NextGpus(searchPaths);
        this.speeds = Speeds.of(paths.graph());
        if (gpus.isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "the topology has no GPU and no rank, so there is "
                    + "nothing to put in order");
        }
    }

    /**
     * Searches, with NICs crosswise where nothing else is as good ({@code NCCL_CROSS_NIC=2}).
     *
     * @param wanted      pattern; another tree may be found instead of a tree
     * @param minChannels that are wanted, at least 1
     * @param maxChannels that are taken, up to {@link #MAX_CHANNELS}; of more than 8 GPUs, 512 by their number
     * @return the best graph within the budget; if there is none at all, one channel in the order of the GPUs with
     *         0.1 GB/s, as NCCL has it
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for numbers out of their range
     */
    ChannelGraph search(GraphPattern wanted, int minChannels, int maxChannels) {
        if (minChannels < 1 || maxChannels < minChannels || maxChannels > MAX_CHANNELS) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a graph of " + minChannels + " to " + maxChannels
                    + " channels is wanted; 1 to " + MAX_CHANNELS + " can be searched for");
        }
        steps = 0;
        return AllToAll.find(paths, wanted, maxChannels).orElseGet(() -> {
            GraphPattern pattern = gpus.size() == 1 && wanted != GraphPattern.RING ? GraphPattern.TREE : wanted;
            int most = Math.min(maxChannels, MAX_DEPTH / gpus.size());
            begin(pattern, Math.min(minChannels, most), most);
            findAny(pattern);
            if (best.channels == 0) {
                findSlow(pattern);
            }
            if (best.channels > 0) {
                duplicate();
                findFaster();
            }
            return best.channels == 0 ? fallback() : result();
        });
    }

    /**
     * How long the last search was.
     *
     * @return GPUs that were visited and channels that were begun, up to {@link #MAX_STEPS}
     */
    int steps() {
        return steps;
    }

    private void begin(GraphPattern pattern, int minChannels, int maxChannels) {
        best = new SearchGraph(gpus.size(), pattern, minChannels, maxChannels);
        tried = new SearchGraph(gpus.size(), pattern, minChannels, maxChannels);
        typesIntra = searchPaths.typesIntra();
        typesInter = searchPaths.typesInter();
        best.typeIntra = least(typesIntra, PathType.LOC);
        best.typeInter = least(typesInter, PathType.PIX);
        crossNic = nets.size() > 1 && (pattern == GraphPattern.RING || pattern == GraphPattern.BALANCED_TREE) ? 2 : 0;
        maxBandwidth = nets.isEmpty() && gpus.size() == 1 ? TopologyGraph.LOCAL_BANDWIDTH : searchPaths.maxBandwidth();
        totalBandwidth = nets.isEmpty() && gpus.size() == 1 ? TopologyGraph.LOCAL_BANDWIDTH
                : gpus.stream().mapToDouble(gpu -> Math.max(sum(gpu, TopologyLink.Type.NVL),
                        sum(gpu, TopologyLink.Type.PCI))).max().orElse(0);
        if (gpus.size() > 1 && pattern != GraphPattern.RING) {
            totalBandwidth *= (double) gpus.size() / (gpus.size() - 1);
        }
        tried.copy(best);
        speed = fastest(minChannels);
        setSpeed();
    }

    private static PathType least(Set<PathType> types, PathType otherwise) {
        return types.stream().min(PathType::compareTo).orElse(otherwise);
    }

    private static PathType most(Set<PathType> types, PathType otherwise) {
        return types.stream().max(PathType::compareTo).orElse(otherwise);
    }

    /** The next one that there is, up to a limit; empty if there is none. */
    private static Optional<PathType> next(Set<PathType> types, PathType after, PathType limit) {
        return types.stream().filter(type -> type.compareTo(after) > 0 && type.compareTo(limit) <= 0)
                .min(PathType::compareTo);
    }

    private static double sum(TopologyNode gpu, TopologyLink.Type type) {
        return gpu.links().stream().filter(link -> link.type() == type).mapToDouble(TopologyLink::bandwidth).sum();
    }

    private int fastest(int channels) {
        int index = 0;
        while (index < speeds.length - 1
                && (speeds[index] > maxBandwidth || speeds[index] * channels > totalBandwidth)) {
            index++;
        }
        return index;
    }

    private void setSpeed() {
        tried.bwIntra = speeds[speed];
        tried.bwInter = speeds[speed];
    }

    /** True if as many channels were found as there may be. */
    private boolean attempt(int maxSteps) {
        int most = Math.min(tried.isSameChannels ? SAME_CHANNELS_STEPS : ATTEMPT_STEPS, maxSteps - steps);
        ChannelSearch search = new ChannelSearch(searchPaths, nextGpus, tried, best);
        search.run(most);
        steps += search.steps();
        isOutOfSteps = search.isOutOfSteps();
        return search.isFull();
    }

    private void findAny(GraphPattern pattern) {
        do {
            if (!tried.isSameChannels && !canBeBetter()) {
                continue;
            }
            if (attempt(MAX_STEPS - SPARED_STEPS) || best.channels * best.bwInter >= totalBandwidth
                    || steps >= MAX_STEPS - SPARED_STEPS) {
                return;
            }
        } while (relax(pattern));
    }

    /** Whether the links have room for more channels at this speed than the best graph has. */
    private boolean canBeBetter() {
        double[] out = gpus.stream().mapToDouble(gpu -> gpu.links().stream()
                .filter(link -> link.type().path().compareTo(tried.typeIntra) <= 0)
                .mapToDouble(TopologyLink::bandwidth).sum()).toArray();
        double fitting = gpus.size() == 1 ? best.maxChannels : tried.pattern == GraphPattern.RING && nets.isEmpty()
                ? DoubleStream.of(out).min().orElse(0) / tried.bwIntra
                : DoubleStream.of(out).sum() / (gpus.size() - 1) / tried.bwIntra;
        double ofNets = nets.isEmpty() ? best.maxChannels
                : nets.stream().mapToDouble(net -> Math.floor(net.net().bandwidth() / tried.bwInter)).sum();
        return Math.min(Math.min(Math.floor(fitting), ofNets), best.maxChannels) * tried.bwIntra
                > best.channels * best.bwIntra;
    }

    /** Anything at all: over any path, as few channels as there are, one order for all, whatever the bandwidth. */
    private void findSlow(GraphPattern pattern) {
        for (GraphPattern any : pattern == GraphPattern.RING ? List.of(pattern) : List.of(pattern, GraphPattern.TREE)) {
            tried.pattern = any;
            tried.minChannels = 1;
            tried.isSameChannels = true;
            tried.crossNic = crossNic == 0 ? 0 : 1;
            tried.typeIntra = most(typesIntra, PathType.LOC);
            tried.typeInter = most(typesInter, PathType.SYS);
            for (speed = fastest(1); speed < speeds.length && best.channels == 0; speed++) {
                setSpeed();
                attempt(MAX_STEPS);
            }
        }
    }

    /** Makes it easier in the next way; false if there is none. */
    private boolean relax(GraphPattern pattern) {
        NodeDetail.Cpu cpu = paths.graph().firstCpu();
        if (tried.isSameChannels && !(cpu.isAmd() && tried.typeIntra == PathType.SYS)) {
            tried.isSameChannels = false;
            return true;
        }
        tried.isSameChannels = true;
        if (paths.graph().minCapability() >= 90 && tried.pattern == GraphPattern.BALANCED_TREE) {
            tried.pattern = GraphPattern.TREE;
            return true;
        }
        tried.pattern = pattern;
        return goFarther() || goAcross(pattern) || slowDown();
    }

    private boolean goFarther() {
        Optional<PathType> intra = next(typesIntra, tried.typeIntra, nets.isEmpty() ? PathType.SYS : tried.typeInter);
        if (intra.isPresent() && (best.channels == 0 || tried.typeIntra.compareTo(best.typeIntra) < 0)) {
            tried.typeIntra = intra.get();
            return true;
        }
        tried.typeIntra = least(typesIntra, PathType.LOC);
        Optional<PathType> inter = next(typesInter, tried.typeInter, PathType.SYS);
        if (inter.isPresent() && (best.channels == 0 || tried.typeInter.compareTo(best.typeInter) < 0
                || tried.typeInter.compareTo(PathType.PXN) < 0)) {
            tried.typeInter = inter.get();
            return true;
        }
        tried.typeInter = least(typesInter, PathType.PIX);
        return false;
    }

    private boolean goAcross(GraphPattern pattern) {
        if (crossNic == 2 && tried.crossNic == 0
                && (pattern == GraphPattern.RING || pattern == GraphPattern.BALANCED_TREE)) {
            tried.crossNic = 2;
            return true;
        }
        tried.crossNic = 0;
        return false;
    }

    private boolean slowDown() {
        if (speed < speeds.length - 1
                && (best.channels == 0 || speeds[speed + 1] / best.bwInter > LEAST_SLOWER)) {
            speed++;
            setSpeed();
            return true;
        }
        return false;
    }

    /** A channel that is faster than one block of a GPU becomes two. */
    private void duplicate() {
        boolean isOne = best.bwIntra < DOUBLE_BANDWIDTH || paths.graph().minCapability() > 80
                && best.bwIntra < DOUBLE_BANDWIDTH_80 && best.channels > FEW_CHANNELS;
        int count = isOne ? best.channels : Math.min(2 * best.channels, best.maxChannels);
        if (count > best.channels) {
            System.arraycopy(best.intra, 0, best.intra, best.channels * gpus.size(),
                    (count - best.channels) * gpus.size());
            System.arraycopy(best.inter, 0, best.inter, 2 * best.channels, 2 * (count - best.channels));
            best.bwIntra /= 2;
            best.bwInter /= 2;
            best.channels = count;
        }
    }

    /** With as many channels, of more bandwidth: trees within the host alone, up to twice of what goes outside. */
    private void findFaster() {
        tried.copy(best);
        speed = 0;
        while (speed < speeds.length - 1 && speeds[speed] > best.bwInter) {
            speed++;
        }
        setSpeed();
        tried.minChannels = best.channels;
        while (!isOutOfSteps && speed > 0 && steps < MAX_STEPS) {
            if (tried.pattern == GraphPattern.RING) {
                speed--;
                setSpeed();
            } else if (tried.bwIntra == best.bwIntra && tried.bwIntra < tried.bwInter * 2) {
                tried.bwIntra = speeds[--speed];
            } else {
                return;
            }
            attempt(MAX_STEPS);
        }
    }

    private ChannelGraph result() {
        List<ChannelGraph.Channel> channels = new ArrayList<>();
        for (int channel = 0; channel < best.channels; channel++) {
            List<Integer> ranks = new ArrayList<>();
            for (int step = 0; step < gpus.size(); step++) {
                ranks.add(gpus.get(best.gpu(channel, step)).gpu().rank());
            }
            channels.add(new ChannelGraph.Channel(ranks, dev(best.inter[2 * channel]),
                    dev(best.inter[2 * channel + 1])));
        }
        return new ChannelGraph(best.pattern, channels, best.bwIntra, best.bwInter, best.typeIntra, best.typeInter,
                best.latencyInter, best.isSameChannels, best.crossNic);
    }

    private int dev(int net) {
        return nets.isEmpty() ? -1 : nets.get(net).net().dev();
    }

    private ChannelGraph fallback() {
        List<Integer> ranks = gpus.stream().map(gpu -> gpu.gpu().rank()).toList();
        return new ChannelGraph(best.pattern, List.of(new ChannelGraph.Channel(ranks, nets.isEmpty() ? -1 : dev(0),
                nets.isEmpty() ? -1 : dev(0))), FALLBACK_BANDWIDTH, FALLBACK_BANDWIDTH, PathType.SYS, PathType.SYS, 0,
                true, 0);
    }
}
