/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

import io.proxyrt.core.ProxyException;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import java.lang.foreign.MemorySegment;

/** Memory registered with a comm. Service thread, but for data calls. */
final class ExternalMemory implements CollNetMemory {
    private final ExternalComm comm;
    private final MemorySegment segment;
    private final long address;
    private final long mhandle;
    private final boolean isOfDevice;
    private volatile boolean isClosed;

    /** Registered with the plug-in already; as the memory of a GPU, or the host's. */
    ExternalMemory(ExternalComm comm, MemorySegment segment, long address, long mhandle, boolean isOfDevice) {
        this.comm = comm;
        this.segment = segment;
        this.address = address;
        this.mhandle = mhandle;
        this.isOfDevice = isOfDevice;
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    /** Where the plug-in was told that it is. */
    long address() {
        return address;
    }

    long mhandle() {
        return mhandle;
    }

    /** Whether what the network writes there has to be flushed. */
    boolean isOfDevice() {
        return isOfDevice;
    }

    /** Whether it is registered with this comm, and its owner has not freed it. */
    boolean isUsable(ExternalComm user) {
        return comm == user && !isClosed && segment.scope().isAlive();
    }

    /** {@inheritDoc} Its comm's end is its own, too. */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        comm.closing(this);
        try {
            comm.library().deregMr(comm.comm(), mhandle);
        } catch (ProxyException e) {
            ExternalCollNet.LOG.warn("{} bytes of memory stay registered: {}", segment.byteSize(), e.getMessage());
        }
    }
}
