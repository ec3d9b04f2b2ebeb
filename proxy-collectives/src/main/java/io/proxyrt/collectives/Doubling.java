/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.DoublingKernel;
import io.proxyrt.collectives.kernel.Port;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * Small all-reduces by recursive doubling: this rank's partners, one for each round, and its kernels. The partners are
 * connected when the first such all-reduce is launched.
 */
final class Doubling {
    private final int rank;
    private final PeerPorts ports;
    private final Port[] sends;
    private final Port[] recvs;
    private final HostLauncher launcher;
    private final DoublingKernel[] kernels;
    private boolean isConnected;

    /** The number of ranks is a power of two. */
    Doubling(RingSetup setup, int channel, HostLauncher launcher) {
        int rounds = Integer.numberOfTrailingZeros(setup.nRanks());
        this.rank = setup.rank();
        this.ports = new PeerPorts(setup, channel, 0);
        this.sends = new Port[rounds];
        this.recvs = new Port[rounds];
        this.launcher = launcher;
        this.kernels = Stream.generate(launcher.doublings()).limit(launcher.capacity()).toArray(DoublingKernel[]::new);
    }

    boolean isConnected() {
        return isConnected;
    }

    /** Blocks until all partners have called it, each for the timeout at most. */
    void connect(Duration timeout) {
        int[] partners = new int[sends.length];
        Arrays.setAll(partners, this::partner);
        ports.connect(timeout, partners);
        for (int round = 0; round < sends.length; round++) {
            PeerPorts.Pair pair = ports.pair(partner(round));
            sends[round] = pair.sendPort();
            recvs[round] = pair.recvPort();
        }
        isConnected = true;
    }

    /** The kernel of the next launch. */
    DoublingKernel kernel() {
        return kernels[launcher.next()];
    }

    /** Ops of a kernel, at most. */
    int rounds() {
        return sends.length;
    }

    /** Prepares a kernel that knows its work, and tells the proxy of it; posting is the caller's. */
    void prepare(DoublingKernel kernel, LaunchOps ops) {
        long opCount = ops.nextCollective();
        kernel.work().opCount(opCount);
        for (int round = 0; round < sends.length; round++) {
            ops.doubling(opCount, ports.pair(partner(round)), kernel.work());
        }
        kernel.prepare(sends, recvs);
    }

    private int partner(int round) {
        return rank ^ 1 << round;
    }
}
