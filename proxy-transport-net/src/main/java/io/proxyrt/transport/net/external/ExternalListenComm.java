/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetRecvComm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** A device of a plug-in that waits for connections. */
final class ExternalListenComm implements NetListenComm {
    private final ExternalNet net;
    private final ExternalDevice device;
    private final long comm;
    private final ByteBuffer handle;
    private boolean isClosed;

    private ExternalListenComm(ExternalNet net, ExternalDevice device, long comm, ByteBuffer handle) {
        this.net = net;
        this.device = device;
        this.comm = comm;
        this.handle = handle;
        net.opened();
    }

    static ExternalListenComm open(ExternalNet net, ExternalDevice device) {
        MemorySegment handle = Arena.ofAuto().allocate(NetLibrary.HANDLE_BYTES, Long.BYTES);
        long comm = net.library().listen(net.context(), device.number(), handle);
        if (comm == 0) {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, device.describe(net.library())
                    + " listens, and gives nothing to accept by");
        }
        return new ExternalListenComm(net, device, comm, ByteBuffer.wrap(handle.toArray(ValueLayout.JAVA_BYTE)));
    }

    @Override
    public ByteBuffer handle() {
        return handle.asReadOnlyBuffer();
    }

    @Override
    public NetRecvComm accept() {
        long accepted = isClosed ? 0 : net.library().accept(comm);
        return accepted == 0 ? null : new ExternalRecvComm(net, device, accepted);
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        try {
            net.library().closeListen(comm);
        } catch (ProxyException e) {
            ExternalNet.LOG.warn("a listener was not closed well: {}", e.getMessage());
        }
        net.closed();
    }
}
