/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DmaBuf;
import io.proxyrt.core.platform.Platform;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Names a device's memory for others: processes and adapters. The device is the calling thread's. */
final class GpuExporter {
    private final String device;
    private final GpuApi api;

    GpuExporter(GpuDevice device) {
        this.device = device.name();
        this.api = device.api();
    }

    OwnedFd fd(GpuMemory memory) {
        // Locked, so that it is not closed meanwhile.
        synchronized (memory) {
            if (memory.isAlive() && memory.backing() instanceof GpuBacking.Shareable shareable) {
                return Platform.find().descriptors().adopt(api.memExport(shareable.handle()));
            }
        }
        throw new ProxyException(ProxyResult.INVALID_ARGUMENT, memory + " has no file descriptor; allocate it"
                + " shareable");
    }

    byte[] ipcHandle(GpuMemory memory) {
        if (memory.backing() instanceof GpuBacking.Exported exported) {
            return exported.handle().clone();
        }
        throw new ProxyException(ProxyResult.INVALID_ARGUMENT, memory + " has no handle; allocate it by allocateIpc");
    }

    DmaBuf dmaBuf(GpuMemory memory, long offset, long bytes) {
        long whole = GpuAllocator.rounded(memory.bytes(), GpuAllocator.PAGE);
        if (offset < 0 || bytes < 1 || offset > whole - bytes || (offset | bytes) % GpuAllocator.PAGE != 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, memory + " has " + memory.bytes()
                    + " bytes, of which " + bytes + " at " + offset + " are no pages");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment start = arena.allocate(JAVA_LONG);
            int fd = api.exportDmaBuf(memory.address() + offset, bytes, start);
            return new DmaBuf(Platform.find().descriptors().adopt(fd), start.get(JAVA_LONG, 0));
        } catch (ProxyException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, device + " exports no dma-buf of " + bytes
                    + " bytes at " + offset + " of " + memory + ": " + e.getMessage(), e);
        }
    }
}
