/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The paths between the nodes of a graph, and what follows of them: where P2P and GPUDirect RDMA are used, which NICs
 * are a GPU's own, and where data go over another GPU to a NIC (PXN). Immutable.
 */
public final class Paths {
    private static final Comparator<TopologyPath> CLOSEST_FIRST = Comparator
            .comparingDouble((TopologyPath path) -> -path.bandwidth()).thenComparing(path -> path.type());

    private final TopologyGraph graph;
    private final PathRules rules;
    private final PathTable table;

    private Paths(TopologyGraph graph, PathRules rules) {
        this.graph = graph;
        this.rules = rules;
        this.table = new PathTable(graph, rules.isNvb());
    }

    /**
     * All paths, by the rules that NCCL or RCCL has for such a graph.
     *
     * @param graph of a host
     * @return the paths
     */
    public static Paths of(TopologyGraph graph) {
        return of(graph, NetDevsPolicy.AUTO);
    }

    /**
     * The same, with another number of adapters for each GPU.
     *
     * @param graph  of a host
     * @param policy that says how many
     * @return the paths
     */
    public static Paths of(TopologyGraph graph, NetDevsPolicy policy) {
        return of(graph, PathRules.of(graph).netDevs(policy));
    }

    /** All paths, by other rules. */
    static Paths of(TopologyGraph graph, PathRules rules) {
        Paths paths = new Paths(graph, rules);
        for (NodeType type : List.of(NodeType.CPU, NodeType.GPU, NodeType.NET, NodeType.NVS)) {
            graph.nodes(type).forEach(paths.table::findAll);
        }
        paths.divertGpus();
        paths.closeChips();
        for (TopologyNode net : graph.nodes(NodeType.NET)) {
            graph.nodes(NodeType.GPU).forEach(gpu -> paths.divertNet(gpu, net));
        }
        return paths;
    }

    /**
     * The graph that the paths are in.
     *
     * @return as given
     */
    public TopologyGraph graph() {
        return graph;
    }

    PathRules rules() {
        return rules;
    }

    /**
     * How to get from one node to another.
     *
     * @param from any node
     * @param to   a CPU, GPU, NVSwitch or device of a network
     * @return empty if there is no path
     */
    public Optional<TopologyPath> find(TopologyNode from, TopologyNode to) {
        return Optional.ofNullable(table.get(from, to));
    }

    /**
     * Whether a NIC reaches a GPU's memory by itself (GPUDirect RDMA). NCCL uses it only if both can, and are close.
     *
     * @param gpu whose memory
     * @param net a device of a network
     * @return false if data go through the host's memory
     */
    public boolean isGdr(TopologyNode gpu, TopologyNode net) {
        if (!gpu.gpu().isGdr() || !net.net().isGdr()) {
            return false;
        }
        TopologyPath path = table.get(gpu, net);
        if (path != null && path.type() == PathType.PXN) {
            return isGdr(proxy(gpu, net), net);
        }
        PathType level = rules.isRomeGdr() && isAtOneCpu(gpu, net) ? PathType.PHB : rules.gdrLevel();
        return path != null && path.type().compareTo(level) <= 0;
    }

    /**
     * The GPU whose proxy drives a NIC for another: with PXN the one that data go over.
     *
     * @param gpu that sends
     * @param net a device of a network
     * @return the GPU itself, unless data go over another
     */
    public TopologyNode proxy(TopologyNode gpu, TopologyNode net) {
        TopologyPath path = table.get(gpu, net);
        if (path == null || path.type() != PathType.PXN) {
            return gpu;
        }
        return path.links().stream().map(TopologyLink::to).filter(node -> node.type() == NodeType.GPU).findFirst()
                .orElse(gpu);
    }

    /**
     * The NIC that a channel of a GPU uses by itself: one of {@link #localNets}, in turn.
     *
     * @param gpu     any
     * @param channel from 0 on
     * @return empty if no NIC can be reached
     */
    public Optional<TopologyNode> localNet(TopologyNode gpu, int channel) {
        List<TopologyNode> nets = localNets(gpu);
        return nets.isEmpty() ? Optional.empty() : Optional.of(nets.get(channel % nets.size()));
    }

    /**
     * The NICs that a GPU uses by itself: of those that are closest to it as many as the policy says, from another one
     * on for each GPU that shares them.
     *
     * @param gpu any
     * @return those of its channels, in turn; empty if no NIC can be reached
     */
    public List<TopologyNode> localNets(TopologyNode gpu) {
        List<TopologyNode> nets = closest(gpu, NodeType.NET);
        if (nets.isEmpty()) {
            return nets;
        }
        int perGpu = rules.netDevs().perGpu(nets.size(), closest(nets.getFirst(), NodeType.GPU).size());
        int first = gpu.gpu().dev();
        if (Integer.bitCount(nets.size()) == 1) {
            first = mirrored(first, nets.size());
        }
        return IntStream.range(first, first + perGpu).mapToObj(net -> nets.get(net % nets.size())).toList();
    }

    /**
     * The GPU that a NIC belongs to.
     *
     * @param net a device of a network
     * @return empty if no GPU takes it for {@linkplain #localNet its own}
     */
    public Optional<TopologyNode> localGpu(TopologyNode net) {
        TopologyNode local = null;
        int least = Integer.MAX_VALUE;
        for (TopologyNode gpu : closest(net, NodeType.GPU)) {
            int channel = localNets(gpu).indexOf(net);
            if (channel == 0) {
                return Optional.of(gpu);
            }
            if (channel > 0 && channel < least) {
                local = gpu;
                least = channel;
            }
        }
        return Optional.ofNullable(local);
    }

