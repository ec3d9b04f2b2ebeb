/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.MemoryAccount;
import io.proxyrt.core.counters.MemoryUse;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.transport.ConnectionMemory;
import io.proxyrt.core.transport.PooledBuffer;
import io.proxyrt.core.transport.Shares.Lease;
import io.proxyrt.transport.net.ConnectMap.Bank;
import io.proxyrt.transport.net.MrCache.Mr;
import io.proxyrt.transport.net.NetMessages.Sender;
import io.proxyrt.transport.net.NetMessages.Setup;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * What a connection owns, at the proxy. The service thread fills it; once the connection is set up the progress thread
 * uses it.
 *
 * <pre>
 *  control:  sendMem | recvMem          buffers:  LL | LL128 | Simple
 * </pre>
 *
 * <p>All of it is the host's, pinned if there is a GPU, for the CPU looks at lines of LL and LL128 before it sends
 * them. Where the network reaches the GPU's memory the Simple slots lie there.
 *
 * <p>A shared connection has no LL128 and no Simple buffer, and LL by an option only: its Simple slots are the pool's.
 */
final class NetResources {
    final Setup setup;
    final Direction direction;
    NetSendComm sendComm;
    NetRecvComm recvComm;
    SendMem sendMem;
    RecvMem recvMem;
    /** By protocol; null where the connection has no buffer. */
    final NetSlots[] slots = new NetSlots[Protocol.values().length];
    /** How many receives one irecv may group. */
    int maxRecvs = 1;
    /** Whether data that came in have to be flushed before the kernel may look. */
    boolean needsFlush;
    /** Whether the network is asked first. */
    boolean flushesByNet = true;
    /** Which the proxy flushes if the network does not; null where no flush is needed. */
    Device flushed;
    /** Poked before the network reads what the kernel wrote, or after it wrote; null where none is needed. */
    HdpRegister hdp;
    /** The absolute step after the last op; progress thread. */
    long step;
    /** Requests of the network that are not complete; progress thread. */
    int underWay;

    private CommLink link;
    private Sender sender;
    private NetListenComm listenComm;
    private NetConnectComm connectComm;
    /** The handle that connectComm dials. */
    private ByteBuffer dialed;
    /** Null for a connection that only holds a pool. */
    private final MemoryAccount account;
    /** Null where the network reaches the host's memory alone. */
    private Gdr gdr;
    private PooledBuffer control;
    /** Null if it has none of its own. */
    private PooledBuffer buffers;
    private Mr buffersMr;
    /** Simple slots in the GPU's memory; null if they are elsewhere. */
    private PooledBuffer deviceBuffers;
    private Mr deviceBuffersMr;
    private Mr poolMr;
    private Lease<SharedPool> lease;

    /** The account is the connection's from now on. */
    NetResources(Setup setup, Direction direction, MemoryAccount account) {
        this.setup = setup;
        this.direction = direction;
        this.account = account;
    }

    /** Of a connection that only holds a pool. */
    NetResources(Direction direction, Lease<SharedPool> lease) {
        this(null, direction, null);
        this.lease = lease;
    }

    /** The network reaches the GPU's memory. */
    void use(Gdr gdr) {
        this.gdr = gdr;
        this.hdp = gdr.hdp();
        this.needsFlush = true;
        this.flushesByNet = !gdr.flushesByRead();
        this.flushed = gdr.flushes() ? gdr.device() : null;
    }

    /** Whether Simple slots lie in the GPU's memory. */
    boolean usesGdr() {
        return gdr != null;
    }

    void lease(Lease<SharedPool> lease) {
        this.lease = lease;
    }

    void listen(NetPlugin plugin) {
        listenComm = plugin.listen(setup.netDev());
    }

    ByteBuffer handle() {
        return listenComm.handle();
    }

    CommLink link() {
        return link;
    }

    void link(CommLink link) {
        this.link = link;
    }

    /** Null before a receiver knows who sends. */
    Sender sender() {
        return sender;
    }

