/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveKernel;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.HierarchicalKernel;
import io.proxyrt.collectives.kernel.KernelPool;
import io.proxyrt.collectives.kernel.PartTable;
import io.proxyrt.collectives.kernel.RingGeometry;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.device.HostKernel;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * All-reduces by nodes that have equally many ranks, more than one. A ring of all ranks waits for the network in each
 * of its 2(n - 1) hops; here a ring within the node does without, and those over the nodes, one for each rank of a
 * node, have 2(nodes - 1) hops, of a rank's part each.
 */
final class Hierarchical implements HostWay {
    /** Of three rings, for each channel. */
    private static final int MOST_OPS = 6;

    /** As many as rings have channels. */
    private final StepPorts[] channels;
    private final LaunchPlanner planner;
    private final int nRanks;
    /** The ranks of this node, and where this rank is among them. */
    private final Members node;
    /** The ranks of all nodes that have this rank's place in theirs. */
    private final Members nodes;
    /** Of the node's ranks. */
    private final PartTable parts;
    private Group nodeGroup;
    private Group nodesGroup;

    Hierarchical(RingSetup setup, LaunchPlanner planner, StepPorts... channels) {
        this.channels = channels;
        this.planner = planner;
        this.nRanks = setup.nRanks();
        this.node = Members.ofNode(setup.nodes(), setup.rank());
        this.nodes = Members.ofPlace(setup.nodes(), setup.rank());
        this.parts = new PartTable(node.ranks().length);
    }

    /** Whether ranks on such nodes can do so. */
    static boolean isFor(Nodes nodes) {
        return nodes.count() > 1 && nodes.fewest() > 1 && nodes.fewest() == nodes.most();
    }

    /** A ring for each channel, that are connected. */
    private record Group(Ring[] rings, Supplier<CollectiveKernel> kernels) {
        static Group of(Members members, StepPorts[] channels, int divisor) {
            Ring[] rings = members.rings(channels);
            return new Group(rings, CollectiveKernel.source(members.order(), members.place(),
                    Ring.recv(rings), Ring.send(rings), divisor));
        }
    }

    @Override
    public boolean isConnected(CollectiveWork work) {
        return nodeGroup != null;
    }

    @Override
    public void connect(CollectiveWork work, Duration timeout) {
        int[] peers = IntStream.of(node.prev(), node.next(), nodes.prev(), nodes.next()).distinct().toArray();
        for (StepPorts channel : channels) {
            channel.connect(timeout, mostOps(), peers);
        }
        nodesGroup = Group.of(nodes, channels, nRanks);
        nodeGroup = Group.of(node, channels, nRanks);
    }

    @Override
    public int mostOps() {
        return MOST_OPS * channels.length;
    }

    @Override
    public HostKernel prepare(KernelPool kernels, CollectiveWork wanted, LaunchOps ops) {
        HierarchicalKernel kernel = kernels.take(HierarchicalKernel.class);
        CollectiveWork work = kernel.work();
        wanted.copyTo(work);
        parts.cut(work.bytes());
        ReduceOp op = work.op();
        List<CollectiveKernel> phases = kernel.begin(nodeGroup.kernels, nodesGroup.kernels);
        phases.get(0).work().function(CollFunction.REDUCE_SCATTERV, work.type(), op == RedOp.AVG ? RedOp.SUM : op, 0)
                .buffers(work.sendBuffer(), work.recvBuffer(), parts).areWhole();
        prepare(phases.get(0), nodeGroup, 0, parts.mostBytes(), ops);
        phases.get(1).work().function(CollFunction.ALL_REDUCE, work.type(), op instanceof PreMulSum ? RedOp.SUM : op, 0)
                .buffers(work.recvBuffer(), work.recvBuffer(), parts.bytes(node.place()));
        prepare(phases.get(1), nodesGroup, parts.offset(node.place()), parts.bytes(node.place()), ops);
        phases.get(2).work().function(CollFunction.ALL_GATHERV, work.type(), null, 0)
                .buffers(work.recvBuffer(), work.recvBuffer(), parts).areWhole();
        prepare(phases.get(2), nodeGroup, 0, parts.mostBytes(), ops);
        work.opCount(phases.get(0).work().opCount());
        return kernel;
    }

    private void prepare(CollectiveKernel phase, Group group, long offset, long bytes, LaunchOps ops) {
        planner.planSteps(phase.work());
        phase.work().opCount(ops.nextCollective());
        long part = RingGeometry.share(bytes, channels.length);
        for (int c = 0; c < channels.length; c++) {
            long length = Math.clamp(bytes - c * part, 0, part);
            RingGeometry geometry = phase.prepare(c, offset + c * part, length);
            if (length > 0) {
                ops.ring(group.rings[c], geometry, phase.work());
            }
        }
    }
}
