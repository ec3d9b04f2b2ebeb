/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DmaBuf;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import java.lang.foreign.MemorySegment;

/**
 * A user's memory that is registered with a comm.
 *
 * @param memory as the network knows it
 * @param offset of the user's first byte in it
 * @param bytes  of the user's
 * @param device whose memory it is, so that it has to be flushed; null for the host's
 */
record UserMemory(CollNetMemory memory, long offset, long bytes, Device device) implements AutoCloseable {
    /** What drivers export: whole pages. */
    private static final long PAGE_BYTES = 4096;

    static UserMemory register(CollNetComm comm, Device device, DeviceMemory memory, MemorySegment range) {
        if (memory.isHostAccessible()) {
            return new UserMemory(comm.regMr(range), 0, range.byteSize(), null);
        }
        if (!device.capabilities().contains(DeviceCapability.DMA_BUF)) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, device.name() + ": its memory cannot be exported to a"
                    + " network; what is sent from there goes through the slots of connections");
        }
        return export(comm, device, memory, range);
    }

    /** Registers the pages around a range of the device's memory. */
    private static UserMemory export(CollNetComm comm, Device device, DeviceMemory memory, MemorySegment range) {
        long start = range.address() - memory.address();
        long from = start & -PAGE_BYTES;
        long bytes = (start + range.byteSize() + PAGE_BYTES - 1 & -PAGE_BYTES) - from;
        if (from + bytes > memory.bytes()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, device.name() + ": memory of " + memory.bytes()
                    + " bytes ends within a page, and networks take whole ones of " + PAGE_BYTES);
        }
        try (DmaBuf dmaBuf = device.exportDmaBuf(memory, from, bytes)) {
            CollNetMemory registered = comm.regMrDmaBuf(memory.range().asSlice(from, bytes), dmaBuf);
            return new UserMemory(registered, start - from, range.byteSize(), device);
        }
    }

    /** Whether a part of it is the user's. */
    boolean has(long start, long length) {
        return start >= 0 && length >= 0 && start <= bytes - length;
    }

    @Override
    public void close() {
        memory.close();
    }
}
