/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.gpu.LaunchArguments;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.RingGeometry;
import io.proxyrt.collectives.kernel.TreeGeometry;
import io.proxyrt.core.CollFunction;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Collectives of GPUs by trees. The channels of an all-reduce take turns with the two of a double tree; those of a
 * broadcast or a reduce all have the one with its root. Each channel has connections of its own with a rank, for all
 * trees.
 */
final class GpuTrees implements GpuWay {
    /** A word for each place has the ranks next to it, and this for none. */
    private static final long NONE = 0xffff;
    private static final int MOST_CHILDREN = 3;
    /** Whose ranks fit such a word. */
    static final int MOST_RANKS = (int) NONE;
    /** Each takes the memory of four connections both ways. */
    private static final int MOST_CHANNELS = 8;
    /** What is worth a channel. */
    private static final long LEAST_CHANNEL_BYTES = 16 << 10;
    /** Of a parent and three children, each both ways. */
    private static final int MOST_OPS_OF_CHANNEL = 8;

    private final CommunicatorParts parts;
    private final LaunchPlanner planner;
    private final LaunchOps ops;
    private final GpuLauncher launcher;
    private final int firstEntry;
    private final int rank;
    private final int nRanks;
    private final StepPorts[] channels;
    /** Of all-reduces; null before they are connected. */
    private final TreePlace[] doubled = new TreePlace[TreePlace.TREES];
    /** By root; null before they are connected. */
    private final TreePlace[] rooted;
    private final TreeGeometry geometry = new TreeGeometry();

    /** Of channels behind those, in the launcher's table from an entry on. */
    GpuTrees(CommunicatorParts parts, LaunchPlanner planner, LaunchOps ops, GpuLauncher launcher, int firstChannel,
            int firstEntry) {
        this.parts = parts;
        this.planner = planner;
        this.ops = ops;
        this.launcher = launcher;
        this.firstEntry = firstEntry;
        this.rank = parts.setup.rank();
        this.nRanks = parts.setup.nRanks();
        this.channels = IntStream.range(firstChannel, firstChannel + channels(parts.rings.length))
                .mapToObj(channel -> new StepPorts(parts, channel)).toArray(StepPorts[]::new);
        this.rooted = new TreePlace[nRanks];
    }

    /** One for each of two trees at least. */
    static int channels(int rings) {
        return rings == 0 ? 0 : Math.clamp(rings, TreePlace.TREES, MOST_CHANNELS);
    }

    /** Entries that the connections take of a table. */
    static int entries(int nRanks, int rings) {
        return nRanks > MOST_RANKS ? 0 : 2 * nRanks * channels(rings);
    }

    @Override
    public boolean isConnected(CollectiveWork work) {
        return place(work, channels.length - 1) != null;
    }

    private TreePlace place(CollectiveWork work, int channel) {
        return work.function() == CollFunction.ALL_REDUCE ? doubled[channel % doubled.length] : rooted[work.root()];
    }

    @Override
    public void connect(CollectiveWork work, Duration timeout) {
        boolean isDoubled = work.function() == CollFunction.ALL_REDUCE;
        TreePlace[] places = isDoubled ? doubled : new TreePlace[1];
        for (int tree = 0; tree < places.length; tree++) {
            places[tree] = isDoubled ? TreePlace.of(parts.setup.nodes(), rank, tree)
                    : TreePlace.rooted(parts.setup.nodes(), rank, work.root());
        }
        for (int channel = 0; channel < channels.length; channel++) {
            connect(channel, places[channel % places.length], timeout);
        }
        if (!isDoubled) {
            rooted[work.root()] = places[0];
        }
    }

    private void connect(int channel, TreePlace place, Duration timeout) {
        StepPorts ports = channels[channel];
        int[] missing = IntStream.concat(IntStream.of(place.up()).filter(up -> up >= 0),
                place.down().stream().mapToInt(Integer::intValue)).filter(peer -> ports.pair(peer) == null).toArray();
        ports.connect(timeout, MOST_OPS_OF_CHANNEL * channels.length, missing);
        for (int peer : missing) {
            launcher.put(entry(channel, peer), ports.pair(peer));
        }
    }

    private int entry(int channel, int peer) {
        return firstEntry + 2 * (peer * channels.length + channel);
    }

    @Override
    public boolean isLoaded(CollectiveWork work) {
        return launcher.programs().isTreeLoaded(work.type(), work.op());
    }

    @Override
    public void load(CollectiveWork work) {
        launcher.programs().loadTree(work.type(), work.op());
    }

    @Override
    public boolean launch(CollectiveWork work, int phase) {
        planner.planSteps(work);
        work.opCount(ops.nextCollective());
        int count = Math.clamp(work.bytes() / LEAST_CHANNEL_BYTES, 1, channels.length);
        long partBytes = RingGeometry.share(work.bytes(), count);
        for (int channel = 0; channel < count; channel++) {
            long bytes = Math.min(partBytes, work.bytes() - channel * partBytes);
            if (bytes > 0) {
                appendOps(channel, bytes, work);
            }
        }
        ops.post();
        LaunchArguments arguments = launcher.programs().treeArguments();
        arguments.set(0, work.function().ordinal() | work.protocol().ordinal() << Byte.SIZE
                | (long) work.stamp() << Integer.SIZE);
        arguments.set(1, nRanks);
        arguments.set(2, entry(0, 0));
        arguments.set(3, entry(0, 1) - entry(0, 0));
        arguments.set(4, word(place(work, 0)));
        arguments.set(5, word(place(work, 1)));
        launcher.setBuffers(arguments, 6, work);
        arguments.set(8, work.bytes());
        arguments.set(9, partBytes);
        launcher.setScalar(arguments, 10, work);
        launcher.launch(launcher.programs().tree(work.type(), work.op()),
                work.function() == CollFunction.ALL_REDUCE ? 2 * count : count, arguments);
        return true;
    }

    private void appendOps(int channel, long bytes, CollectiveWork work) {
        StepPorts ports = channels[channel];
        TreePlace place = place(work, channel);
        geometry.compute(bytes, parts.rings[0].dataBytes(work.protocol()), nRanks);
        if (place.up() >= 0) {
            ops.tree(ports.pair(place.up()), true, geometry, work);
        }
        for (int child : place.down()) {
            ops.tree(ports.pair(child), false, geometry, work);
        }
    }

    private static long word(TreePlace place) {
        List<Integer> down = place.down();
        long word = place.up() < 0 ? NONE : place.up();
        for (int child = 0; child < MOST_CHILDREN; child++) {
            word |= (child < down.size() ? down.get(child) : NONE) << Short.SIZE * (1 + child);
        }
        return word;
    }
}
