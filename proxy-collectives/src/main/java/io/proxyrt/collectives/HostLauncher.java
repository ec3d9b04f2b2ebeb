/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveKernel;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.RingGeometry;
import io.proxyrt.collectives.kernel.SendRecvKernel;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.HostKernel;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.runtime.ConnectionEnd;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** Launches kernels of the host on a stream that the runtime drives, or its caller. */
final class HostLauncher implements KernelLauncher {
    private static final int CAPACITY = 64;

    private final HostStream stream;
    private final CollectiveKernel[] kernels;
    private final SendRecvKernel[] messages = new SendRecvKernel[CAPACITY];
    private final PeerPorts peers;
    private final LaunchOps ops;
    private final LaunchPlanner planner;
    private final UserMemory memory;
    private final int channels;
    private long launches;

    /** Over the rings, and over the ports of peers, as they get connected. */
    HostLauncher(CommunicatorParts parts, HostStream stream, LaunchPlanner planner, LaunchOps ops) {
        this.stream = stream;
        this.peers = parts.peers;
        this.ops = ops;
        this.planner = planner;
        this.memory = parts.memory;
        this.channels = Math.max(1, parts.rings.length);
        this.kernels = CollectiveKernel.create(CAPACITY, parts.setup.rank(), parts.setup.nRanks(),
                Ring.recv(parts.rings), Ring.send(parts.rings));
        for (int i = 0; i < CAPACITY; i++) {
            messages[i] = new SendRecvKernel();
        }
    }

    @Override
    public int capacity() {
        return CAPACITY;
    }

    @Override
    public CollectiveWork work() {
        assert stream.outstanding() < CAPACITY : stream.outstanding();
        return kernels[next()].work();
    }

    @Override
    public int channels() {
        return channels;
    }

    @Override
    public RingGeometry prepare(int channel, long offset, long bytes) {
        return kernels[next()].prepare(channel, offset, bytes);
    }

    @Override
    public void launchCollective() {
        launch(kernels[next()]);
    }

    @Override
    public boolean isConnected(int peer) {
        return peers.pair(peer) != null;
    }

    @Override
    public void connect(int first, int second, Duration timeout) {
        peers.connect(timeout, first, second);
    }

    @Override
    public void beginMessage() {
        messages[next()].begin();
    }

    @Override
    public void recv(long opCount, int peer, MemorySegment buffer) {
        messages[next()].opCount(opCount);
        PeerPorts.Pair pair = peers.pair(peer);
        RegisteredMemory piece = planner.findShared(pair.recv(), pair.recvPort(), buffer);
        long handle = handle(piece, pair.recv());
        if (handle > 0) {
            messages[next()].recv(pair.recvPort(), buffer, handle, piece.offset(buffer));
        } else {
            messages[next()].recv(pair.recvPort(), buffer, ops.recv(opCount, pair, buffer));
        }
    }

    @Override
    public void send(long opCount, int peer, MemorySegment buffer) {
        messages[next()].opCount(opCount);
        PeerPorts.Pair pair = peers.pair(peer);
        RegisteredMemory piece = planner.findShared(pair.send(), pair.sendPort(), buffer);
        long handle = handle(piece, pair.send());
        if (handle > 0) {
            messages[next()].send(pair.sendPort(), buffer, handle, piece.offset(buffer));
        } else {
            messages[next()].send(pair.sendPort(), buffer, ops.send(opCount, pair, buffer));
        }
    }

    /** By which the peer's kernels find a piece; 0 if they do not, or there is none. */
    private long handle(RegisteredMemory piece, ConnectionEnd end) {
        return piece == null ? 0 : memory.direct(piece, end);
    }

    @Override
    public void launchMessage() {
        launch(messages[next()]);
    }

    /** Launches a kernel that another object owns. */
    void launch(HostKernel kernel) {
        launches++;
        if (!stream.launch(kernel)) {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, stream.name() + " is full");
        }
    }

    /** The index of the next launch, modulo {@link #capacity}. */
    int next() {
        return (int) (launches % CAPACITY);
    }
}
