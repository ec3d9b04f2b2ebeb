/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.device.Copier;
import io.proxyrt.core.platform.NativeCopy;
import java.lang.foreign.MemorySegment;

/** As fast as it is told: a free one copies nothing. */
final class FakeLibrary implements NativeCopy {
    int copies;
    long delayNs;
    boolean isFree;

    @Override
    public void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes) {
        copies++;
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < delayNs) {
            Thread.onSpinWait();
        }
        if (!isFree) {
            Copier.JVM.copy(from, fromOffset, to, toOffset, bytes);
        }
    }

    @Override
    public void copyArray(MemorySegment array, MemorySegment to, long toOffset, long bytes) {
        copy(array, 0, to, toOffset, bytes);
    }
}
