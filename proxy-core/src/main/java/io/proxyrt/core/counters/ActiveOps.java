/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import io.proxyrt.core.Direction;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Publishes what a progress agent works on, whole, in one of two places in turn: so there is always a snapshot that no
 * one writes, also when the process is killed in the midst. The progress thread's; allocates nothing.
 *
 * {@snippet :
 * ops.begin(nowNs);
 * if (ops.next()) {
 *     ops.op(opCount, connection, sinceNs, movedNs);
 * }
 * ops.end();
 * }
 *
 * <pre>
 *   0 opCount long | 8 connection long | 16 sinceNs long | 24 movedNs long | 32 nbytes long | 40 base long
 *  48 posted int | received int | transmitted int | done int | 64 nsteps int | peer int
 *  72 channel short | 74 state byte | direction byte | 76 protocol byte | coll byte | dtype byte | redOp byte
 *  80 transport 8 bytes, ASCII, zero-padded | 88 group int | depth int
 * </pre>
 */
public final class ActiveOps {
    static final long CONNECTION = 8;
    static final long SINCE = 16;
    static final long MOVED = 24;
    static final long NBYTES = 32;
    static final long BASE = 40;
    static final long POSTED = 48;
    static final long RECEIVED = 52;
    static final long TRANSMITTED = 56;
    static final long DONE = 60;
    static final long NSTEPS = 64;
    static final long PEER = 68;
    static final long CHANNEL = 72;
    static final long STATE = 74;
    static final long DIRECTION = 75;
    static final long PROTOCOL = 76;
    static final long COLL = 77;
    static final long DTYPE = 78;
    static final long RED_OP = 79;
    static final long TRANSPORT = 80;
    static final int TRANSPORT_BYTES = 8;
    static final long GROUP = 88;
    static final long DEPTH = 92;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final MemorySegment memory;
    private final int rows;
    private final int waits;
    private long number;
    private long place;
    private long row;
    private int nRows;
    private int nOps;
    private int nWaits;
    private int lastWaits;
    private boolean isEmpty = true;

    /** Of a whole black box; one without rows forgets all. */
    ActiveOps(MemorySegment memory, int rows, int waits) {
        this.memory = memory;
        this.rows = rows;
        this.waits = waits;
    }

    /**
     * Whether the last snapshot has nothing.
     *
     * @return true before the first
     */
    public boolean isEmpty() {
        return isEmpty;
    }

    /**
     * Begins a snapshot.
     *
     * @param nowNs of the monotonic clock
     */
    public void begin(long nowNs) {
        place = BlackBoxDescriptor.HEADER_BYTES
                + (number + 1 & 1) * BlackBoxDescriptor.snapshotBytes(rows, waits);
        nRows = 0;
        nOps = 0;
        nWaits = 0;
        if (rows > 0) {
            // No store into this place comes before the number of the snapshot in the other one.
            VarHandle.storeStoreFence();
            memory.set(ValueLayout.JAVA_LONG, place + BlackBoxDescriptor.PUBLISHED_OFFSET, nowNs);
        }
    }

    /**
     * Goes to the next op.
     *
     * @return false if there is no room for it; it is counted
     */
    public boolean next() {
        nOps++;
        if (nRows == rows) {
            return false;
        }
        row = place + BlackBoxDescriptor.SNAPSHOT_HEADER_BYTES + nRows++ * BlackBoxDescriptor.ROW_BYTES;
        return true;
    }

    /**
     * Says which op it is.
     *
     * @param opCount    the grouping key
     * @param connection its id
     * @param sinceNs    when it was fetched
     * @param movedNs    when it was last found to have moved
     */
    public void op(long opCount, long connection, long sinceNs, long movedNs) {
        memory.set(ValueLayout.JAVA_LONG, row, opCount);
        memory.set(ValueLayout.JAVA_LONG, row + CONNECTION, connection);
        memory.set(ValueLayout.JAVA_LONG, row + SINCE, sinceNs);
        memory.set(ValueLayout.JAVA_LONG, row + MOVED, movedNs);
    }

    /**
     * Says where it leads.
     *
     * @param direction of the data
     * @param peer      rank at the other end
     * @param channel   of the communicator
     * @param transport that carries it, of which 8 ASCII characters are kept
     */
    public void way(Direction direction, int peer, int channel, String transport) {
        memory.set(ValueLayout.JAVA_BYTE, row + DIRECTION, (byte) direction.ordinal());
        memory.set(ValueLayout.JAVA_INT, row + PEER, peer);
        memory.set(ValueLayout.JAVA_SHORT, row + CHANNEL, (short) channel);
        for (int i = 0; i < TRANSPORT_BYTES; i++) {
            memory.set(ValueLayout.JAVA_BYTE, row + TRANSPORT + i,
                    (byte) (i < transport.length() ? transport.charAt(i) : 0));
        }
    }

