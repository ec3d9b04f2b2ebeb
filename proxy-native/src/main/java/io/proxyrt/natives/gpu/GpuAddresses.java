/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Where all memory of a driver's devices lies, whichever of this process's ranks has it. Any thread; looking memory up
 * neither locks nor allocates.
 */
final class GpuAddresses {
    private static final Comparator<GpuMemory> BY_PLACE = Comparator.comparingLong(GpuAddresses::start)
            .thenComparingLong(GpuMemory::bytes);

    /** Never changed, but replaced. */
    private volatile GpuMemory[] memories = {};

    synchronized void add(GpuMemory memory) {
        GpuMemory[] more = Arrays.copyOf(memories, memories.length + 1);
        more[more.length - 1] = memory;
        Arrays.sort(more, BY_PLACE);
        memories = more;
    }

    synchronized void remove(GpuMemory memory) {
        memories = Arrays.stream(memories).filter(other -> other != memory).toArray(GpuMemory[]::new);
    }

    /** The address that a device knows those of a segment by; 0 if its kernels do not reach them. */
    long find(int ordinal, long address, long bytes) {
        GpuMemory[] sorted = memories;
        // Memories overlap where one was opened twice or is another library's too, so the nearest need not have it all.
        for (int i = lastFrom(sorted, address); i >= 0; i--) {
            long offset = address - start(sorted[i]);
            if (offset <= sorted[i].bytes() - bytes && isFor(sorted[i], ordinal)) {
                return sorted[i].address() + offset;
            }
        }
        return 0;
    }

    /** The last that begins there or before; -1 if none does. */
    private static int lastFrom(GpuMemory[] sorted, long address) {
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = low + high >>> 1;
            if (start(sorted[middle]) <= address) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    /** The host's memory is allocated and registered for all devices. */
    private static boolean isFor(GpuMemory memory, int ordinal) {
        return memory.device().ordinal() == ordinal || memory.isHostAccessible();
    }

    /** For the CPU, where it has another address: that is what segments have. */
    private static long start(GpuMemory memory) {
        return memory.range().address();
    }
}
