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
 * What each connection has carried, by the low half of its id, for as many as there are rows. The progress thread's:
 * it adds what an op did when that ends; allocates nothing.
 *
 * <pre>
 *   0 connection long              0: free; stored last, with release
 *   8 ops long | 16 bytes long | 24 steps long | 32 endedNs long
 *  40 peer int | direction int
 *  48 transport 8 bytes, ASCII, zero-padded
 * </pre>
 */
public final class Traffic {
    static final long BYTES = 64;
    static final long OPS = 8;
    static final long AMOUNT = 16;
    static final long STEPS = 24;
    static final long ENDED = 32;
    static final long PEER = 40;
    static final long DIRECTION = 44;
    static final long TRANSPORT = 48;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final MemorySegment memory;
    private final int rows;

    Traffic(MemorySegment memory, int rows) {
        this.memory = memory;
        this.rows = rows;
    }

    /**
     * Makes a row for a connection, which begins with 0; at its first op.
     *
     * @param connection its id
     * @param direction  of the data
     * @param peer       rank at the other end
     * @param transport  that carries them, of which 8 ASCII characters are kept
     */
    public void open(long connection, Direction direction, int peer, String transport) {
        int row = (int) connection;
        if (row < 0 || row >= rows) {
            return;
        }
        long offset = row * BYTES;
        LONG.setRelease(memory, offset, 0L);
        // The 0 must not come after what follows: a reader could take it for the connection before.
        VarHandle.storeStoreFence();
        for (long word = OPS; word <= ENDED; word += Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG, offset + word, 0);
        }
        memory.set(ValueLayout.JAVA_INT, offset + PEER, peer);
        memory.set(ValueLayout.JAVA_INT, offset + DIRECTION, direction.ordinal());
        for (int i = 0; i < ActiveOps.TRANSPORT_BYTES; i++) {
            memory.set(ValueLayout.JAVA_BYTE, offset + TRANSPORT + i,
                    (byte) (i < transport.length() ? transport.charAt(i) : 0));
        }
        LONG.setRelease(memory, offset, connection);
    }

    /**
     * Adds an op that has ended.
     *
     * @param connection that {@link #open} was called for
     * @param bytes      that it moved, as far as its transport tells
     * @param steps      of it
     * @param nowNs      of the monotonic clock
     */
    public void add(long connection, long bytes, long steps, long nowNs) {
        int row = (int) connection;
        if (row < 0 || row >= rows) {
            return;
        }
        long offset = row * BYTES;
        add(offset + OPS, 1);
        add(offset + AMOUNT, bytes);
        add(offset + STEPS, steps);
        LONG.setRelease(memory, offset + ENDED, nowNs);
    }

    private void add(long offset, long amount) {
        LONG.setRelease(memory, offset, memory.get(ValueLayout.JAVA_LONG, offset) + amount);
    }
}
