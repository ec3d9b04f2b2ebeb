/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.counters.MemoryAccount;
import io.proxyrt.core.counters.MemoryUse;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.progress.AppendQueue;
import io.proxyrt.core.progress.CollNetInfos;
import io.proxyrt.core.progress.CollNetSupport;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.transport.ConnectionMemory;
import io.proxyrt.core.transport.PooledBuffer;
import io.proxyrt.transport.collnet.CollNetMessages.Info;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What all connections of a head share: RCCL's {@code ncclCollNetSharedRes}. The first connection has it listen and
 * connect; the last one to leave frees it.
 *
 * <pre>
 *  buffer:  step 0: channel 0 .. n-1 | ... | step 7: channel 0 .. n-1     of sends, and behind it of receives
 * </pre>
 *
 * <p>The service thread sets it up and frees it. In between the progress thread uses it.
 */
final class CollNetShared implements AutoCloseable {
    /** Halves of the buffer, and connections of a channel. */
    private static final int SIDES = 2;
    /** connFifo tells an offset in 32 bits. */
    private static final long MAX_BYTES = 1L << 32;
    /** Keeps calls whole elements of any type. */
    private static final long CALL_UNIT = 16;

    final int channels;
    final long slotBytes;
    final AppendQueue sends = new AppendQueue();
    final AppendQueue receives = new AppendQueue();
    final TurnTable turns;
    /** Requests that are not complete; progress thread. */
    int underWay;

    /** By channel, two each, as far as they are connected. */
    private final AtomicReferenceArray<ProxyConnection> connections;
    private final CollNetPlugin plugin;
    private final int head;
    private final int netDev;
    private final MemoryAccount account;
    private PooledBuffer buffer;
    private ByteBuffer handle;
    private CollNetListenComm listenComm;
    private CollNetConnectComm connectComm;
    private CollNetInfos infos;
    private long callBytes;
    private CollNetComm comm;
    private CollNetMemory memory;
    /** Why it cannot be connected; service thread. */
    private ProxyException refusal;
    /** Directions with an op under way, a bit each; progress thread. */
    private int busy;
    /** The first failure of an op; progress thread. */
    private ProxyResult faultResult;
    private String fault;

    /** By a device. The account is its own from now on. */
    CollNetShared(CollNetPlugin plugin, int head, int netDev, int channels, long slotBytes, MemoryAccount account) {
        this.plugin = plugin;
        this.head = head;
        this.netDev = netDev;
        this.channels = channels;
        this.slotBytes = slotBytes;
        this.account = account;
        this.connections = new AtomicReferenceArray<>(SIDES * channels);
        this.turns = new TurnTable((channels + CollNetSupport.GROUP_CHANNELS - 1)
                / CollNetSupport.GROUP_CHANNELS);
    }

