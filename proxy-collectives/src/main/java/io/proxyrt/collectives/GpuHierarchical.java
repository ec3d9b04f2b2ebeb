/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.gpu.LaunchArguments;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.PartTable;
import io.proxyrt.collectives.kernel.RingGeometry;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ReduceOp;
import java.time.Duration;
import java.util.stream.IntStream;

/**
 * All-reduces of GPUs by nodes that have equally many ranks, more than one: the rings of {@link Hierarchical}, and the
 * kernel of rings for each of them, one after the other. Each rank moves a part of its own between nodes, by an adapter
 * of its own if it has one.
 */
final class GpuHierarchical implements GpuWay {
    /** Within the node, over the nodes, and within the node again. */
    private static final int PHASES = 3;
    /** Of a channel, both ways. */
    private static final int MOST_OPS_OF_CHANNEL = 2 * PHASES;
    /** Each takes the memory of two rings'. */
    private static final int MOST_CHANNELS = 8;
    private static final long LEAST_CHANNEL_BYTES = 16 << 10;

    private final LaunchPlanner planner;
    private final LaunchOps ops;
    private final GpuLauncher launcher;
    private final int firstEntry;
    private final int nRanks;
    private final StepPorts[] channels;
    private final Members node;
    private final Members nodes;
    /** Of the node's ranks. */
    private final PartTable parts;
    private final CollectiveWork within;
    private final CollectiveWork between;
    private final RingGeometry geometry = new RingGeometry();
    /** Null before they are connected. */
    private Ring[] nodeRings;
    private Ring[] nodesRings;

    /** Of channels behind those, in the launcher's table from an entry on; of nodes that are alike. */
    GpuHierarchical(CommunicatorParts parts, LaunchPlanner planner, LaunchOps ops, GpuLauncher launcher,
            int firstChannel, int firstEntry) {
        this.planner = planner;
        this.ops = ops;
        this.launcher = launcher;
        this.firstEntry = firstEntry;
        this.nRanks = parts.setup.nRanks();
        this.channels = IntStream.range(firstChannel, firstChannel + channels(parts.rings.length))
                .mapToObj(channel -> new StepPorts(parts, channel)).toArray(StepPorts[]::new);
        this.node = Members.ofNode(parts.setup.nodes(), parts.setup.rank());
        this.nodes = Members.ofPlace(parts.setup.nodes(), parts.setup.rank());
        this.parts = new PartTable(node.ranks().length);
        this.within = new CollectiveWork(node.ranks().length);
        this.between = new CollectiveWork(nodes.ranks().length);
    }

    private static int channels(int rings) {
        return Math.min(rings, MOST_CHANNELS);
    }

    /** Entries that the connections take of a table. */
    static int entries(int rings) {
        return 4 * channels(rings);
    }

    @Override
    public boolean isConnected(CollectiveWork work) {
        return nodeRings != null;
    }

    @Override
    public void connect(CollectiveWork work, Duration timeout) {
        int[] peers = IntStream.of(node.prev(), node.next(), nodes.prev(), nodes.next()).distinct().toArray();
        for (StepPorts channel : channels) {
            channel.connect(timeout, MOST_OPS_OF_CHANNEL * channels.length, peers);
        }
        nodesRings = put(nodes, firstEntry + 2 * channels.length);
        nodeRings = put(node, firstEntry);
    }

    private Ring[] put(Members members, int entry) {
        Ring[] rings = members.rings(channels);
        for (Ring ring : rings) {
            launcher.put(entry + 2 * ring.channel(), ring.recv(), ring.send());
        }
        return rings;
    }

    /** The inputs are multiplied by the first ring alone. */
    private static ReduceOp between(ReduceOp op) {
        return op instanceof PreMulSum ? RedOp.SUM : op;
    }

    @Override
    public boolean isLoaded(CollectiveWork work) {
        return launcher.programs().isLoaded(work.type(), work.op())
                && launcher.programs().isLoaded(work.type(), between(work.op()));
    }

    @Override
    public void load(CollectiveWork work) {
        for (ReduceOp op : new ReduceOp[] {work.op(), between(work.op())}) {
            if (!launcher.programs().isLoaded(work.type(), op)) {
                launcher.programs().load(work.type(), op);
            }
        }
    }

    @Override
    public int phases() {
        return PHASES;
    }

