/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/** Memory as a device sees it: by address, whichever thread it is confined to. */
final class SoftMemory {
    /** The address space of this process. */
    @SuppressWarnings("restricted")
    static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private static final VarHandle LONGS = JAVA_LONG.varHandle();
    private static final VarHandle BYTES = JAVA_BYTE.varHandle();

    private SoftMemory() {
    }

    /**
     * Copies in ascending order. A thread that polls the target sees nothing of it without all that lies before, and
     * aligned longs at once.
     */
    static void copy(long from, long to, long bytes) {
        long end = to + bytes;
        long distance = from - to;
        long longs = Math.min(end, to + 7 & -Long.BYTES);
        long tail = Math.max(longs, end & -Long.BYTES);
        copyBytes(to, longs, distance);
        for (long at = longs; at < tail; at += Long.BYTES) {
            LONGS.setRelease(ALL, at, ALL.get(JAVA_LONG_UNALIGNED, at + distance));
        }
        copyBytes(tail, end, distance);
    }

    private static void copyBytes(long begin, long end, long distance) {
        for (long at = begin; at < end; at++) {
            BYTES.setRelease(ALL, at, ALL.get(JAVA_BYTE, at + distance));
        }
    }
}
