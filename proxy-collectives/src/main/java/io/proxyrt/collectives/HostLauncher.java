/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveKernel;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.DoublingKernel;
import io.proxyrt.collectives.kernel.FusedKernel;
import io.proxyrt.collectives.kernel.GroupKernel;
import io.proxyrt.collectives.kernel.HierarchicalKernel;
import io.proxyrt.collectives.kernel.KernelPool;
import io.proxyrt.collectives.kernel.LogKernel;
import io.proxyrt.collectives.kernel.MessagePart;
import io.proxyrt.collectives.kernel.MessagesKernel;
import io.proxyrt.collectives.kernel.Port;
import io.proxyrt.collectives.kernel.ProgramKernel;
import io.proxyrt.collectives.kernel.RingGeometry;
import io.proxyrt.collectives.kernel.TreeKernel;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.HostKernel;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.runtime.ConnectionEnd;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/** Launches kernels of the host on a stream that the runtime drives, or its caller. */
final class HostLauncher implements KernelLauncher {
    private static final int CAPACITY = 64;

    private final HostStream stream;
    /** By launch, modulo {@link #CAPACITY}. */
    private final KernelPool[] pools = new KernelPool[CAPACITY];
    /** Of the next launch, if that is one collective by rings. */
    private CollectiveKernel kernel;
    /** Null before the rings are connected. */
    private Supplier<CollectiveKernel> rings;
    private final PeerPorts peers;
    private final LaunchOps ops;
    private final LaunchPlanner planner;
    private final UserMemory memory;
    private int channels;
    private long launches;

    /** Over the rings, and over the ports of peers, as they get connected. */
    HostLauncher(CommunicatorParts parts, HostStream stream, LaunchPlanner planner, LaunchOps ops) {
        this.stream = stream;
        this.peers = parts.peers;
        this.ops = ops;
        this.planner = planner;
        this.memory = parts.memory;
        int rank = parts.setup.rank();
        int nRanks = parts.setup.nRanks();
        List<KernelPool.Source<?>> sources = List.of(
                new KernelPool.Source<>(DoublingKernel.class, DoublingKernel.source(nRanks)),
                new KernelPool.Source<>(CollectiveKernel.class, () -> rings.get()),
                new KernelPool.Source<>(TreeKernel.class, TreeKernel.source(rank, nRanks, TreePlace.TREES)),
                new KernelPool.Source<>(HierarchicalKernel.class, () -> new HierarchicalKernel(nRanks)),
                new KernelPool.Source<>(LogKernel.class, LogKernel.source(rank, nRanks)),
                new KernelPool.Source<>(ProgramKernel.class, ProgramKernel.source(nRanks)),
                new KernelPool.Source<>(GroupKernel.class, GroupKernel::new),
                new KernelPool.Source<>(FusedKernel.class,
                        () -> new FusedKernel(memory.allocate(Fusion.ROOM_BYTES).range())));
        Arrays.setAll(pools, any -> new KernelPool(sources));
        if (!parts.awaitsRings()) {
            connected(parts);
        }
    }

    /** The rings are there. */
    void connected(CommunicatorParts parts) {
        channels = Math.max(1, parts.rings.length);
        rings = CollectiveKernel.source(parts.setup.order(), parts.setup.rank(), Ring.recv(parts.rings),
                Ring.send(parts.rings), parts.setup.nRanks());
    }

    @Override
    public int capacity() {
        return CAPACITY;
    }

    @Override
    public CollectiveWork work() {
        kernel = kernels().take(CollectiveKernel.class);
        return kernel.work();
    }

    @Override
    public int channels(CollectiveWork work) {
        return channels;
    }

    @Override
    public RingGeometry prepare(int channel, long offset, long bytes) {
        return kernel.prepare(channel, offset, bytes);
    }

    @Override
    public void launchCollective() {
        launch(kernel);
    }

    @Override
    public boolean isConnected(int peer) {
        return peers.pair(peer) != null;
    }

    @Override
    public void connect(Duration timeout, int... missing) {
        peers.connect(timeout, missing);
    }

    /** Of the next launch, none taken yet. */
    KernelPool kernels() {
        assert stream.outstanding() < CAPACITY : stream.outstanding();
        return pools[next()].begin();
    }

    /** Adds one end of a message to a kernel, and appends its op. */
    void add(MessagesKernel kernel, Message message) {
        PeerPorts.Pair pair = peers.pair(message.peer);
        ConnectionEnd end = message.isSend ? pair.send() : pair.recv();
        Port port = message.isSend ? pair.sendPort() : pair.recvPort();
        MessagePart part = message.part;
        long opCount = ops.nextMessage();
        kernel.opCount(opCount);
        RegisteredMemory piece = planner.findShared(end, port, part);
        long handle = piece == null ? 0 : memory.direct(piece, end);
        if (handle > 0) {
            kernel.add(port, part, handle, piece.offset(part.buffer()));
        } else {
            kernel.add(port, part, ops.message(opCount, end, port, part));
        }
    }

    /** Launches one of {@link #kernels}, or one that another object owns. */
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
