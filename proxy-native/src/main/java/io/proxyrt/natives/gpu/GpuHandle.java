/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

/** What a driver made for a device, and takes back at once: it keeps what streams still need of it. */
abstract sealed class GpuHandle implements AutoCloseable permits GpuEvent, GpuGraph {
    private final GpuDevice device;
    private final long handle;
    private boolean isClosed;

    GpuHandle(GpuDevice device, long handle) {
        this.device = device;
        this.handle = handle;
    }

    final GpuDevice device() {
        return device;
    }

    final long handle() {
        return handle;
    }

    final boolean isClosed() {
        return isClosed;
    }

    /** Gives it back to the driver. The device is the calling thread's. */
    abstract void destroy(GpuApi api);

    @Override
    public final void close() {
        if (isClosed) {
            return;
        }
        device.checkThread();
        isClosed = true;
        device.destroy(this);
    }
}