    /** Takes memory, and listens. */
    void open(ConnectionMemory pool) {
        long bytes = bytes();
        if (bytes > MAX_BYTES) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, this + ": buffers for " + channels + " channels would"
                    + " take " + bytes + " bytes; lower " + CoreOptions.BUFFER_BYTES);
        }
        buffer = pool.buffers(bytes, account);
        account.add(MemoryUse.SHARED_POOL, bytes);
        try {
            listenComm = plugin.listen(netDev);
        } catch (ProxyException e) {
            throw named(e);
        }
        ByteBuffer told = listenComm.handle();
        handle = ByteBuffer.allocate(told.remaining()).put(told).flip();
    }

    /** Of both halves. */
    long bytes() {
        return SIDES * DeviceConnection.STEPS * channels * slotBytes;
    }

    PooledBuffer buffer() {
        return buffer;
    }

    /** Where this head listens, or has listened. */
    ByteBuffer handle() {
        return handle;
    }

    /** What orders the ops of a direction. */
    AppendQueue queue(Direction direction) {
        return direction == Direction.SEND ? sends : receives;
    }

    /**
     * Connects, or goes on connecting. Returns false as long as not all heads are there. A failure is final: the heads
     * connect all or not at all, so what one connection was told the others are told too.
     */
    boolean connect(CollNetInfos wanted) {
        if (refusal != null) {
            throw refusal;
        }
        if (infos != null && !infos.equals(wanted)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, this + ": a Connect request has other heads than"
                    + " that of the channel before; all channels have the same");
        }
        try {
            return memory != null || reach(wanted);
        } catch (ProxyException e) {
            refusal = named(e);
        } catch (RuntimeException e) {
            refusal = new ProxyException(ProxyResult.INTERNAL_ERROR, this + ": connecting failed: " + e, e);
        }
        new Closing().add(connectComm).add(listenComm);
        throw refusal;
    }

    /** What a network says of itself need not tell which head had to do with it. */
    private ProxyException named(ProxyException e) {
        return new ProxyException(e.result(), this + ": " + e.getMessage(), e);
    }

    private boolean reach(CollNetInfos wanted) {
        if (connectComm == null) {
            dial(wanted);
        }
        if (comm == null) {
            comm = connectComm.connect();
        }
        if (comm == null) {
            return false;
        }
        memory = comm.regMr(buffer.segment());
        new Closing().add(connectComm).add(listenComm).end();
        return true;
    }

    private void dial(CollNetInfos wanted) {
        List<Info> all = CollNetMessages.infos(wanted);
        if (!all.get(wanted.rank()).handle().equals(handle)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a Connect request has another head's handle"
                    + " in place " + wanted.rank() + ", where this one's belongs");
        }
        long most = all.stream().mapToLong(Info::maxCollBytes).min().orElseThrow();
        if (most < DeviceConnection.STEPS * slotBytes || most < CALL_UNIT) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "a call may have " + DeviceConnection.STEPS * slotBytes
                    + " bytes, and the device of participant " + place(all, most) + " of " + all.size() + " carries "
                    + most + " at most; lower " + CoreOptions.BUFFER_BYTES);
        }
        callBytes = most / CALL_UNIT * CALL_UNIT;
        infos = copy(wanted);
        connectComm = plugin.connect(netDev, all.stream().map(Info::handle).toList(), wanted.rank(), listenComm);
    }

    private static int place(List<Info> all, long maxCollBytes) {
        int place = 0;
        while (all.get(place).maxCollBytes() != maxCollBytes) {
            place++;
        }
        return place;
    }

    /** The request's bytes are the caller's. */
    private static CollNetInfos copy(CollNetInfos from) {
        return new CollNetInfos(from.rank(), from.infos().stream()
                .map(info -> ByteBuffer.allocate(info.remaining()).put(info.duplicate()).flip()).toList());
    }

    /** A connection of a channel can take ops. */
    void connected(ProxyConnection connection, int channel) {
        connections.set(SIDES * channel + connection.direction().ordinal(), connection);
    }

    /** A channel's connection of the other direction, without which this one's ops wait for ever; may be null. */
    ProxyConnection partner(Direction direction, int channel) {
        return connections.get(SIDES * channel + (direction == Direction.SEND ? Direction.RECV : Direction.SEND)
                .ordinal());
    }

    CollNetComm comm() {
        return comm;
    }

    /** The buffer, as the network knows it. */
    CollNetMemory memory() {
        return memory;
    }

    /** Which head of its node. */
    int head() {
        return head;
    }

    /** Most bytes of a call that its own device carries. */
    long maxCollBytes() {
        return plugin.properties(netDev).maxCollBytes();
    }

    /** Place of this head among them. */
    int rank() {
        return infos.rank();
    }

    /** How many heads there are. */
    int heads() {
        return infos.infos().size();
    }

    /** Most bytes of a call that the devices of all heads carry; the same at all heads. */
    long callBytes() {
        return callBytes;
    }

    /** An op begins; returns false if the one before it was given up, whose calls may be under way. Progress thread. */
    boolean begin(Direction direction) {
        int bit = 1 << direction.ordinal();
        boolean isFree = (busy & bit) == 0;
        busy |= bit;
        return isFree;
    }

    /** An op has ended; progress thread. */
    void end(Direction direction) {
        busy &= ~(1 << direction.ordinal());
    }

    /** An op failed, and with it the order of calls: no other op can go on. Progress thread. */
    void fail(ProxyResult result, String why) {
        if (fault == null) {
            faultResult = result;
            fault = why;
        }
    }

    /** Why no op can go on; null while they can. Progress thread. */
    String fault() {
        return fault;
    }

    ProxyResult faultResult() {
        return faultResult;
    }

    /** Requests that were left behind refer to the buffer until the comm is closed. */
    @Override
    public void close() {
        Closing closing = new Closing().add(connectComm).add(listenComm);
        if (underWay == 0) {
            closing.add(memory).add(comm);
        } else {
            closing.add(comm).add(memory);
        }
        closing.add(buffer).add(account).end();
    }

    /** For people: which head, by which device of which network. */
    @Override
    public String toString() {
        return "COLLNET head " + head + " on device " + netDev + ", " + plugin.properties(netDev).name() + " of "
                + plugin.name();
    }
}
