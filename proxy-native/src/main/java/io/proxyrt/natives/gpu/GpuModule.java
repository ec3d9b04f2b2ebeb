/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceKernel;
import io.proxyrt.core.device.DeviceModule;
import java.lang.foreign.MemorySegment;

/** A module of the driver. */
final class GpuModule implements DeviceModule {
    private final GpuDevice device;
    private final long handle;
    private volatile boolean isClosed;

    private GpuModule(GpuDevice device, long handle) {
        this.device = device;
        this.handle = handle;
    }

    /** The device is the calling thread's. */
    static GpuModule load(GpuDevice device, MemorySegment image) {
        if (!GpuImage.isWhole(image)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, device.name() + ": " + image.byteSize()
                    + " bytes that are no cubin, fat binary, PTX or code object, or not all of it");
        }
        try {
            return new GpuModule(device, device.api().moduleLoad(image));
        } catch (ProxyException e) {
            throw new ProxyException(e.result() == ProxyResult.SYSTEM_ERROR ? e.result() : ProxyResult.INVALID_ARGUMENT,
                    device.name() + " cannot load a module of " + image.byteSize() + " bytes: " + e.getMessage(), e);
        }
    }

    long handle() {
        return handle;
    }

    @Override
    public synchronized DeviceKernel kernel(String name) {
        long function = isClosed ? 0 : device.function(handle, name);
        if (function == 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, device.name() + ": the module "
                    + (isClosed ? "is closed" : "has no kernel " + name));
        }
        return new Kernel(this, name, function);
    }

    /** {@inheritDoc} The driver unloads it when no stream has work. */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        device.checkThread();
        isClosed = true;
        device.unload(this);
    }

    /** A kernel of the driver. */
    record Kernel(GpuModule module, String name, long function) implements DeviceKernel {
        /** Whether a device may launch it. */
        boolean isOf(GpuDevice device) {
            return module.device == device && !module.isClosed;
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
