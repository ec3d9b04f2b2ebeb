/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.gpu.LaunchArguments;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.RingGeometry;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.runtime.ConnectionEnd;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Small collectives of GPUs in one shot, and all-reduces in two: NCCL's {@code AllReduce_AGxLL_R},
 * {@code AllGather_LL}, {@code ReduceScatter_LL}, and {@code AllReduce_RSxLL_AG}. Each rank is connected with all
 * others, when the first such collective is launched.
 */
final class OneShot implements GpuWay {
    /** As the kernel has room for. */
    static final int MOST_RANKS = 8;
    /** What of a part is worth a channel: a line for each thread. */
    private static final long LEAST_CHANNEL_BYTES = 4 << 10;
    /** As the kernel's Shot. */
    private static final int SCATTER = 1;
    private static final int REDUCE = 2;
    private static final int GATHER = 4;

    private final RingSetup setup;
    private final LaunchPlanner planner;
    private final LaunchOps ops;
    private final GpuLauncher launcher;
    private final int firstEntry;
    private final PeerPorts[] ports;
    private boolean isConnected;

    /** Of channels behind those, in the launcher's table from an entry on. */
    OneShot(RingSetup setup, LaunchPlanner planner, LaunchOps ops, GpuLauncher launcher, int firstChannel,
            int firstEntry) {
        this.setup = setup;
        this.planner = planner;
        this.ops = ops;
        this.launcher = launcher;
        this.firstEntry = firstEntry;
        this.ports = IntStream.range(firstChannel, firstChannel + channels(setup))
                .mapToObj(channel -> new PeerPorts(setup, channel, 0)).toArray(PeerPorts[]::new);
    }

    /** How many channels it has. */
    static int channels(RingSetup setup) {
        int nRanks = setup.nRanks();
        return nRanks > MOST_RANKS || nRanks < 2 ? 0 : setup.path().shotPairs() / nRanks;
    }

    /** Entries that the connections take of a table. */
    static int entries(RingSetup setup) {
        return 2 * setup.nRanks() * channels(setup);
    }

    @Override
    public boolean isConnected(CollectiveWork work) {
        return isConnected;
    }

    /** Nothing goes in one shot if not all ranks' kernels reach each other's lines. */
    @Override
    public void connect(CollectiveWork work, Duration timeout) {
        int[] peers = IntStream.range(0, setup.nRanks()).filter(peer -> peer != setup.rank()).toArray();
        for (PeerPorts channel : ports) {
            channel.connect(timeout, peers);
        }
        isConnected = true;
        boolean areDirect = setup.agree(Arrays.stream(peers).allMatch(this::isDirect));
        for (int channel = 0; channel < ports.length && areDirect; channel++) {
            for (int peer : peers) {
                launcher.put(firstEntry + 2 * (channel * setup.nRanks() + peer), ports[channel].pair(peer));
            }
        }
        planner.oneShot(areDirect);
    }

    private boolean isDirect(int peer) {
        return Arrays.stream(ports).map(channel -> channel.pair(peer))
                .allMatch(pair -> isDirect(pair.send()) && isDirect(pair.recv()));
    }

    private static boolean isDirect(ConnectionEnd end) {
        return end.device().isDirect(Protocol.LL);
    }

    /** In the program of the ring of the same reduction. */
    @Override
    public boolean isLoaded(CollectiveWork work) {
        return launcher.isLoaded(work);
    }

    @Override
    public void load(CollectiveWork work) {
        launcher.load(work);
    }

    @Override
    public boolean launch(CollectiveWork work, int phase) {
        work.opCount(ops.nextCollective());
        int how = how(work.function(), work.bytes());
        boolean isWhole = how == REDUCE;
        long stride = isWhole ? 0 : isTwice(how) ? RingGeometry.share(work.bytes(), setup.nRanks()) : work.bytes();
        long part = isTwice(how) ? Math.min(stride, work.bytes()) : work.bytes();
        int channels = Math.clamp(part / LEAST_CHANNEL_BYTES, 1, ports.length);
        LaunchArguments arguments = launcher.programs().oneShotArguments();
        arguments.set(0, how | (long) work.stamp() << Integer.SIZE);
        arguments.set(1, setup.rank() | (long) setup.nRanks() << Integer.SIZE);
        arguments.set(2, firstEntry);
        launcher.setBuffers(arguments, 3, work);
        arguments.set(5, work.bytes());
        arguments.set(6, stride);
        arguments.set(7, RingGeometry.share(part, channels));
        launcher.setScalar(arguments, 8, work);
        launcher.launch(launcher.programs().oneShot(work.type(), work.op()), channels, arguments);
        return true;
    }

    private int how(CollFunction function, long bytes) {
        return switch (function) {
            case ALL_GATHER -> GATHER;
            case REDUCE_SCATTER -> SCATTER | REDUCE;
            default -> planner.isInTwoShots(bytes) ? SCATTER | REDUCE | GATHER : REDUCE;
        };
    }

    private static boolean isTwice(int how) {
        return how == (SCATTER | REDUCE | GATHER);
    }
}
