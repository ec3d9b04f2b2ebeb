/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import java.lang.foreign.MemorySegment;

/** A message of a rank to itself, as far as it was copied. Prepared anew for each. */
final class LocalCopy {
    /** Between two looks at the connections. */
    private static final long MOST_BYTES = 1 << 20;

    private MemorySegment from;
    private MemorySegment to;
    private long fromOffset;
    private long toOffset;
    private long left;

    void prepare(MessagePart part, MemorySegment target, long targetOffset) {
        from = part.buffer();
        fromOffset = part.offset();
        left = part.bytes();
        to = target;
        toOffset = targetOffset;
    }

    /** Copies a piece. Returns whether that was all. */
    boolean doWork() {
        long bytes = Math.min(MOST_BYTES, left);
        MemorySegment.copy(from, fromOffset, to, toOffset, bytes);
        fromOffset += bytes;
        toOffset += bytes;
        left -= bytes;
        return left == 0;
    }

    /** Forgets the user's memory. */
    void clear() {
        from = null;
        to = null;
    }
}
