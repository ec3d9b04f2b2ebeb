/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** A piece of memory that a work request names: {@code ibv_sge}. */
public final class ScatterGather {
    /** Bytes of one. */
    public static final long BYTES = 16;

    private static final long ADDRESS = 0;
    private static final long LENGTH = 8;
    private static final long LKEY = 12;

    private ScatterGather() {
    }

    /**
     * Writes one.
     *
     * @param memory  where it lies
     * @param at      its offset there
     * @param address of the piece
     * @param length  bytes of the piece
     * @param lkey    of the region that it lies in
     */
    public static void set(MemorySegment memory, long at, long address, int length, int lkey) {
        memory.set(JAVA_LONG, at + ADDRESS, address);
        memory.set(JAVA_INT, at + LENGTH, length);
        memory.set(JAVA_INT, at + LKEY, lkey);
    }

    /**
     * Where the piece begins.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return an address of this process, or of the region's own numbering
     */
    public static long address(MemorySegment memory, long at) {
        return memory.get(JAVA_LONG, at + ADDRESS);
    }

    /**
     * How long the piece is.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return bytes
     */
    public static int length(MemorySegment memory, long at) {
        return memory.get(JAVA_INT, at + LENGTH);
    }

    /**
     * Which region the piece lies in.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return its local key
     */
    public static int lkey(MemorySegment memory, long at) {
        return memory.get(JAVA_INT, at + LKEY);
    }
}
