/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.runtime.ConnectionEnd;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Small all-reduces of GPUs in one shot: NCCL's {@code AllReduce_AGxLL_R}. Each rank is connected with all others, when
 * the first such all-reduce is launched.
 */
final class OneShot {
    /** As the kernel has room for. */
    static final int MOST_RANKS = 8;
    /** Connections of a rank, both ways: more for few ranks, as each of them takes memory. */
    private static final int PAIRS = 8;
    /** What is worth a channel. */
    private static final long LEAST_CHANNEL_BYTES = 8 << 10;

    private final RingSetup setup;
    private final PeerPorts[] ports;
    private boolean isConnected;

    /** Of channels behind those. */
    OneShot(RingSetup setup, int firstChannel) {
        this.setup = setup;
        this.ports = IntStream.range(firstChannel, firstChannel + channels(setup.nRanks()))
                .mapToObj(channel -> new PeerPorts(setup, channel, 0)).toArray(PeerPorts[]::new);
    }

    private static int channels(int nRanks) {
        return nRanks > MOST_RANKS || nRanks < 2 ? 0 : Math.max(1, PAIRS / nRanks);
    }

    /** Entries that the connections take of a table. */
    static int entries(int nRanks) {
        return 2 * nRanks * channels(nRanks);
    }

    boolean isConnected() {
        return isConnected;
    }

    int channels() {
        return ports.length;
    }

    /** How many channels share so many bytes. */
    int channels(long bytes) {
        return Math.clamp(bytes / LEAST_CHANNEL_BYTES, 1, ports.length);
    }

    /**
     * Connects with all ranks. Blocks until they do so too, each for the timeout at most.
     *
     * @return whether all ranks' kernels reach each other's lines; if not, nothing goes in one shot
     */
    boolean connect(Duration timeout) {
        int[] peers = IntStream.range(0, setup.nRanks()).filter(peer -> peer != setup.rank()).toArray();
        for (PeerPorts channel : ports) {
            channel.connect(timeout, peers);
        }
        isConnected = true;
        return setup.agree(Arrays.stream(peers).allMatch(this::isDirect));
    }

    private boolean isDirect(int peer) {
        return Arrays.stream(ports).map(channel -> channel.pair(peer))
                .allMatch(pair -> isDirect(pair.send()) && isDirect(pair.recv()));
    }

    private static boolean isDirect(ConnectionEnd end) {
        return end.device().isDirect(Protocol.LL);
    }

    PeerPorts.Pair pair(int channel, int peer) {
        return ports[channel].pair(peer);
    }
}
