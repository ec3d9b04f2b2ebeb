/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.DoublingKernel;
import io.proxyrt.collectives.kernel.Port;
import java.time.Duration;
import java.util.Arrays;

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
        this.kernels = DoublingKernel.create(launcher.capacity(), setup.nRanks());
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

    /** What the next launch shall do. */
    CollectiveWork work() {
        return kernels[launcher.next()].work();
    }

    /** Tells the proxy of {@link #work}; posting is the caller's. */
    void append(LaunchOps ops) {
        long opCount = ops.nextCollective();
        work().opCount(opCount);
        for (int round = 0; round < sends.length; round++) {
            ops.doubling(opCount, ports.pair(partner(round)), work());
        }
    }

    void launch() {
        DoublingKernel kernel = kernels[launcher.next()];
        kernel.prepare(sends, recvs);
        launcher.launch(kernel);
    }

    private int partner(int round) {
        return rank ^ 1 << round;
    }
}
