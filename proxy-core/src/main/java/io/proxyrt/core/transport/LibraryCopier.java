/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.device.Copier;
import io.proxyrt.core.platform.NativeCopy;
import java.lang.foreign.MemorySegment;

/** The C library's copy, where it can reach the memory and is worth a native call; else the JVM's. */
record LibraryCopier(NativeCopy library) implements Copier {
    /** Smaller copies are over before a native call is. */
    static final int SMALLEST = 1 << 12;

    /** Whether a copy is worth it, and has nothing to do with the Java heap, where a user may have messages. */
    static boolean takes(MemorySegment from, MemorySegment to, long bytes) {
        return bytes >= SMALLEST && from.isNative() && to.isNative();
    }

    @Override
    public void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes) {
        if (takes(from, to, bytes)) {
            library.copy(from, fromOffset, to, toOffset, bytes);
        } else {
            JVM.copy(from, fromOffset, to, toOffset, bytes);
        }
    }

    @Override
    public void copyBlock(MemorySegment array, MemorySegment to, long toOffset, int bytes) {
        if (bytes >= SMALLEST) {
            library.copyArray(array, to, toOffset, bytes);
        } else {
            JVM.copyBlock(array, to, toOffset, bytes);
        }
    }
}
