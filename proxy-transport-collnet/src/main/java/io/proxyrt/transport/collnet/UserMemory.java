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
import io.proxyrt.core.transport.DevicePages;
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
    static UserMemory register(CollNetComm comm, Device device, DeviceMemory memory, MemorySegment range) {
        if (memory.isHostAccessible()) {
            return new UserMemory(comm.regMr(range), 0, range.byteSize(), null);
        }
        if (!device.capabilities().contains(DeviceCapability.DMA_BUF)) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, device.name() + ": its memory cannot be exported to "
                    + comm.network() + "; what is sent from there goes through the slots of connections");
        }
        CollNetMemory pages = DevicePages.export(device, memory, range, comm::regMrDmaBuf);
        return new UserMemory(pages, range.address() - pages.segment().address(), range.byteSize(), device);
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
