/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.PeerLink;
import io.proxyrt.collectives.kernel.Port;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.runtime.ConnectionEnd;
import java.time.Duration;
import java.util.Arrays;

/**
 * Connections both ways with other ranks, made when they are first needed. The ranks of a pair connect both ways at
 * once: so it does not matter which of them sends first.
 */
final class PeerPorts {
    private final RingSetup setup;
    private final int channel;
    private final int connIndex;
    private final Pair[] pairs;

    /** Ports of that channel and connIndex, none connected. */
    PeerPorts(RingSetup setup, int channel, int connIndex) {
        this.setup = setup;
        this.channel = channel;
        this.connIndex = connIndex;
        this.pairs = new Pair[setup.nRanks()];
    }

    /** Both connections with a rank, and the kernels' way to use them. */
    record Pair(ConnectionEnd send, Port sendPort, ConnectionEnd recv, Port recvPort) {
        long stepBytes(Protocol protocol) {
            return send.device().stepBytes(protocol);
        }
    }

    Pair pair(int peer) {
        return pairs[peer];
    }

    /** Connects with these ranks, as far as that was not done. */
    void connect(Duration timeout, int... peers) {
        int[] missing = Arrays.stream(peers).filter(peer -> pairs[peer] == null).distinct().toArray();
        for (PeerLink link : setup.connect(channel, connIndex, timeout, missing)) {
            pairs[link.peer()] = new Pair(link.send(), port(link.send(), true), link.recv(), port(link.recv(), false));
            SetUpLog.connected(setup, link.send(), link.recv());
        }
    }

    private Port port(ConnectionEnd end, boolean isSend) {
        return setup.isOnGpu() ? Port.forGpu(end.device(), isSend, setup.llBytes())
                : Port.of(end.device(), isSend, setup.llBytes());
    }
}
