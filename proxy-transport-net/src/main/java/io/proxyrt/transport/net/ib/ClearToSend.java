/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The registered memory of a comm. The sender's has a FIFO of elements by which the receiver says where the messages of
 * an irecv go; it writes them there by RDMA, out of the same place of its own memory. The receiver's has the sizes of
 * messages that were received as a group, written in the same way by the sender.
 *
 * <pre>
 *  FIFO:   {@link #SLOTS} slots of 8 elements        sizes:  as many slots of 8 longs
 *
 *   0         8      16                       32      36    40       56         64
 *  +---------+------+------------------------+-------+-----+--------+----------+
 *  | address | size | rkeys by port, 4 ints  | count | tag | unused | sequence |
 *  +---------+------+------------------------+-------+-----+--------+----------+
 * </pre>
 *
 * <p>An element is valid when its last eight bytes are the sequence number of the irecv: adapters write the bytes of a
 * work request in order. A slot comes round again only when the irecv is complete, and by then the sender has read it.
 */
final class ClearToSend {
    /** Irecvs that may be outstanding. */
    static final int SLOTS = 32;
    /** Messages that an irecv may group. */
    static final int MAX_RECVS = 8;
    static final int ELEMENT_BYTES = 64;
    static final int SLOT_BYTES = MAX_RECVS * ELEMENT_BYTES;
    static final int SIZES_SLOT_BYTES = MAX_RECVS * Long.BYTES;
    /** What a flush reads one byte to. */
    static final long FLUSHED;
    static final long BYTES;

    private static final long SIZES;
    private static final long ADDRESS = 0;
    private static final long SIZE = 8;
    private static final long RKEYS = 16;
    private static final long COUNT = 32;
    private static final long TAG = 36;
    private static final long SEQUENCE = 56;
    private static final VarHandle WORD = JAVA_LONG.varHandle().withInvokeExactBehavior();

    static {
        SIZES = (long) SLOTS * SLOT_BYTES;
        FLUSHED = SIZES + (long) SLOTS * SIZES_SLOT_BYTES;
        BYTES = FLUSHED + ELEMENT_BYTES;
    }

    private ClearToSend() {
    }

    /** The slot of the irecv with this number, the first being 0. */
    static int slot(long irecv) {
        return (int) (irecv & SLOTS - 1);
    }

    static long element(int slot, int index) {
        return (long) slot * SLOT_BYTES + (long) index * ELEMENT_BYTES;
    }

    static long sizes(int slot) {
        return SIZES + (long) slot * SIZES_SLOT_BYTES;
    }

    static void set(MemorySegment memory, long at, long address, long size, int count, int tag) {
        memory.set(JAVA_LONG, at + ADDRESS, address);
        memory.set(JAVA_LONG, at + SIZE, size);
        memory.set(JAVA_INT, at + COUNT, count);
        memory.set(JAVA_INT, at + TAG, tag);
    }

    static void rkey(MemorySegment memory, long at, int port, int rkey) {
        memory.set(JAVA_INT, at + RKEYS + (long) port * Integer.BYTES, rkey);
    }

    static void sequence(MemorySegment memory, long at, long sequence) {
        memory.set(JAVA_LONG, at + SEQUENCE, sequence);
    }

    /** Pairs with the adapter's write, whose last bytes these are: what comes before them is seen as well. */
    static boolean isThere(MemorySegment memory, long at, long sequence) {
        return (long) WORD.getAcquire(memory, at + SEQUENCE) == sequence;
    }

    static long address(MemorySegment memory, long at) {
        return memory.get(JAVA_LONG, at + ADDRESS);
    }

    static long size(MemorySegment memory, long at) {
        return memory.get(JAVA_LONG, at + SIZE);
    }

    static int count(MemorySegment memory, long at) {
        return memory.get(JAVA_INT, at + COUNT);
    }

    static int tag(MemorySegment memory, long at) {
        return memory.get(JAVA_INT, at + TAG);
    }

    static int rkey(MemorySegment memory, long at, int port) {
        return memory.get(JAVA_INT, at + RKEYS + (long) port * Integer.BYTES);
    }

    static long size(MemorySegment memory, int slot, int index) {
        return memory.get(JAVA_LONG, sizes(slot) + (long) index * Long.BYTES);
    }

    static void size(MemorySegment memory, int slot, int index, long bytes) {
        memory.set(JAVA_LONG, sizes(slot) + (long) index * Long.BYTES, bytes);
    }
}
