/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.DoublingKernel;
import io.proxyrt.collectives.kernel.GroupKernel;
import io.proxyrt.collectives.kernel.Port;
import io.proxyrt.core.device.HostKernel;
import java.time.Duration;
import java.util.Arrays;

/** Small all-reduces by recursive doubling: this rank's partners, one for each round. */
final class Doubling implements HostWay {
    private final int rank;
    private final StepPorts ports;
    private final Port[] sends;
    private final Port[] recvs;
    private boolean isConnected;

    /** The number of ranks is a power of two. */
    Doubling(RingSetup setup, StepPorts ports) {
        int rounds = Integer.numberOfTrailingZeros(setup.nRanks());
        this.rank = setup.rank();
        this.ports = ports;
        this.sends = new Port[rounds];
        this.recvs = new Port[rounds];
    }

    @Override
    public boolean isConnected(CollectiveWork work) {
        return isConnected;
    }

    @Override
    public void connect(CollectiveWork work, Duration timeout) {
        int[] partners = new int[sends.length];
        Arrays.setAll(partners, this::partner);
        ports.connect(timeout, mostOps(), partners);
        for (int round = 0; round < sends.length; round++) {
            PeerPorts.Pair pair = ports.pair(partner(round));
            sends[round] = pair.sendPort();
            recvs[round] = pair.recvPort();
        }
        isConnected = true;
    }

    @Override
    public int mostOps() {
        return 2 * sends.length;
    }

    @Override
    public HostKernel prepare(GroupKernel launch, CollectiveWork wanted, LaunchOps ops) {
        DoublingKernel kernel = launch.take(DoublingKernel.class);
        wanted.copyTo(kernel.work());
        kernel.work().opCount(ops.nextCollective());
        for (int round = 0; round < sends.length; round++) {
            ops.doubling(ports.pair(partner(round)), kernel.work());
        }
        kernel.prepare(sends, recvs);
        return kernel;
    }

    private int partner(int round) {
        return rank ^ 1 << round;
    }
}
