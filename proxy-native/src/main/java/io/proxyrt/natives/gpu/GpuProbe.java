/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.device.DeviceAttributes;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceLimits;
import io.proxyrt.core.platform.Platform;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;

/** Finds out what a device is and what it can do. What a driver says it has, it may not have in a container. */
final class GpuProbe {
    private static final Logger LOGGER = Subsystem.INIT.logger();
    private static final long SAMPLE_BYTES = 2 << 20;

    private final GpuProcess process;
    private final GpuApi api;
    private final int ordinal;

    /** The device is the calling thread's. */
    GpuProbe(GpuProcess process, int ordinal) {
        this.process = process;
        this.api = process.api();
        this.ordinal = ordinal;
    }

    DeviceAttributes attributes(boolean isShareable) {
        DeviceLimits limits = new DeviceLimits(atLeast(1, GpuAttribute.PROCESSORS),
                atLeast(1, GpuAttribute.WARP_SIZE), atLeast(1, GpuAttribute.ASYNC_ENGINES),
                atLeast(1, GpuAttribute.MAX_BLOCK_THREADS), atLeast(0, GpuAttribute.MAX_SHARED_BYTES),
                isShareable ? api.memGranularity(ordinal) : 1);
        String pciId = api.pciBusId(ordinal);
        return new DeviceAttributes(api.kind(), api.model(ordinal), api.architecture(ordinal), pciId, numaNode(pciId),
                api.memoryBytes(ordinal), limits);
    }

    Set<DeviceCapability> capabilities() {
        EnumSet<DeviceCapability> all = EnumSet.of(DeviceCapability.HOST_REGISTRATION, DeviceCapability.ASYNC_COPY,
                DeviceCapability.PEER_ACCESS, DeviceCapability.MODULES, DeviceCapability.FOREIGN_HANDLES);
        boolean hasDescriptors = Platform.find().whyNot().isEmpty();
        add(all, DeviceCapability.SHAREABLE_MEMORY, hasDescriptors && mayHave(GpuAttribute.POSIX_FD_HANDLES)
                && works("memory with a descriptor", this::exportFd));
        add(all, DeviceCapability.IPC_HANDLES, hasDescriptors && works("memory with a handle", this::exportIpc));
        add(all, DeviceCapability.DMA_BUF, hasDescriptors && has(GpuAttribute.DMA_BUF));
        add(all, DeviceCapability.COMPILER, api.compiler().whyNot().isEmpty());
        add(all, DeviceCapability.HDP_REGISTER, api.hdpRegister(ordinal) != null);
        add(all, DeviceCapability.CONCURRENT_PROCESSES, mayHave(GpuAttribute.CONCURRENT_PROCESSES));
        add(all, DeviceCapability.GRAPHS, api.graphs().whyNot().isEmpty());
        add(all, DeviceCapability.WRITE_FLUSH, has(GpuAttribute.FLUSH_REMOTE_WRITES));
        return Collections.unmodifiableSet(all);
    }

    private static void add(Set<DeviceCapability> all, DeviceCapability capability, boolean isThere) {
        if (isThere) {
            all.add(capability);
        }
    }

    private boolean has(GpuAttribute attribute) {
        return api.attribute(attribute, ordinal) == 1;
    }

    /** Some drivers have a thing, but no number that says so. */
    private boolean mayHave(GpuAttribute attribute) {
        return api.attribute(attribute, ordinal) != 0;
    }

    private int atLeast(int least, GpuAttribute attribute) {
        return Math.max(least, api.attribute(attribute, ordinal));
    }

    private boolean works(String what, Runnable sample) {
        try {
            sample.run();
            return true;
        } catch (ProxyException e) {
            LOGGER.debug("{}:{} has no {}: {}", api.kind(), ordinal, what, e.getMessage());
            return false;
        }
    }

    private void exportFd() {
        long handle = api.memCreate(ordinal, api.memGranularity(ordinal));
        try {
            Platform.find().descriptors().adopt(api.memExport(handle)).close();
        } finally {
            api.memRelease(handle);
        }
    }

    private void exportIpc() {
        long address = api.malloc(SAMPLE_BYTES);
        try (Arena arena = Arena.ofConfined()) {
            api.ipcGetMemHandle(address, arena.allocate(GpuApi.IPC_HANDLE_BYTES, Long.BYTES));
        } finally {
            process.reclaimer().release(new GpuReclaimer.Release(ordinal, "a sample", true,
                    gpu -> gpu.free(address)));
        }
    }

    /** What the driver does not tell, the system may. */
    private int numaNode(String pciId) {
        int told = api.attribute(GpuAttribute.NUMA_NODE, ordinal);
        if (told >= 0 || pciId.isEmpty()) {
            return told;
        }
        try {
            return Integer.parseInt(Files.readString(Path.of("/sys/bus/pci/devices", pciId, "numa_node")).strip());
        } catch (IOException | NumberFormatException e) {
            return -1;
        }
    }
}
