/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import java.lang.foreign.MemorySegment;

/** The other operand where a sum is only divided. One thread at a time. */
final class Zeros {
    private MemorySegment memory = MemorySegment.ofArray(new byte[0]);

    /** At least so many. */
    MemorySegment of(long bytes) {
        if (memory.byteSize() < bytes) {
            memory = MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
        }
        return memory;
    }
}
