/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.KernelPool;
import io.proxyrt.collectives.kernel.Port;
import io.proxyrt.collectives.kernel.RingGeometry;
import io.proxyrt.collectives.kernel.TreeGeometry;
import io.proxyrt.collectives.kernel.TreeKernel;
import io.proxyrt.collectives.kernel.TreePorts;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.device.HostKernel;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Collectives by trees. An all-reduce goes by two, half of the data by each, or by one if it is small; a broadcast or a
 * reduce by one that has its root.
 */
final class Trees implements HostWay {
    /** Up to which size a second tree costs more than it saves. */
    private static final long ONE_TREE_BYTES = 32 << 10;
    /** A parent and three children, each both ways. */
    private static final int MOST_OPS_OF_TREE = 8;

    private final int rank;
    private final int nRanks;
    private final Nodes nodes;
    private final LaunchPlanner planner;
    private final StepPorts[] channels;
    /** Of all-reduces, one for each channel; null before they are connected. */
    private final Place[] doubled = new Place[TreePlace.TREES];
    /** By root; null before they are connected. */
    private final Place[] rooted;

    /** Each tree has connections of its own. */
    Trees(RingSetup setup, LaunchPlanner planner, StepPorts... channels) {
        this.rank = setup.rank();
        this.nRanks = setup.nRanks();
        this.nodes = setup.nodes();
        this.planner = planner;
        this.channels = channels;
        this.rooted = new Place[nRanks];
    }

    /** A place that is connected. */
    private record Place(StepPorts channel, TreePlace tree, TreePorts ports) {
        static Place of(StepPorts channel, TreePlace tree) {
            PeerPorts.Pair up = tree.up() < 0 ? null : channel.pair(tree.up());
            List<PeerPorts.Pair> down = tree.down().stream().map(channel::pair).toList();
            return new Place(channel, tree, new TreePorts(up == null ? null : up.sendPort(),
                    up == null ? null : up.recvPort(), down.stream().map(PeerPorts.Pair::sendPort).toArray(Port[]::new),
                    down.stream().map(PeerPorts.Pair::recvPort).toArray(Port[]::new)));
        }
    }

    @Override
    public boolean isConnected(CollectiveWork work) {
        return work.function() == CollFunction.ALL_REDUCE ? doubled[doubled.length - 1] != null
                : rooted[work.root()] != null;
    }

    @Override
    public void connect(CollectiveWork work, Duration timeout) {
        if (work.function() != CollFunction.ALL_REDUCE) {
            rooted[work.root()] = connect(channels[0], TreePlace.rooted(nodes, rank, work.root()), timeout);
            return;
        }
        for (int tree = 0; tree < doubled.length; tree++) {
            doubled[tree] = connect(channels[tree], TreePlace.of(nodes, rank, tree), timeout);
        }
    }

    private Place connect(StepPorts channel, TreePlace tree, Duration timeout) {
        channel.connect(timeout, mostOps(), IntStream.concat(IntStream.of(tree.up()).filter(up -> up >= 0),
                tree.down().stream().mapToInt(Integer::intValue)).toArray());
        return Place.of(channel, tree);
    }

    @Override
    public int mostOps() {
        return MOST_OPS_OF_TREE * TreePlace.TREES;
    }

    @Override
    public HostKernel prepare(KernelPool kernels, CollectiveWork wanted, LaunchOps ops) {
        TreeKernel kernel = kernels.take(TreeKernel.class);
        CollectiveWork work = kernel.work();
        wanted.copyTo(work);
        planner.planSteps(work);
        work.opCount(ops.nextCollective());
        if (work.function() != CollFunction.ALL_REDUCE) {
            prepare(kernel, 0, rooted[work.root()], 0, work.bytes(), ops);
        } else if (work.bytes() <= ONE_TREE_BYTES) {
            prepare(kernel, 0, doubled[0], 0, work.bytes(), ops);
        } else {
            long half = RingGeometry.alignUp(work.bytes() / 2);
            prepare(kernel, 0, doubled[0], 0, half, ops);
            prepare(kernel, 1, doubled[1], half, work.bytes() - half, ops);
        }
        return kernel;
    }

    private void prepare(TreeKernel kernel, int tree, Place place, long offset, long bytes, LaunchOps ops) {
        TreeGeometry geometry = kernel.prepare(tree, place.ports, offset, bytes);
        if (place.tree.up() >= 0) {
            ops.tree(place.channel.pair(place.tree.up()), true, geometry, kernel.work());
        }
        for (int i = 0; i < place.tree.down().size(); i++) {
            ops.tree(place.channel.pair(place.tree.down().get(i)), false, geometry, kernel.work());
        }
    }
}
