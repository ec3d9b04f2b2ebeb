/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * RCCL's {@code ncclRecvMem}, the page of a connection that its receiver polls.
 *
 * <pre>
 *   0        8        64                                    256      4096
 *  +--------+--------+-------------------------------------+--------+
 *  | tail   |        | connFifo[8] of 24 bytes             |        |
 *  +--------+--------+-------------------------------------+--------+
 *  connFifo[slot]:  mode int @0 | offset int @4 | size long @8 | ptr long @16
 * </pre>
 *
 * <p>On a send connection the kernel stores size, then tail; the proxy reads tail, then size, and resets size to
 * {@link #EMPTY} before it gives the slot's credit back through head. On a receive connection the proxy stores tail.
 */
public final class RecvMem {
    /** Bytes of the page. */
    public static final long BYTES = 4096;
    /** The size of a slot that holds nothing. */
    public static final long EMPTY = -1;

    private static final long TAIL = 0;
    private static final long FIFO = 64;
    private static final long FIFO_STRIDE = 24;
    private static final long FIFO_SIZE = FIFO + 8;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final MemorySegment memory;

    /**
     * A view.
     *
     * @param memory at least {@link #BYTES}, aligned to 8
     */
    public RecvMem(MemorySegment memory) {
        this.memory = memory.asSlice(0, BYTES);
    }

    /** Marks every slot empty; before anybody else sees the memory. */
    public void reset() {
        for (int slot = 0; slot < DeviceConnection.STEPS; slot++) {
            size(slot, EMPTY);
        }
    }

    /**
     * Acquire load of tail; pairs with {@link #tail(long)}.
     *
     * @return absolute step
     */
    public long tail() {
        return (long) LONG.getAcquire(memory, TAIL);
    }

    /**
     * Release store of tail: the data of all steps below are written.
     *
     * @param step absolute step
     */
    public void tail(long step) {
        LONG.setRelease(memory, TAIL, step);
    }

    /**
     * Acquire load of a slot's size; pairs with {@link #size(int, long)}.
     *
     * @param slot absolute step modulo 8
     * @return bytes, or {@link #EMPTY}
     */
    public long size(int slot) {
        return (long) LONG.getAcquire(memory, FIFO_SIZE + slot * FIFO_STRIDE);
    }

    /**
     * Release store of a slot's size.
     *
     * @param slot  absolute step modulo 8
     * @param bytes bytes, or {@link #EMPTY}
     */
    public void size(int slot, long bytes) {
        LONG.setRelease(memory, FIFO_SIZE + slot * FIFO_STRIDE, bytes);
    }
}
