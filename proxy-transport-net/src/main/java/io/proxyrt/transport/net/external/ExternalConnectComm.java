/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.plugin.NetLibrary;
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
    private final MemorySegment handle;
    private boolean isOver;

    ExternalConnectComm(ExternalNet net, ExternalDevice device, ByteBuffer handle) {
        this.net = net;
        this.device = device;
        this.handle = Arena.ofAuto().allocate(NetLibrary.HANDLE_BYTES, Long.BYTES);
        this.handle.copyFrom(MemorySegment.ofBuffer(handle));
    }

    @Override
    public NetSendComm connect() {
        long comm = isOver ? 0 : net.library().connect(net.context(), device.number(), handle);
        isOver |= comm != 0;
        return comm == 0 ? null : new ExternalSendComm(net, device, comm);
    }

    @Override
    public void close() {
        isOver = true;
    }
}
