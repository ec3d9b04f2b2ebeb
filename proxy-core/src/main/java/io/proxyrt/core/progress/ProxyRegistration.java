/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.device.DeviceMemory;
import java.lang.foreign.MemorySegment;

/** Memory that a connection's transport can reach. Made and ended by the service thread. */
public final class ProxyRegistration {
    private final long handle;
    private final DeviceMemory memory;
    private final boolean isImported;
    private final MemorySegment range;
    private volatile Object mhandle;

    /**
     * Before the transport knows of it.
     *
     * @param handle     names it within its connection
     * @param memory     to be registered
     * @param isImported whether the registration owns the memory
     * @param offset     first byte of the memory
     * @param bytes      how many; within the memory
     */
    public ProxyRegistration(long handle, DeviceMemory memory, boolean isImported, long offset, long bytes) {
        this.handle = handle;
        this.memory = memory;
        this.isImported = isImported;
        this.range = memory.segment().asSlice(offset, bytes);
    }

    /**
     * Names it within its connection.
     *
     * @return never 0
     */
    public long handle() {
        return handle;
    }

    /**
     * The memory.
     *
     * @return from its first byte to its last
     */
    public MemorySegment range() {
        return range;
    }

    /**
     * What the transport keeps: RCCL's {@code mhandle}. Any thread.
     *
     * @return null before it is registered
     */
    public Object mhandle() {
        return mhandle;
    }

    /**
     * Keeps the transport's own; service thread.
     *
     * @param mhandle of its network
     */
    public void mhandle(Object mhandle) {
        this.mhandle = mhandle;
    }

    /** Gives the memory back if it came by a file descriptor; service thread. Idempotent. */
    public void release() {
        if (isImported) {
            memory.close();
        }
    }
}
