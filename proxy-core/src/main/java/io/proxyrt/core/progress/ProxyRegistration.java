/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.device.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Memory that a connection's transport can reach. Made and ended by the service thread; held by the progress thread for
 * the ops that use it.
 *
 * <p>One word says both: how many subs hold it, and in its highest bit whether it is retired. So a sub either holds it
 * before it is retired, and is waited for, or finds it retired.
 */
public final class ProxyRegistration {
    private static final int RETIRED = Integer.MIN_VALUE;
    private static final VarHandle HOLDERS;

    static {
        try {
            HOLDERS = MethodHandles.lookup().findVarHandle(ProxyRegistration.class, "holders", int.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long handle;
    private final DeviceMemory memory;
    private final boolean isImported;
    private final MemorySegment range;
    private volatile Object mhandle;
    private volatile int holders;

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
        this.range = memory.range().asSlice(offset, bytes);
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
     * @return from its first byte to its last, as a {@link DeviceMemory#range()}
     */
    public MemorySegment range() {
        return range;
    }

    /**
     * What the range is a part of. Not to be closed.
     *
     * @return the device's
     */
    public DeviceMemory memory() {
        return memory;
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

    /**
     * Lets no further op use it. Any thread; may be asked again and again.
     *
     * @return whether no op uses it any more: once true, always true
     */
    public boolean retire() {
        return ((int) HOLDERS.getAndBitwiseOr(this, RETIRED) & ~RETIRED) == 0;
    }

    /** A sub begins to use it; progress thread. Returns false if it is retired. */
    boolean hold() {
        int seen;
        do {
            seen = holders;
            if (seen < 0) {
                return false;
            }
        } while (!HOLDERS.compareAndSet(this, seen, seen + 1));
        return true;
    }

    /** The sub is done with it: release, so that the service thread frees nothing that is still read. */
    void letGo() {
        int before = (int) HOLDERS.getAndAdd(this, -1);
        assert (before & ~RETIRED) > 0 : before;
    }

    /** Gives the memory back if it came by a file descriptor; service thread. Idempotent. */
    public void release() {
        if (isImported) {
            memory.close();
        }
    }
}