    @Override
    public boolean launch(CollectiveWork work, int phase) {
        parts.cut(work.bytes());
        return switch (phase) {
            case 0 -> scatter(work);
            case 1 -> reduce(work);
            default -> gather(work);
        };
    }

    private boolean scatter(CollectiveWork work) {
        within.function(CollFunction.REDUCE_SCATTERV, work.type(), work.op(), 0)
                .buffers(work.sendBuffer(), work.recvBuffer(), parts);
        LaunchArguments arguments = prepare(within, parts.mostBytes(), node, nodeRings);
        // The sum of the node's ranks, which is not all of it.
        arguments.set(2, 1L << Integer.SIZE);
        arguments.set(3, launcher.address(work.sendBuffer(), 0, work.bytes()));
        arguments.set(4, own(work));
        arguments.set(7, table());
        launcher.setScalar(arguments, 8, work);
        arguments.set(14, firstEntry);
        return launch(within, arguments);
    }

    private boolean reduce(CollectiveWork work) {
        long bytes = parts.bytes(node.place());
        between.function(CollFunction.ALL_REDUCE, work.type(), between(work.op()), 0)
                .buffers(work.recvBuffer(), work.recvBuffer(), bytes);
        LaunchArguments arguments = prepare(between, bytes, nodes, nodesRings);
        arguments.set(2, (long) nRanks << Integer.SIZE);
        arguments.set(3, own(work));
        arguments.set(4, own(work));
        arguments.set(14, firstEntry + 2L * channels.length);
        return launch(between, arguments);
    }

    private boolean gather(CollectiveWork work) {
        within.function(CollFunction.ALL_GATHERV, work.type(), null, 0)
                .buffers(work.recvBuffer(), work.recvBuffer(), parts);
        LaunchArguments arguments = prepare(within, parts.mostBytes(), node, nodeRings);
        arguments.set(3, own(work));
        arguments.set(4, launcher.address(work.recvBuffer(), 0, work.bytes()));
        arguments.set(7, table());
        arguments.set(14, firstEntry);
        return launch(within, arguments);
    }

    /** Where this rank's part of the outcome lies. */
    private long own(CollectiveWork work) {
        return launcher.address(work.recvBuffer(), parts.offset(node.place()), parts.bytes(node.place()));
    }

    private long table() {
        LaunchTables tables = launcher.tables();
        long address = tables.begin();
        for (int i = 0; i < node.ranks().length; i++) {
            int place = node.order().rank(i);
            tables.add(parts.bytes(place));
            tables.add(parts.offset(place));
        }
        return address;
    }

    /** Tells the proxy of a phase, and the kernel what all have. */
    private LaunchArguments prepare(CollectiveWork phase, long bytes, Members members, Ring[] rings) {
        planner.planSteps(phase);
        phase.opCount(ops.nextCollective());
        long partBytes = RingGeometry.share(bytes, count(bytes));
        for (int channel = 0; channel * partBytes < bytes; channel++) {
            Protocol protocol = phase.protocol();
            geometry.compute(phase.function(), members.ranks().length, Math.min(partBytes, bytes - channel * partBytes),
                    rings[channel].dataBytes(protocol), protocol == Protocol.SIMPLE ? RingGeometry.MAX_CHUNK_STEPS : 1,
                    phase.wholeChunk());
            ops.ring(rings[channel], geometry, phase);
        }
        LaunchArguments arguments = launcher.programs().ringArguments();
        arguments.clear();
        arguments.set(0, GpuLauncher.kernelFunction(phase.function()).ordinal()
                | phase.protocol().ordinal() << Byte.SIZE | (long) phase.stamp() << Integer.SIZE);
        arguments.set(1, members.order().place(members.place()) | (long) members.ranks().length << Integer.SIZE);
        arguments.set(5, bytes);
        arguments.set(6, partBytes);
        return arguments;
    }

    private int count(long bytes) {
        return Math.clamp(bytes / LEAST_CHANNEL_BYTES, 1, channels.length);
    }

    /** Nothing if the buffer is so small that this rank has no part of it. */
    private boolean launch(CollectiveWork phase, LaunchArguments arguments) {
        ops.post();
        if (phase.bytes() > 0) {
            launcher.launch(launcher.programs().ring(phase.type(), phase.op()), count(phase.bytes()), arguments);
        }
        return phase.bytes() > 0;
    }
}
