/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetProperties;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;

/** A network of rings in memory, between the ranks of one process. */
final class RingNet implements NetPlugin {
    private static final NetProperties PROPERTIES =
            new NetProperties("ring0", "", 0, 100_000, 1 << 16, RingRecvComm.MAX_RECVS, Long.MAX_VALUE);
    private static final long MAGIC = 0x52696e674e657431L;
    private static final int HANDLE_BYTES = 20;
    private static final Map<Long, Listen> LISTENING = new ConcurrentHashMap<>();

    private final int rank;
    private final RingBell bell = new RingBell();

    RingNet(int rank) {
        this.rank = rank;
    }

    @Override
    public String name() {
        return "Ring";
    }

    @Override
    public int devices() {
        return 1;
    }

    @Override
    public NetProperties properties(int dev) {
        require(dev == 0, "there is one device, and no device " + dev);
        return PROPERTIES;
    }

    @Override
    public String describe() {
        return "Ring: ring0, between ranks of one process";
    }

    @Override
    public NetListenComm listen(int dev) {
        properties(dev);
        return new Listen(ThreadLocalRandom.current().nextLong());
    }

    @Override
    public NetConnectComm connect(int dev, ByteBuffer handle) {
        properties(dev);
        ByteBuffer in = handle.slice();
        require(in.remaining() == HANDLE_BYTES && in.getLong() == MAGIC, "no handle of a ring");
        return new Connect(in.getLong(), in.getInt());
    }

    @Override
    public void park(long maxNs) {
        bell.park(maxNs);
    }

    @Override
    public void close() {
        // Nothing is held: listeners and comms have been closed before.
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, otherwise);
        }
    }

    /** The rings that connectors brought. */
    private final class Listen implements NetListenComm {
        private final Queue<PacketRing> rings = new ConcurrentLinkedQueue<>();
        private final long token;

        Listen(long token) {
            this.token = token;
            LISTENING.put(token, this);
        }

        @Override
        public ByteBuffer handle() {
            return ByteBuffer.allocate(HANDLE_BYTES).putLong(MAGIC).putLong(token).putInt(rank).flip()
                    .asReadOnlyBuffer();
        }

        RingBell bell() {
            return bell;
        }

        @Override
        public NetRecvComm accept() {
            PacketRing ring = rings.poll();
            return ring == null ? null : new RingRecvComm(ring, "rank " + ring.senderRank);
        }

        @Override
        public void close() {
            LISTENING.remove(token);
            rings.forEach(ring -> ring.isReceiverGone = true);
        }
    }

    /** Brings a ring to the listener. */
    private final class Connect implements NetConnectComm {
        private final long token;
        private final int peer;

        Connect(long token, int peer) {
            this.token = token;
            this.peer = peer;
        }

        @Override
        public NetSendComm connect() {
            Listen listen = LISTENING.get(token);
            if (listen == null) {
                throw new ProxyException(ProxyResult.REMOTE_ERROR, "rank " + peer + " does not listen");
            }
            PacketRing ring = new PacketRing(rank, bell, listen.bell());
            listen.rings.add(ring);
            return new RingSendComm(ring, "rank " + peer);
        }

        @Override
        public void close() {
            // What was connected belongs to the caller, and nothing else was made.
        }
    }
}