    /**
     * Says what it is a part of.
     *
     * @param protocol code of it
     * @param coll     code of the collective
     * @param dtype    code of the type of the elements
     * @param redOp    code of the reduction
     */
    public void kind(int protocol, int coll, int dtype, int redOp) {
        memory.set(ValueLayout.JAVA_BYTE, row + PROTOCOL, (byte) protocol);
        memory.set(ValueLayout.JAVA_BYTE, row + COLL, (byte) coll);
        memory.set(ValueLayout.JAVA_BYTE, row + DTYPE, (byte) dtype);
        memory.set(ValueLayout.JAVA_BYTE, row + RED_OP, (byte) redOp);
    }

    /**
     * Says how large it is.
     *
     * @param nbytes most bytes of a slice
     * @param nsteps its steps
     * @param base   absolute step at which it starts
     */
    public void size(long nbytes, int nsteps, long base) {
        memory.set(ValueLayout.JAVA_LONG, row + NBYTES, nbytes);
        memory.set(ValueLayout.JAVA_INT, row + NSTEPS, nsteps);
        memory.set(ValueLayout.JAVA_LONG, row + BASE, base);
    }

    /**
     * Says how far it is, in steps from its base on.
     *
     * @param posted      offered to the kernel, or to the network
     * @param received    that came in
     * @param transmitted that went out, or on to the kernel
     * @param done        that nothing is left to do for
     */
    public void steps(long posted, long received, long transmitted, long done) {
        memory.set(ValueLayout.JAVA_INT, row + POSTED, (int) posted);
        memory.set(ValueLayout.JAVA_INT, row + RECEIVED, (int) received);
        memory.set(ValueLayout.JAVA_INT, row + TRANSMITTED, (int) transmitted);
        memory.set(ValueLayout.JAVA_INT, row + DONE, (int) done);
    }

    /**
     * Says where it stands in the list.
     *
     * @param state of its group, the ordinal
     * @param group number of the group, from 0 on
     * @param depth 0 for one that is advanced, more for those that wait behind it
     */
    public void place(int state, int group, int depth) {
        memory.set(ValueLayout.JAVA_BYTE, row + STATE, (byte) state);
        memory.set(ValueLayout.JAVA_INT, row + GROUP, group);
        memory.set(ValueLayout.JAVA_INT, row + DEPTH, depth);
    }

    /**
     * Adds something else that waits, such as a kernel, if there is room.
     *
     * @param sinceNs from when on it has not moved
     * @param text    for people, of which 248 bytes are kept
     */
    public void wait(long sinceNs, String text) {
        if (nWaits < waits) {
            long offset = place + BlackBoxDescriptor.SNAPSHOT_HEADER_BYTES + rows * BlackBoxDescriptor.ROW_BYTES
                    + nWaits++ * BlackBoxDescriptor.WAIT_BYTES;
            memory.set(ValueLayout.JAVA_LONG, offset, sinceNs);
            Counters.text(memory, offset + Long.BYTES, BlackBoxDescriptor.WAIT_TEXT_BYTES, text);
        }
    }

    /** Says that what waited at the last snapshot, beside ops, still does. */
    public void keepWaits() {
        if (lastWaits > 0) {
            long offset = BlackBoxDescriptor.SNAPSHOT_HEADER_BYTES + rows * BlackBoxDescriptor.ROW_BYTES;
            long before = BlackBoxDescriptor.HEADER_BYTES
                    + (number & 1) * BlackBoxDescriptor.snapshotBytes(rows, waits);
            MemorySegment.copy(memory, before + offset, memory, place + offset,
                    lastWaits * BlackBoxDescriptor.WAIT_BYTES);
            nWaits = lastWaits;
        }
    }

    /** Makes the snapshot the last whole one. */
    public void end() {
        isEmpty = nOps + nWaits == 0;
        lastWaits = nWaits;
        if (rows > 0) {
            memory.set(ValueLayout.JAVA_INT, place + BlackBoxDescriptor.SNAPSHOT_ROWS_OFFSET, nRows);
            memory.set(ValueLayout.JAVA_INT, place + BlackBoxDescriptor.SNAPSHOT_OPS_OFFSET, nOps);
            memory.set(ValueLayout.JAVA_INT, place + BlackBoxDescriptor.SNAPSHOT_WAITS_OFFSET, nWaits);
            LONG.setRelease(memory, BlackBoxDescriptor.SNAPSHOT_OFFSET, ++number);
        }
    }
}
