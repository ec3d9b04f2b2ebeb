/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.Port;
import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.runtime.Connector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

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

    /**
     * Connects with these ranks, as far as that was not done. Tells all before it waits for any: so no two wait for
     * each other, and who has told nothing in time is the one that does not take part. Then they connect in turn.
     */
    void connect(Duration timeout, int... peers) {
        List<Pending> all = new ArrayList<>();
        for (int peer : peers) {
            if (pairs[peer] == null && all.stream().noneMatch(pending -> pending.peer == peer)) {
                all.add(announce(peer));
            }
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        for (Pending pending : all) {
            pending.sendInfo = receive(pending.peer, Direction.RECV, timeout, deadline);
            pending.recvInfo = receive(pending.peer, Direction.SEND, timeout, deadline);
        }
        Connecting connecting = new Connecting();
        all.forEach(pending -> pending.begin(connecting));
        all.forEach(pending -> finish(pending, connecting, timeout));
    }

    private static final class Pending {
        private final int peer;
        private final Connector send;
        private final Connector recv;
        private byte[] sendInfo;
        private byte[] recvInfo;

        Pending(int peer, Connector send, Connector recv) {
            this.peer = peer;
            this.send = send;
            this.recv = recv;
        }

        void begin(Connecting connecting) {
            connecting.begin(send, sendInfo);
            connecting.begin(recv, recvInfo);
        }
    }

    private Pending announce(int peer) {
        Pending pending = new Pending(peer, setup.connector(Direction.SEND, peer, channel, connIndex),
                setup.connector(Direction.RECV, peer, channel, connIndex));
        setup.bootstrap().send(peer, tag(Direction.RECV), setup.setup(pending.recv));
        setup.bootstrap().send(peer, tag(Direction.SEND), setup.setup(pending.send));
        return pending;
    }

    private Port port(ConnectionEnd end, boolean isSend) {
        return setup.isOnGpu() ? Port.forGpu(end.device(), isSend, setup.llBytes())
                : Port.of(end.device(), isSend, setup.llBytes());
    }

    private int tag(Direction direction) {
        return 2 * connIndex + direction.ordinal();
    }

    private byte[] receive(int peer, Direction direction, Duration timeout, long deadlineNs) {
        try {
            return setup.receive(peer, tag(direction),
                    Duration.ofNanos(Math.max(0, deadlineNs - System.nanoTime())));
        } catch (ProxyException e) {
            if (e.result() != ProxyResult.TIMEOUT) {
                throw e;
            }
            throw new ProxyException(ProxyResult.TIMEOUT, "rank " + peer + " has not taken part within "
                    + timeout.toMillis() + " ms: does it make the same calls?", e);
        }
    }

    private void finish(Pending pending, Connecting connecting, Duration timeout) {
        ConnectionEnd send = setup.await(pending.send, connecting, timeout);
        ConnectionEnd recv = setup.await(pending.recv, connecting, timeout);
        pairs[pending.peer] = new Pair(send, port(send, true), recv, port(recv, false));
    }
}
