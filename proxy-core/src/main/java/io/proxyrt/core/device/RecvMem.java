/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * RCCL's {@code ncclRecvMem}, the page of a connection that its receiver polls.
 *
 * <pre>
 *   0        8        16            48   64                            256      4096
 *  +--------+--------+-------------+----+-----------------------------+--------+
 *  | tail   | direct | stamps      |    | connFifo[8] of 24 bytes     |        |
 *  +--------+--------+-------------+----+-----------------------------+--------+
 *  connFifo[slot]:  mode int @0 | offset int @4 | size long @8 | ptr long @16
 * </pre>
 *
 * <p>On a send connection the kernel stores size, then tail; the proxy reads tail, then size, and resets size to
 * {@link #EMPTY} before it gives the slot's credit back through head; one that copies looks at tail alone. On a receive
 * connection the proxy stores tail.
 *
 * <p>The mode of a slot says where its data are. {@link #MODE_NORMAL}: in the slot's own part of the buffer.
 * {@link #MODE_OFFSET}: in a pool that connections share, where the proxy's offset says. {@link #MODE_PTR}: in the
 * user's registered memory, where the kernel's ptr says. Mode, offset and ptr are plain: they become visible with the
 * word that is stored after them, head or size.
 *
 * <p>On a direct connection no proxy looks at connFifo. There the sending kernel says in a byte for each slot, beside
 * tail, whether the step's data are in the slot or in memory that it registered with the receiver's proxy; only in the
 * latter case it says in connFifo where, or by {@link #PLACED} that it put them where the receiver offered. All that is
 * plain too, and becomes visible with tail.
 *
 * <p>A slot's stamp says whose first step it holds: a kernel makes it of its operation and the step, and who receives
 * the step compares it with its own, so that ranks which do different things find out. Proxies pass it on. It is plain,
 * and becomes visible with size and tail; beside tail it costs neither side another cache line. What it holds for a
 * step that is not the first of an operation means nothing.
 */
public final class RecvMem {
    /** Bytes of the page. */
    public static final long BYTES = 4096;
    /** Bytes of the page that hold words, so that many connections' words can share a page. */
    public static final long WORDS_BYTES = 256;
    /** Where tail lies. */
    public static final long TAIL = 0;
    /** The size of a slot that holds nothing. */
    public static final long EMPTY = -1;
    /** The data lie in the slot. */
    public static final int MODE_NORMAL = 0;
    /** The data lie in the shared pool, at {@link #offset(int)}. */
    public static final int MODE_OFFSET = 1;
    /** The data lie in registered memory, at {@link #ptr(int)}. */
    public static final int MODE_PTR = 2;
    /** As {@link #offset(int)} in mode PTR: the op's send buffer. */
    public static final int IN_SEND_BUFFER = 0;
    /** As {@link #offset(int)} in mode PTR: the op's receive buffer. */
    public static final int IN_RECV_BUFFER = 1;
    /** A handle that no memory has: the direct sender put the step's data where {@link SendMem#offer} said. */
    public static final long PLACED = 0;

    private static final long DIRECT = 8;
    private static final long STAMPS = 16;
    private static final long FIFO = 64;
    private static final long FIFO_STRIDE = 24;
    private static final long FIFO_OFFSET = FIFO + 4;
    private static final long FIFO_SIZE = FIFO + 8;
    private static final long FIFO_PTR = FIFO + 16;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle().withInvokeExactBehavior();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();

    private final MemorySegment memory;
    private final long base;

    /**
     * A view.
     *
     * @param memory at least {@link #WORDS_BYTES}, aligned to 8
     */
    public RecvMem(MemorySegment memory) {
        this(memory, 0);
    }

    /**
     * A view of a part. Views of many connections' words that lie in one memory share that, and no object more.
     *
     * @param memory aligned to 8
     * @param offset where the {@link #WORDS_BYTES} begin, a multiple of 8
     */
    public RecvMem(MemorySegment memory, long offset) {
        this.memory = memory;
        this.base = Objects.checkFromIndexSize(offset, WORDS_BYTES, memory.byteSize());
    }

    /**
     * Marks every slot empty; before the memory is shared.
     *
     * @param mode of all slots
     */
    public void reset(int mode) {
        for (int slot = 0; slot < DeviceConnection.STEPS; slot++) {
            place(slot, mode, 0, 0);
            size(slot, EMPTY);
        }
    }

    /**
     * Plain load of a slot's mode.
     *
     * @param slot absolute step modulo 8
     * @return one of the modes, or whatever a broken kernel wrote
     */
    public int mode(int slot) {
        return (int) INT.get(memory, base + FIFO + slot * FIFO_STRIDE);
    }

    /**
     * Plain load of a slot's offset: in mode OFFSET bytes from the pool's beginning, in mode PTR which buffer.
     *
     * @param slot absolute step modulo 8
     * @return the offset
     */
    public int offset(int slot) {
        return (int) INT.get(memory, base + FIFO_OFFSET + slot * FIFO_STRIDE);
    }

    /**
     * Plain load of a slot's ptr: in mode PTR bytes from the beginning of the buffer. Never an address.
     *
     * @param slot absolute step modulo 8
     * @return the ptr
     */
    public long ptr(int slot) {
        return (long) LONG.get(memory, base + FIFO_PTR + slot * FIFO_STRIDE);
    }

    /**
     * Plain store of a slot's mode, before its size.
     *
     * @param slot absolute step modulo 8
     * @param mode one of the modes
     */
    public void mode(int slot, int mode) {
        INT.set(memory, base + FIFO + slot * FIFO_STRIDE, mode);
    }

    /**
     * Plain stores of where a slot's data are: before its size, or before the head that offers the slot.
     *
     * @param slot   absolute step modulo 8
     * @param mode   one of the modes
     * @param offset as {@link #offset(int)}
     * @param ptr    as {@link #ptr(int)}
     */
    public void place(int slot, int mode, int offset, long ptr) {
        INT.set(memory, base + FIFO + slot * FIFO_STRIDE, mode);
        INT.set(memory, base + FIFO_OFFSET + slot * FIFO_STRIDE, offset);
        LONG.set(memory, base + FIFO_PTR + slot * FIFO_STRIDE, ptr);
    }

    /**
     * Plain load of whether a direct sender left a step in its own memory.
     *
     * @param slot absolute step modulo 8
     * @return {@link #MODE_PTR} if it did; anything else means the slot
     */
    public int directMode(int slot) {
        return (byte) BYTE.get(memory, base + DIRECT + slot);
    }

    /**
     * Plain store of whether the step's data are in the direct sender's own memory, before tail.
     *
     * @param slot absolute step modulo 8
     * @param mode {@link #MODE_NORMAL} or {@link #MODE_PTR}
     */
    public void directMode(int slot, int mode) {
        BYTE.set(memory, base + DIRECT + slot, (byte) mode);
    }

    /**
     * Plain load of the handle of the direct sender's memory, in mode PTR; {@link #ptr} says where in it.
     *
     * @param slot absolute step modulo 8
     * @return not to be trusted
     */
    public long directHandle(int slot) {
        return (long) LONG.get(memory, base + FIFO_SIZE + slot * FIFO_STRIDE);
    }

    /**
     * Plain stores of where the data are in the direct sender's own memory, before tail.
     *
     * @param slot   absolute step modulo 8
     * @param handle as the receiver's proxy gave it
     * @param ptr    bytes from the beginning of what is registered
     */
    public void directPlace(int slot, long handle, long ptr) {
        LONG.set(memory, base + FIFO_SIZE + slot * FIFO_STRIDE, handle);
        LONG.set(memory, base + FIFO_PTR + slot * FIFO_STRIDE, ptr);
    }

    /**
     * Plain load of a slot's stamp, after tail.
     *
     * @param slot absolute step modulo 8
     * @return 0 if none was stored
     */
    public int stamp(int slot) {
        return (int) INT.get(memory, base + STAMPS + slot * (long) Integer.BYTES);
    }

    /**
     * Plain store of the stamp of an operation's first step, before its size and tail.
     *
     * @param slot  absolute step modulo 8
     * @param stamp 0 says nothing
     */
    public void stamp(int slot, int stamp) {
        INT.set(memory, base + STAMPS + slot * (long) Integer.BYTES, stamp);
    }

    /**
     * Acquire load of tail; pairs with {@link #tail(long)}.
     *
     * @return absolute step
     */
    public long tail() {
        return (long) LONG.getAcquire(memory, base + TAIL);
    }

    /**
     * Release store of tail: the data of all steps below are written.
     *
     * @param step absolute step
     */
    public void tail(long step) {
        LONG.setRelease(memory, base + TAIL, step);
    }

    /**
     * Acquire load of a slot's size; pairs with {@link #size(int, long)}.
     *
     * @param slot absolute step modulo 8
     * @return bytes, or {@link #EMPTY}
     */
    public long size(int slot) {
        return (long) LONG.getAcquire(memory, base + FIFO_SIZE + slot * FIFO_STRIDE);
    }

    /**
     * Release store of a slot's size.
     *
     * @param slot  absolute step modulo 8
     * @param bytes bytes, or {@link #EMPTY}
     */
    public void size(int slot, long bytes) {
        LONG.setRelease(memory, base + FIFO_SIZE + slot * FIFO_STRIDE, bytes);
    }
}
