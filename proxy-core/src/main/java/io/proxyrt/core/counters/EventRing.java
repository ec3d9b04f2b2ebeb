/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The last events of one thread, in the mapped file, for those who look when the process is dead. Written by that
 * thread alone: plain stores, then a release store of the position; no lock, no allocation, no system call.
 *
 * <pre>
 *   0 timeNs long | 8 opCount long | 16 connection long | 24 value long
 *  32 type byte | detail byte | channel short | peer int
 * </pre>
 *
 * <p>Equal calls that are of one look at the clock share a place, so that a small call costs little: the channel is how
 * many more of them followed the first. A reader takes no event whose place the writer may be at.
 */
public final class EventRing {
    static final long OP_COUNT = 8;
    static final long CONNECTION = 16;
    static final long VALUE = 24;
    static final long TYPE = 32;
    static final long DETAIL = 33;
    static final long CHANNEL = 34;
    static final long PEER = 36;
    /** For events that are of no other rank. */
    public static final int NO_PEER = -1;
    /** How many calls may follow another one in its place. */
    static final int MAX_REPEATS = 15;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    /** One that forgets all. */
    public static final EventRing FORGETFUL = new EventRing(MemorySegment.NULL, 0);

    private final MemorySegment memory;
    private final int events;
    private long position;
    private int place;
    private long callNs;
    private long callNumber;
    private long callWord;
    private long callBytes;
    /** How many calls followed the one in the last place, or -1 if there is no such one. */
    private int repeats = -1;

    /** One without room forgets all. */
    EventRing(MemorySegment memory, int events) {
        this.memory = memory;
        this.events = events;
    }

    /**
     * Adds an event of an op; the thread that owns the ring only.
     *
     * @param nowNs      of the monotonic clock
     * @param type       what happened
     * @param detail     of the type
     * @param opCount    of the op
     * @param connection its id
     * @param channel    of the communicator
     * @param peer       rank at the other end, or {@link #NO_PEER}
     * @param value      of the type
     */
    public void add(long nowNs, EventType type, int detail, long opCount, long connection, int channel, int peer,
            long value) {
        if (events == 0) {
            return;
        }
        try {
            write(nowNs, type, detail, opCount, connection, channel, peer, value);
        } catch (IllegalStateException e) {
            // The runtime is closed, and the file gone.
            return;
        }
    }

    /**
     * Adds that a communicator was asked for something; the thread that owns the ring only.
     *
     * @param nowNs  of the monotonic clock
     * @param number of the call among the communicator's collectives; 0 for a message
     * @param word   what it is, as the communicator encodes it
     * @param bytes  of it
     * @param peer   of a message, or {@link #NO_PEER}
     */
    public void called(long nowNs, long number, long word, long bytes, int peer) {
        if (isRepeat(nowNs, number, word, bytes)) {
            repeats++;
            callNumber = number;
            setRepeats();
            return;
        }
        add(nowNs, EventType.CALLED, 0, number, word, 0, peer, bytes);
        callNs = nowNs;
        callNumber = number;
        callWord = word;
        callBytes = bytes;
        repeats = peer == NO_PEER && events != 0 ? 0 : -1;
    }

    private boolean isRepeat(long nowNs, long number, long word, long bytes) {
        return repeats >= 0 && nowNs == callNs && number == callNumber + 1 && word == callWord && bytes == callBytes
                && repeats < MAX_REPEATS;
    }

    private void setRepeats() {
        try {
            memory.set(ValueLayout.JAVA_INT, lastOffset() + TYPE, EventType.CALLED.ordinal() | repeats << 16);
        } catch (IllegalStateException e) {
            // As before.
            return;
        }
    }

    private long lastOffset() {
        return BlackBoxDescriptor.RING_HEADER_BYTES
                + (place == 0 ? events - 1 : place - 1) * BlackBoxDescriptor.EVENT_BYTES;
    }

    /**
     * Says when the call that was added last happened, which was not known then; the thread that owns the ring only.
     *
     * @param nowNs of the monotonic clock
     */
    public void timed(long nowNs) {
        if (position == 0) {
            return;
        }
        if (repeats > 0) {
            repeats--;
            setRepeats();
            repeats = -1;
            called(nowNs, callNumber, callWord, callBytes, NO_PEER);
            return;
        }
        try {
            memory.set(ValueLayout.JAVA_LONG, lastOffset(), nowNs);
            callNs = nowNs;
        } catch (IllegalStateException e) {
            // As before.
            return;
        }
    }

    /**
     * Says that all calls so far have ended, the last collective among them being this one; the thread that owns the
     * ring only.
     *
     * @param number of the call
     */
    public void finished(long number) {
        if (events == 0) {
            return;
        }
        try {
            memory.set(ValueLayout.JAVA_LONG, BlackBoxDescriptor.ENDED_OFFSET, position);
            LONG.setRelease(memory, BlackBoxDescriptor.FINISHED_OFFSET, number);
        } catch (IllegalStateException e) {
            // As before.
            return;
        }
    }

    private void write(long nowNs, EventType type, int detail, long opCount, long connection, int channel, int peer,
            long value) {
        // No store into the place of an old event comes before the position from which on it does not count.
        VarHandle.storeStoreFence();
        long offset = BlackBoxDescriptor.RING_HEADER_BYTES + place * BlackBoxDescriptor.EVENT_BYTES;
        memory.set(ValueLayout.JAVA_LONG, offset, nowNs);
        memory.set(ValueLayout.JAVA_LONG, offset + OP_COUNT, opCount);
        memory.set(ValueLayout.JAVA_LONG, offset + CONNECTION, connection);
        memory.set(ValueLayout.JAVA_LONG, offset + VALUE, value);
        memory.set(ValueLayout.JAVA_INT, offset + TYPE,
                type.ordinal() | (detail & 0xff) << 8 | (channel & 0xffff) << 16);
        memory.set(ValueLayout.JAVA_INT, offset + PEER, peer);
        place = place + 1 == events ? 0 : place + 1;
        repeats = -1;
        LONG.setRelease(memory, 0L, ++position);
    }

    /**
     * Adds an event that is of no op; the thread that owns the ring only.
     *
     * @param type   what happened
     * @param detail of the type
     * @param number of the call, or 0
     * @param value  of the type
     */
    public void add(EventType type, int detail, long number, long value) {
        if (events != 0) {
            add(System.nanoTime(), type, detail, number, 0, 0, NO_PEER, value);
        }
    }
}
