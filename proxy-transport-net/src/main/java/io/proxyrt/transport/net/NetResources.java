/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import io.proxyrt.transport.net.NetMessages.ConnectMap;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.nio.ByteBuffer;

/**
 * What a connection owns, at the proxy. The service thread fills it; once the connection is set up the progress thread
 * uses it, and {@code step} is its alone.
 *
 * <pre>
 *  memory:  offset, sendMem, recvMem: three pages, see DeviceConnection.controlOffset | Simple buffer of eight slots
 * </pre>
 */
final class NetResources {
    static final long BUFFER_OFFSET = DeviceConnection.CONTROL_ROOM + SendMem.BYTES + RecvMem.BYTES;

    final int netDev;
    NetSendComm sendComm;
    NetRecvComm recvComm;
    NetMemory netMemory;
    SendMem sendMem;
    RecvMem recvMem;
    long stepBytes;
    /** The absolute step after the last op. */
    long step;
    /** What irecv and test get, again and again. */
    final NetMemory[] memories = new NetMemory[1];
    final long[] offsets = new long[1];
    final long[] sizes = new long[1];
    final int[] tags = new int[1];

    private NetListenComm listenComm;
    private NetConnectComm connectComm;
    private DeviceMemory memory;

    NetResources(int netDev) {
        this.netDev = netDev;
    }

    ByteBuffer listen(NetPlugin plugin) {
        listenComm = plugin.listen(netDev);
        return listenComm.handle();
    }

    /** Returns false as long as the peer is not there. */
    boolean accept() {
        if (recvComm == null) {
            recvComm = listenComm.accept();
        }
        return recvComm != null;
    }

    /** Returns false as long as the peer is not there. */
    boolean connect(NetPlugin plugin, ByteBuffer handle) {
        if (sendComm == null) {
            if (connectComm == null) {
                connectComm = plugin.connect(netDev, handle);
            }
            sendComm = connectComm.connect();
        }
        return sendComm != null;
    }

    /** Makes the connection's memory, in its initial state, and registers it; ends listening or connecting. */
    ConnectMap allocate(Device device, long bufferBytes) {
        if (memory == null) {
            memory = device.allocate(BUFFER_OFFSET + bufferBytes);
        }
        long control = DeviceConnection.controlOffset(memory.id());
        sendMem = new SendMem(memory.segment().asSlice(control, SendMem.BYTES));
        recvMem = new RecvMem(memory.segment().asSlice(control + SendMem.BYTES, RecvMem.BYTES));
        sendMem.head(0);
        recvMem.tail(0);
        recvMem.reset(RecvMem.MODE_NORMAL);
        stepBytes = bufferBytes / DeviceConnection.STEPS;
        if (netMemory == null) {
            NetComm comm = sendComm == null ? recvComm : sendComm;
            netMemory = comm.regMr(memory.segment());
        }
        memories[0] = netMemory;
        close(listenComm, connectComm);
        return new ConnectMap(memory.id(), control, control + SendMem.BYTES, BUFFER_OFFSET, bufferBytes);
    }

    /** Gives up an attempt to connect that failed, so that another one may follow. */
    void dropAttempt() {
        close(connectComm);
        connectComm = null;
    }

    /** Where a step's data lie. */
    long slotOffset(long absoluteStep) {
        return BUFFER_OFFSET + (absoluteStep % DeviceConnection.STEPS) * stepBytes;
    }

    /** Gives everything back, whatever there is; the memory last, because the network may still refer to it. */
    void free() {
        try {
            close(netMemory, sendComm, recvComm, connectComm, listenComm);
        } finally {
            close(memory);
        }
    }

    private static void close(AutoCloseable... resources) {
        ProxyException failure = null;
        for (AutoCloseable resource : resources) {
            try {
                if (resource != null) {
                    resource.close();
                }
            } catch (Exception e) {
                if (failure == null) {
                    failure = new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot close " + resource + ": " + e, e);
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
