/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import io.proxyrt.transport.net.ConnectMap.Bank;
import io.proxyrt.transport.net.MrCache.Mr;
import io.proxyrt.transport.net.NetMessages.Sender;
import io.proxyrt.transport.net.NetMessages.Setup;
import io.proxyrt.transport.net.spi.NetComm;
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
 *  memory:  offset, sendMem, recvMem: three pages, see DeviceConnection.controlOffset | LL | LL128 | Simple buffer
 * </pre>
 *
 * <p>A shared connection has no LL128 and no Simple buffer, and LL by an option only: its Simple slots are the pool's.
 */
final class NetResources {
    static final long BUFFER_OFFSET = DeviceConnection.CONTROL_ROOM + SendMem.BYTES + RecvMem.BYTES;

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
    private DeviceMemory memory;
    private Mr memoryMr;
    private Mr poolMr;
    private SharedPools.Lease lease;

    NetResources(Setup setup, Direction direction) {
        this.setup = setup;
        this.direction = direction;
    }

    /** Of a connection that only holds a pool. */
    NetResources(Direction direction, SharedPools.Lease lease) {
        this(null, direction);
        this.lease = lease;
    }

    void lease(SharedPools.Lease lease) {
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
    ConnectMap allocate(Device device, NetSettings settings) {
        ConnectMap map = new ConnectMap();
        NetComm comm = link.comm();
        long[] offsets = new long[slots.length];
        long bytes = BUFFER_OFFSET;
        for (Protocol protocol : Protocol.values()) {
            offsets[protocol.ordinal()] = bytes;
            bytes += settings.bufferBytes(protocol, setup.isShared());
        }
        if (memory == null) {
            memory = device.allocate(bytes);
        }
        map.bank(Bank.HOST, memory);
        resetControl(map);
        if (memoryMr == null) {
            memoryMr = link.memory().register(comm, memory.segment());
        }
        for (Protocol protocol : Protocol.values()) {
            own(map, protocol, offsets[protocol.ordinal()], settings.bufferBytes(protocol, setup.isShared()));
        }
        if (setup.isShared()) {
            pooled(map, comm);
        }
        new Closing().add(listenComm).add(connectComm).end();
        return map;
    }

    private void resetControl(ConnectMap map) {
        long control = DeviceConnection.controlOffset(memory.id());
        sendMem = new SendMem(memory.segment().asSlice(control, SendMem.BYTES));
        recvMem = new RecvMem(memory.segment().asSlice(control + SendMem.BYTES, RecvMem.BYTES));
        sendMem.head(setup.isShared() && direction == Direction.SEND ? -DeviceConnection.STEPS : 0);
        recvMem.tail(0);
        recvMem.reset(setup.isShared() ? RecvMem.MODE_OFFSET : RecvMem.MODE_NORMAL);
        map.control(ConnectMap.word(Bank.HOST, control), ConnectMap.word(Bank.HOST, control + SendMem.BYTES));
    }

    private void own(ConnectMap map, Protocol protocol, long offset, long bytes) {
        if (bytes > 0) {
            map.buffer(protocol, ConnectMap.word(Bank.HOST, offset), bytes);
            slots[protocol.ordinal()] = new NetSlots.Own(sendMem, setup.isShared(), memoryMr.memory(),
                    memoryMr.offset() + offset, bytes / DeviceConnection.STEPS);
        }
    }

    private void pooled(ConnectMap map, NetComm comm) {
        SharedPool pool = lease.pool();
        MemorySegment all = pool.memory().segment();
        if (poolMr == null) {
            poolMr = link.memory().register(comm, all);
        }
        map.bank(Bank.SHARED_HOST, pool.memory());
        map.buffer(Protocol.SIMPLE, ConnectMap.word(Bank.SHARED_HOST, 0), all.byteSize());
        map.stepBytes(pool.slotBytes());
        slots[Protocol.SIMPLE.ordinal()] = new NetSlots.Pooled(sendMem, recvMem, pool, setup.channelId(),
                poolMr.memory(), poolMr.offset());
    }

    /** Registers the user's memory with the comm. */
    Mr register(MemorySegment range) {
        return link.memory().register(link.comm(), range);
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
        Closing closing = new Closing().add(memoryMr).add(poolMr);
        if (slots[Protocol.SIMPLE.ordinal()] instanceof NetSlots.Pooled pooled) {
            pooled.pool().handBack(pooled.channel(), pooled.held());
        }
        closing.add(lease).add(memory).end();
    }
}