    void link(CommLink.Recv link, Sender sender) {
        this.link = link;
        this.sender = sender;
    }

    /** A receiver that began to wait for one sender is told of another. */
    void leaveLink() {
        CommLink left = link;
        link = null;
        if (left != null) {
            left.leave(() -> { }, true);
        }
    }

    /** Returns false as long as the peer is not there. */
    boolean accept() {
        CommLink.Recv recv = (CommLink.Recv) link;
        if (recv.comm() == null) {
            recv.accepted(listenComm.accept());
        }
        recvComm = recv.comm();
        return recvComm != null;
    }

    /** Returns false as long as the peer is not there. */
    boolean connect(NetPlugin plugin, ByteBuffer handle) {
        CommLink.Send send = (CommLink.Send) link;
        if (send.comm() == null && send.mayDial(this)) {
            send.connected(dial(plugin, handle));
        }
        sendComm = send.comm();
        return sendComm != null;
    }

    private NetSendComm dial(NetPlugin plugin, ByteBuffer handle) {
        if (connectComm != null && !handle.equals(dialed)) {
            NetConnectComm other = connectComm;
            connectComm = null;
            other.close();
        }
        if (connectComm == null) {
            connectComm = plugin.connect(setup.netDev(), handle);
            dialed = ByteBuffer.allocate(handle.remaining()).put(handle.duplicate()).flip();
        }
        return connectComm.connect();
    }

    /** Gives up an attempt to connect that failed, so that another one may follow, here or by who shares the comm. */
    void dropAttempt() {
        NetConnectComm attempt = connectComm;
        connectComm = null;
        if (link instanceof CommLink.Send send) {
            send.hangUp(this);
        }
        new Closing().add(attempt).end();
    }

    /**
     * Makes the connection's memory, in its initial state, and registers it; ends listening or connecting.
     *
     * @throws ProxyException what was made stays, and is used by the next call, or freed
     */
    ConnectMap allocate(ConnectionMemory memory, NetSettings settings) {
        ConnectMap map = new ConnectMap();
        allocateControl(memory);
        resetControl(map);
        allocateBuffers(memory, settings);
        allocateDeviceBuffers(memory, settings);
        long offset = 0;
        for (Protocol protocol : Protocol.values()) {
            long bytes = settings.bufferBytes(protocol, setup.isShared());
            if (bytes > 0 && isOnDevice(protocol)) {
                map.bank(Bank.DEVICE, deviceBuffers.memory());
                map.buffer(protocol, ConnectMap.word(Bank.DEVICE, deviceBuffers.offset()), bytes);
                own(protocol, deviceBuffersMr, 0, bytes);
            } else if (bytes > 0) {
                map.bank(Bank.HOST, buffers.memory());
                map.buffer(protocol, ConnectMap.word(Bank.HOST, buffers.offset() + offset), bytes);
                own(protocol, buffersMr, offset, bytes);
                offset += bytes;
            }
        }
        if (setup.isShared()) {
            pooled(map);
        }
        new Closing().add(listenComm).add(connectComm).end();
        return map;
    }

    private void allocateControl(ConnectionMemory memory) {
        if (control == null) {
            control = memory.control(account);
            account.add(MemoryUse.CONTROL, control.bytes());
        }
    }

    private void resetControl(ConnectMap map) {
        MemorySegment words = control.memory().segment();
        sendMem = new SendMem(words, control.offset());
        recvMem = new RecvMem(words, control.offset() + ConnectionMemory.RECV_MEM_OFFSET);
        sendMem.head(setup.isShared() && direction == Direction.SEND ? -DeviceConnection.STEPS : 0);
        recvMem.tail(0);
        recvMem.reset(setup.isShared() ? RecvMem.MODE_OFFSET : RecvMem.MODE_NORMAL);
        map.control(control.memory(), control.offset(), control.offset() + ConnectionMemory.RECV_MEM_OFFSET);
    }

