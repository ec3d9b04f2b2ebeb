/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceMemoryKind;
import java.lang.foreign.MemorySegment;

/** Memory of a host device. Any thread. */
final class HostMemory implements DeviceMemory {
    private final HostDevice device;
    private final long id;
    private final DeviceMemoryKind kind;
    private final Runnable unmapper;
    private final MemorySegment segment;
    private final OwnedFd fd;
    private volatile boolean isDisowned;
    private volatile boolean isClosed;

    /**
     * Memory that the device knows until it is closed.
     *
     * @param unmapper gives back what is behind it; null if that has another owner
     * @param fd       owned by this; null if it has none
     */
    HostMemory(HostDevice device, long id, DeviceMemoryKind kind, Runnable unmapper, MemorySegment segment,
            OwnedFd fd) {
        this.device = device;
        this.id = id;
        this.kind = kind;
        this.unmapper = unmapper;
        this.segment = segment;
        this.fd = fd;
    }

    HostDevice device() {
        return device;
    }

    /** Null if it has none. */
    OwnedFd fd() {
        return fd;
    }

    void disown() {
        isDisowned = true;
    }

    /** Whether it stays when the device is closed. */
    boolean isDisowned() {
        return isDisowned;
    }

    /** Whether it is there: neither freed, nor unmapped by the owner of what is registered. */
    boolean isAlive() {
        return !isClosed && segment.scope().isAlive();
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long id() {
        return id;
    }

    @Override
    public DeviceMemoryKind kind() {
        return kind;
    }

    /** Waits for a call that still uses it; if that lasts, it stays what it is, and the caller can try again. */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        if (unmapper != null) {
            unmapper.run();
        }
        isClosed = true;
        device.forget(this);
        if (fd != null) {
            fd.close();
        }
    }

    @Override
    public String toString() {
        return "memory " + id + " of " + device.name();
    }
}
