/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DmaBuf;
import java.lang.foreign.MemorySegment;
import java.util.function.BiFunction;

/** Memory of a device's own, as adapters get to know it: drivers export whole pages. */
public final class DevicePages {
    private static final long PAGE_BYTES = 4096;

    private DevicePages() {
    }

    /**
     * Exports the pages around a range for as long as they are being registered.
     *
     * @param device   of the memory
     * @param memory   of the device
     * @param range    of the memory
     * @param register gets the pages and their dma-buf, which is closed afterwards
     * @param <T>      a registration
     * @return as registered
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the memory ends within a page of the range; else
     *                        what the driver or the registration threw
     */
    public static <T> T export(Device device, DeviceMemory memory, MemorySegment range,
            BiFunction<MemorySegment, DmaBuf, T> register) {
        long start = range.address() - memory.address();
        long from = start & -PAGE_BYTES;
        long bytes = (start + range.byteSize() + PAGE_BYTES - 1 & -PAGE_BYTES) - from;
        if (from + bytes > memory.bytes()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, device.name() + ": memory of " + memory.bytes()
                    + " bytes ends within a page, and networks take whole ones of " + PAGE_BYTES);
        }
        try (DmaBuf dmaBuf = device.exportDmaBuf(memory, from, bytes)) {
            return register.apply(memory.range().asSlice(from, bytes), dmaBuf);
        }
    }
}
