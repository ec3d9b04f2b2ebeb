/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.plugin.CollNetLibrary;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** A device of a plug-in that waits to be connected. The plug-in has it until no attempt can use it any more. */
final class ExternalListenComm implements CollNetListenComm {
    private final ExternalCollNet net;
    private final ExternalDevice device;
    private final long comm;
    private final ByteBuffer handle;
    /** Attempts that the plug-in may be carrying out. */
    private int uses;
    private boolean isClosed;

    private ExternalListenComm(ExternalCollNet net, ExternalDevice device, long comm, ByteBuffer handle) {
        this.net = net;
        this.device = device;
        this.comm = comm;
        this.handle = handle;
        net.use().opened();
    }

    static ExternalListenComm open(ExternalCollNet net, ExternalDevice device) {
        MemorySegment handle = Arena.ofAuto().allocate(CollNetLibrary.HANDLE_BYTES, Long.BYTES);
        long comm = net.library().listen(net.use().context(), device.number(), handle);
        if (comm == 0) {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, device.describe(net.library())
                    + " listens, and gives nothing to connect by");
        }
        return new ExternalListenComm(net, device, comm, ByteBuffer.wrap(handle.toArray(ValueLayout.JAVA_BYTE)));
    }

    @Override
    public ByteBuffer handle() {
        return handle.asReadOnlyBuffer();
    }

    /** The plug-in's. */
    long comm() {
        return comm;
    }

    synchronized boolean isUsable(ExternalCollNet user, ExternalDevice on) {
        return !isClosed && net == user && device == on;
    }

    synchronized void used() {
        uses++;
    }

    /** By an attempt that is over, and of which the plug-in has returned. Any thread. */
    void unused() {
        boolean isLast;
        synchronized (this) {
            uses--;
            isLast = isClosed && uses == 0;
        }
        if (isLast) {
            end();
        }
    }

    @Override
    public void close() {
        boolean isUnused;
        synchronized (this) {
            isUnused = !isClosed && uses == 0;
            isClosed = true;
        }
        if (isUnused) {
            end();
        }
    }

    private void end() {
        net.use().end("a listener", () -> net.library().closeListen(comm));
    }
}
