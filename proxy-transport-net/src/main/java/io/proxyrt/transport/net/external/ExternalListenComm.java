/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.SetUpCall;
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
    private final SetUpCall accept;
    private boolean isClosed;

    private ExternalListenComm(ExternalNet net, ExternalDevice device, long comm, ByteBuffer handle) {
        this.net = net;
        this.device = device;
        this.comm = comm;
        this.handle = handle;
        this.accept = new SetUpCall(net.acceptor(), () -> net.library().accept(comm));
        net.use().opened();
    }

    static ExternalListenComm open(ExternalNet net, ExternalDevice device) {
        MemorySegment handle = Arena.ofAuto().allocate(NetLibrary.HANDLE_BYTES, Long.BYTES);
        long comm = net.library().listen(net.use().context(), device.number(), handle);
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
        long accepted = isClosed ? 0 : accept.ask();
        return accepted == 0 ? null : new ExternalRecvComm(net, device, accepted);
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            accept.end(this::close);
        }
    }

    /** With a comm that came too late, or 0. */
    private void close(long accepted) {
        if (accepted != 0) {
            net.use().opened();
            net.use().end("a connection", () -> net.library().closeRecv(accepted));
        }
        net.use().end("a listener", () -> net.library().closeListen(comm));
    }
}