    /** Of a type, those with the widest path, and of these the closest. */
    List<TopologyNode> closest(TopologyNode node, NodeType type) {
        List<TopologyNode> closest = new ArrayList<>();
        TopologyPath best = null;
        for (TopologyNode other : graph.nodes(type)) {
            TopologyPath path = table.get(node, other);
            int order = path == null ? 1 : best == null ? -1 : CLOSEST_FIRST.compare(path, best);
            if (order < 0) {
                closest.clear();
                best = path;
            }
            if (order <= 0) {
                closest.add(other);
            }
        }
        return closest;
    }

    /** The low bits the other way round, so that GPUs next to each other take NICs far from each other. */
    private static int mirrored(int value, int count) {
        int bits = Integer.numberOfTrailingZeros(count);
        return bits == 0 ? 0 : Integer.reverse(value & count - 1) >>> Integer.SIZE - bits;
    }

    private void divertGpus() {
        for (TopologyNode to : graph.nodes(NodeType.GPU)) {
            for (TopologyNode from : graph.nodes(NodeType.GPU)) {
                TopologyPath path = table.get(from, to);
                if (path == null || path.type().compareTo(rules.p2pLevel()) > 0) {
                    localCpu(to).ifPresent(cpu -> passOver(cpu, from, to));
                }
            }
        }
    }

    /** A NIC that a GPU's own CPU links to both is nearer than any other NIC at a CPU. */
    private void closeChips() {
        for (TopologyNode gpu : graph.nodes(NodeType.GPU)) {
            Optional<TopologyNode> cpu = localCpu(gpu);
            for (TopologyNode net : cpu.isEmpty() ? List.<TopologyNode>of() : closest(gpu, NodeType.NET)) {
                TopologyPath near = table.get(gpu, cpu.get());
                TopologyPath far = table.get(net, cpu.get());
                if (near != null && far != null && merged(near.type(), far.type()) == PathType.P2C) {
                    table.set(gpu, net, closer(table.get(gpu, net)));
                    table.set(net, gpu, closer(table.get(net, gpu)));
                }
            }
        }
    }

    private static TopologyPath closer(TopologyPath path) {
        return path.type(path.type().closer(PathType.P2C));
    }

    private void divertNet(TopologyNode gpu, TopologyNode net) {
        if (rules.isPxn()) {
            localGpu(net).filter(peer -> peer != gpu && isRelay(gpu, peer, net)).ifPresent(peer -> {
                passOver(peer, gpu, net);
                table.set(gpu, net, table.get(gpu, net).type(PathType.PXN));
            });
        }
        TopologyPath path = table.get(gpu, net);
        if (path != null && path.type().compareTo(PathType.PHB) < 0 && !isGdr(gpu, net)) {
            localCpu(gpu).ifPresent(cpu -> {
                passOver(cpu, net, gpu);
                passOver(cpu, gpu, net);
            });
        }
    }

    /** Whether the path over a peer pays: it is wider, or avoids the CPU. */
    private boolean isRelay(TopologyNode gpu, TopologyNode peer, TopologyNode net) {
        TopologyPath theirs = table.get(peer, net);
        TopologyPath across = table.get(peer, gpu);
        TopologyPath mine = table.get(gpu, net);
        return theirs != null && across != null && theirs.type().compareTo(PathType.P2C) <= 0 && isGdr(peer, net)
                && across.type().compareTo(PathType.NVL) <= 0
                && (mine == null || theirs.bandwidth() > mine.bandwidth() || mine.type().compareTo(PathType.PXN) > 0);
    }

    private void passOver(TopologyNode middle, TopologyNode from, TopologyNode to) {
        TopologyPath first = table.get(from, middle);
        TopologyPath second = table.get(middle, to);
        if (first == null || second == null) {
            return;
        }
        List<TopologyLink> links = new ArrayList<>(first.links());
        links.addAll(second.links());
        table.set(from, to, new TopologyPath(links, Math.min(first.bandwidth(), second.bandwidth()),
                merged(first.type(), second.type())));
    }

    private static PathType merged(PathType one, PathType other) {
        PathType far = one.farther(other);
        return far == PathType.PHB && one.closer(other) == PathType.C2C ? PathType.P2C : far;
    }

    private Optional<TopologyNode> localCpu(TopologyNode gpu) {
        return graph.nodes(NodeType.CPU).stream().filter(cpu -> table.get(gpu, cpu) != null)
                .min(Comparator.comparingInt(cpu -> table.get(gpu, cpu).hops()));
    }

    /** RCCL's rule: both are two links from the same CPU, and their buses are of one root complex by their numbers. */
    private boolean isAtOneCpu(TopologyNode gpu, TopologyNode net) {
        boolean isClose = graph.nodes(NodeType.CPU).stream().filter(cpu -> isTwoHops(gpu, cpu)).findFirst()
                .filter(cpu -> isTwoHops(net, cpu)).isPresent();
        return isClose && gpu.gpu().address().isPresent() && net.net().address().isPresent()
                && gpu.gpu().address().get().bus() >> 4 == net.net().address().get().bus() >> 4;
    }

    private boolean isTwoHops(TopologyNode node, TopologyNode cpu) {
        TopologyPath path = table.get(node, cpu);
        return path != null && path.hops() == 2;
    }
}
