/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.reduction.Accumulator;

/** How large the chunks of a group are. */
final class ChunkSize {
    /** Slots of a ring: small calls take one each, and participants have as many outstanding. */
    static final int RING_SLOTS = 8;
    /** What an operand is read into, the accumulator, and the rings up and down. */
    static final int MOST_CHUNKS = 1 + Accumulator.MAX_KINDS + 2 * RING_SLOTS;
    static final int MIN_BYTES = 8 << 10;
    /** What is read and what it is combined into fit the second-level cache. */
    static final int MAX_BYTES = 128 << 10;

    private ChunkSize() {
    }

    /** The largest power of two of which a group can have all its chunks. */
    static int of(long jobBytes) {
        return Math.clamp(Long.highestOneBit(jobBytes / MOST_CHUNKS), MIN_BYTES, MAX_BYTES);
    }
}
