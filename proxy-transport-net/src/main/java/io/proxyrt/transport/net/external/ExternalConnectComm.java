/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.SetUpCall;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * An attempt to connect. The plug-in keeps its state in a handle of the attempt's own. NCCL has no call to give an
 * attempt up: what a plug-in has half connected then stays with it.
 */
final class ExternalConnectComm implements NetConnectComm {
    private final ExternalNet net;
    private final ExternalDevice device;
    private final SetUpCall connect;
    private boolean isOver;

    ExternalConnectComm(ExternalNet net, ExternalDevice device, ByteBuffer handle) {
        this.net = net;
        this.device = device;
        MemorySegment own = Arena.ofAuto().allocate(NetLibrary.HANDLE_BYTES, Long.BYTES);
        own.copyFrom(MemorySegment.ofBuffer(handle));
        this.connect = new SetUpCall(net.connector(),
                () -> net.library().connect(net.use().context(), device.number(), own));
        net.use().opened();
    }

    @Override
    public NetSendComm connect() {
        long comm = isOver ? 0 : connect.ask();
        if (comm == 0) {
            return null;
        }
        NetSendComm connected = new ExternalSendComm(net, device, comm);
        close();
        return connected;
    }

    @Override
    public void close() {
        if (!isOver) {
            isOver = true;
            connect.end(this::close);
        }
    }

    /** With a comm that came too late, or 0. */
    private void close(long comm) {
        if (comm == 0) {
            net.use().closed();
        } else {
            net.use().end("a connection", () -> net.library().closeSend(comm));
        }
    }
}
