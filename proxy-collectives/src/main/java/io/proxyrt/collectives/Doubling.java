/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.DoublingKernel;
import io.proxyrt.collectives.kernel.KernelPool;
import io.proxyrt.collectives.kernel.Port;
import io.proxyrt.core.device.HostKernel;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Small all-reduces by recursive doubling, by the places that ranks have in rings: so the first rounds are within
 * nodes. If the number of ranks is no power of two, the first even places are folded: their neighbours take part for
 * them, too.
 */
final class Doubling implements HostWay {
    private final StepPorts ports;
    /** With whom data are exchanged, each once. */
    private final int[] partners;
    private final boolean isFolded;
    private final boolean takesFolded;
    private Port[] sends;
    private Port[] recvs;

    Doubling(RingSetup setup, StepPorts ports) {
        this.ports = ports;
        int place = setup.order().place(setup.rank());
        this.partners = Arrays.stream(partners(place, setup.nRanks())).map(setup.order()::rank).toArray();
        int excess = setup.nRanks() - Integer.highestOneBit(setup.nRanks());
        this.isFolded = place < 2 * excess && place % 2 == 0;
        this.takesFolded = place < 2 * excess && !isFolded;
    }

    /** With which places one exchanges data, in order; a folded one comes first. */
    static int[] partners(int place, int nRanks) {
        int excess = nRanks - Integer.highestOneBit(nRanks);
        if (place < 2 * excess && place % 2 == 0) {
            return new int[] {place + 1};
        }
        int member = place < 2 * excess ? place / 2 : place - excess;
        IntStream rounds = IntStream.range(0, Integer.numberOfTrailingZeros(nRanks - excess))
                .map(round -> member ^ 1 << round).map(other -> other < excess ? 2 * other + 1 : other + excess);
        return (place < 2 * excess ? IntStream.concat(IntStream.of(place - 1), rounds) : rounds).toArray();
    }

    @Override
    public boolean isConnected(CollectiveWork work) {
        return sends != null;
    }

    @Override
    public void connect(CollectiveWork work, Duration timeout) {
        ports.connect(timeout, mostOps(), partners);
        recvs = Arrays.stream(partners).mapToObj(partner -> ports.pair(partner).recvPort()).toArray(Port[]::new);
        sends = Arrays.stream(partners).mapToObj(partner -> ports.pair(partner).sendPort()).toArray(Port[]::new);
        if (takesFolded) {
            sends = Arrays.copyOf(sends, partners.length + 1);
            sends[partners.length] = sends[0];
            sends[0] = null;
        }
    }

    @Override
    public int mostOps() {
        return 2 * partners.length;
    }

    @Override
    public HostKernel prepare(KernelPool kernels, CollectiveWork wanted, LaunchOps ops) {
        DoublingKernel kernel = kernels.take(DoublingKernel.class);
        wanted.copyTo(kernel.work());
        kernel.work().opCount(ops.nextCollective());
        for (int partner : partners) {
            ops.doubling(ports.pair(partner), kernel.work());
        }
        kernel.prepare(sends, recvs, isFolded);
        return kernel;
    }
}