    private boolean isOnDevice(Protocol protocol) {
        return usesGdr() && protocol == Protocol.SIMPLE;
    }

    private void allocateBuffers(ConnectionMemory memory, NetSettings settings) {
        long bytes = 0;
        for (Protocol protocol : Protocol.values()) {
            bytes += isOnDevice(protocol) ? 0 : settings.bufferBytes(protocol, setup.isShared());
        }
        if (buffers == null && bytes > 0) {
            buffers = memory.buffers(bytes, account);
            for (Protocol protocol : Protocol.values()) {
                account.add(MemoryUse.of(protocol),
                        isOnDevice(protocol) ? 0 : settings.bufferBytes(protocol, setup.isShared()));
            }
        }
        if (buffersMr == null && buffers != null) {
            buffersMr = link.memory().register(link.comm(), buffers.segment());
        }
    }

    private void allocateDeviceBuffers(ConnectionMemory memory, NetSettings settings) {
        long bytes = usesGdr() ? settings.bufferBytes(Protocol.SIMPLE, setup.isShared()) : 0;
        if (deviceBuffers == null && bytes > 0) {
            deviceBuffers = memory.deviceBuffers(bytes, account);
            account.add(MemoryUse.SIMPLE, bytes);
        }
        if (deviceBuffersMr == null && deviceBuffers != null) {
            deviceBuffersMr = register(deviceBuffers.memory(), deviceBuffers.segment());
        }
    }

    private void own(Protocol protocol, Mr mr, long offset, long bytes) {
        slots[protocol.ordinal()] = new NetSlots.Own(sendMem, setup.isShared(), mr.memory(), mr.offset() + offset,
                bytes / DeviceConnection.STEPS);
    }

    private void pooled(ConnectMap map) {
        SharedPool pool = lease.shared();
        PooledBuffer all = pool.buffer();
        if (poolMr == null) {
            poolMr = register(all.memory(), all.segment());
        }
        Bank bank = usesGdr() ? Bank.SHARED_DEVICE : Bank.SHARED_HOST;
        map.bank(bank, all.memory());
        map.buffer(Protocol.SIMPLE, ConnectMap.word(bank, all.offset()), pool.bytes());
        map.stepBytes(pool.slotBytes());
        slots[Protocol.SIMPLE.ordinal()] = new NetSlots.Pooled(sendMem, recvMem, pool, setup.channelId(),
                poolMr.memory(), poolMr.offset());
    }

    /**
     * Registers a range of memory with the comm.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if it is a GPU's, and the network does not reach it
     */
    Mr register(DeviceMemory memory, MemorySegment range) {
        if (memory.isHostAccessible()) {
            return link.memory().register(link.comm(), range);
        }
        if (gdr == null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "the network does not reach a GPU's own memory; what is"
                    + " sent from there goes through the slots of connections");
        }
        return link.memory().register(link.comm(), gdr, memory, range);
    }

    /** Gives everything back, whatever there is; memory after the network that may refer to it. Once. */
    void free() {
        Closing closing = new Closing();
        closing.add(this::dropAttempt).add(listenComm);
        if (link == null) {
            closing.add(this::freeMemory);
        } else {
            closing.add(() -> link.leave(this::freeMemory, underWay == 0));
        }
        closing.end();
    }

    private void freeMemory() {
        Closing closing = new Closing().add(buffersMr).add(deviceBuffersMr).add(poolMr);
        if (slots[Protocol.SIMPLE.ordinal()] instanceof NetSlots.Pooled pooled) {
            pooled.pool().handBack(pooled.channel(), pooled.held());
        }
        stopKernels();
        closing.add(lease).add(buffers).add(deviceBuffers).add(control).add(account).end();
    }

    /** A kernel that still runs, which it must not, finds neither credit nor data, rather than another's. */
    private void stopKernels() {
        if (control != null) {
            sendMem.head(Long.MIN_VALUE);
            recvMem.tail(Long.MIN_VALUE);
        }
    }
}
