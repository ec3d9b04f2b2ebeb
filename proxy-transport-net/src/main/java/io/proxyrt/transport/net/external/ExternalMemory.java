/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.ProxyException;
import io.proxyrt.transport.net.spi.NetMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Memory registered with a plug-in: for one comm, or for all comms of a device. Service thread, but for data calls. */
final class ExternalMemory implements NetMemory {
    /** That registered it. */
    private final ExternalComm comm;
    private final MemorySegment segment;
    private final long address;
    private final long mhandle;
    private boolean isClosed;

    /** Registered by the comm with the plug-in already. */
    ExternalMemory(ExternalComm comm, MemorySegment segment, long address, long mhandle) {
        this.comm = comm;
        this.segment = segment;
        this.address = address;
        this.mhandle = mhandle;
        all().add(this);
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

    boolean isFor(ExternalComm user) {
        return comm.device.isRegGlobal() ? comm.device == user.device : comm == user;
    }

    /** Whether it is still registered, and its owner has not freed it. */
    boolean isUsable() {
        return !isClosed && segment.scope().isAlive();
    }

    @Override
    public void close() {
        if (!isClosed) {
            deregister(comm.isOpen() ? comm : comm.device.anyComm());
        }
    }

    /** Ends the registration, by a comm that need not be the one that registered it if it is for all. Once. */
    void deregister(ExternalComm user) {
        isClosed = true;
        all().remove(this);
        try {
            user.library.deregMr(user.comm, mhandle);
        } catch (ProxyException e) {
            ExternalNet.LOG.warn("{} bytes of memory stay registered: {}", segment.byteSize(), e.getMessage());
        }
    }

    private List<ExternalMemory> all() {
        return comm.device.isRegGlobal() ? comm.device.memories() : comm.memories();
    }
}
