/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceEvent;

/** An event of the driver. */
final class GpuEvent implements DeviceEvent {
    private final GpuDevice device;
    private final long handle;
    private boolean isClosed;

    GpuEvent(GpuDevice device, long handle) {
        this.device = device;
        this.handle = handle;
    }

    GpuDevice device() {
        return device;
    }

    long handle() {
        return handle;
    }

    boolean isClosed() {
        return isClosed;
    }

    @Override
    public int query() {
        if (isClosed) {
            return -ProxyResult.INVALID_USAGE.code();
        }
        int entered = device.tryEnter();
        if (entered < 0) {
            return entered;
        }
        int code = device.api().eventQuery(handle);
        if (code == GpuApi.SUCCESS) {
            return 1;
        }
        return code == GpuApi.NOT_READY ? 0 : -device.api().result(code).code();
    }

    /** {@inheritDoc} The driver drops it when the stream has passed it. */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        device.checkThread();
        isClosed = true;
        device.destroy(this);
    }
}
