/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.MemoryAccount;
import io.proxyrt.core.counters.MemoryUse;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.progress.AppendQueue;
import io.proxyrt.core.progress.CollNetInfos;
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
    /** Subs of a group, which make one call: {@code COLLNET_GROUP_NSUBS}. */
    static final int GROUP_SUBS = 8;

    /** Halves of the buffer. */
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

    /** The account is its own from now on. */
    CollNetShared(int netDev, int channels, long slotBytes, MemoryAccount account) {
        this.netDev = netDev;
        this.channels = channels;
        this.slotBytes = slotBytes;
        this.account = account;
        this.turns = new TurnTable((channels + GROUP_SUBS - 1) / GROUP_SUBS);
    }

    /** Takes memory, and listens. */
    void open(CollNetPlugin plugin, ConnectionMemory pool) {
        long bytes = bytes();
        if (bytes > MAX_BYTES) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "COLLNET: buffers for " + channels + " channels would"
                    + " take " + bytes + " bytes; lower proxyrt.buffer.bytes");
        }
        buffer = pool.buffers(bytes, account);
        account.add(MemoryUse.SHARED_POOL, bytes);
        listenComm = plugin.listen(netDev);
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
    boolean connect(CollNetPlugin plugin, CollNetInfos wanted) {
        if (refusal != null) {
            throw refusal;
        }
        if (infos != null && !infos.equals(wanted)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "COLLNET Connect request has other heads than that"
                    + " of the channel before; all channels have the same");
        }
        try {
            return memory != null || reach(plugin, wanted);
        } catch (ProxyException e) {
            refusal = e;
            new Closing().add(connectComm).add(listenComm);
            throw e;
        }
    }

    private boolean reach(CollNetPlugin plugin, CollNetInfos wanted) {
        if (connectComm == null) {
            dial(plugin, wanted);
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

    private void dial(CollNetPlugin plugin, CollNetInfos wanted) {
        List<Info> all = wanted.infos().stream().map(info -> Info.decode(info, "connect info of a head")).toList();
        if (!all.get(wanted.rank()).handle().equals(handle)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "COLLNET Connect request has another head's handle"
                    + " in place " + wanted.rank() + ", where this one's belongs");
        }
        long most = all.stream().mapToLong(Info::maxCollBytes).min().orElseThrow();
        if (most < DeviceConnection.STEPS * slotBytes || most < CALL_UNIT) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "COLLNET: a call may have "
                    + DeviceConnection.STEPS * slotBytes + " bytes, and a device of the heads carries " + most
                    + " at most; lower proxyrt.buffer.bytes");
        }
        callBytes = most / CALL_UNIT * CALL_UNIT;
        infos = copy(wanted);
        connectComm = plugin.connect(netDev, all.stream().map(Info::handle).toList(), wanted.rank(), listenComm);
    }

    /** The request's bytes are the caller's. */
    private static CollNetInfos copy(CollNetInfos from) {
        return new CollNetInfos(from.rank(), from.infos().stream()
                .map(info -> ByteBuffer.allocate(info.remaining()).put(info.duplicate()).flip()).toList());
    }

    CollNetComm comm() {
        return comm;
    }

    /** The buffer, as the network knows it. */
    CollNetMemory memory() {
        return memory;
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
}
