/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.KernelPool;
import io.proxyrt.collectives.kernel.LogKernel;
import io.proxyrt.collectives.kernel.LogRound;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.device.HostKernel;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Small all-gathers and reduce-scatters in log₂ n rounds, with the ranks at distances of 1, 2, 4 and so on. */
final class LogSteps implements HostWay {
    private final int rank;
    private final int nRanks;
    private final StepPorts ports;
    private final int rounds;
    /** In the order of rounds: null before they are connected. */
    private LogRound[] gathering;
    private LogRound[] scattering;

    LogSteps(RingSetup setup, StepPorts ports) {
        this.rank = setup.rank();
        this.nRanks = setup.nRanks();
        this.ports = ports;
        this.rounds = rounds(nRanks);
    }

    private static int rounds(int nRanks) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(nRanks - 1);
    }

    /** The most parts of a round. */
    static int mostParts(int nRanks) {
        return IntStream.range(0, rounds(nRanks)).map(round -> LogRound.parts(1 << round, nRanks)).max().orElse(0);
    }

    @Override
    public boolean isConnected(CollectiveWork work) {
        return gathering != null;
    }

    @Override
    public void connect(CollectiveWork work, Duration timeout) {
        ports.connect(timeout, mostOps(), IntStream.range(0, rounds)
                .flatMap(round -> IntStream.of(away(1 << round), away(-1 << round))).distinct().toArray());
        LogRound[] gathered = new LogRound[rounds];
        Arrays.setAll(gathered, this::gather);
        LogRound[] scattered = new LogRound[rounds];
        Arrays.setAll(scattered, round -> scatter(rounds - 1 - round));
        scattering = scattered;
        gathering = gathered;
    }

    private LogRound gather(int round) {
        int distance = 1 << round;
        return new LogRound(ports.pair(away(-distance)).sendPort(), ports.pair(away(distance)).recvPort(), 0, distance,
                LogRound.parts(distance, nRanks));
    }

    private LogRound scatter(int round) {
        int distance = 1 << round;
        return new LogRound(ports.pair(away(distance)).sendPort(), ports.pair(away(-distance)).recvPort(), distance, 0,
                LogRound.parts(distance, nRanks));
    }

    private int away(int distance) {
        return Math.floorMod(rank + distance, nRanks);
    }

    @Override
    public int mostOps() {
        return 2 * rounds;
    }

    @Override
    public HostKernel prepare(KernelPool kernels, CollectiveWork wanted, LaunchOps ops) {
        LogKernel kernel = kernels.take(LogKernel.class);
        CollectiveWork work = kernel.work();
        wanted.copyTo(work);
        work.opCount(ops.nextCollective());
        boolean isGathering = work.function() == CollFunction.ALL_GATHER;
        for (int round = 0; round < rounds; round++) {
            long bytes = gathering[round].parts() * work.bytes();
            PeerPorts.Pair next = ports.pair(away(1 << round));
            PeerPorts.Pair previous = ports.pair(away(-1 << round));
            ops.round(isGathering ? previous : next, isGathering ? next : previous, bytes, work);
        }
        kernel.prepare(isGathering ? gathering : scattering);
        return kernel;
    }
}
