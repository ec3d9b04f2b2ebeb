/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceEvent;

/** An event of the driver. */
final class GpuEvent extends GpuHandle implements DeviceEvent {
    GpuEvent(GpuDevice device, long handle) {
        super(device, handle);
    }

    @Override
    public int query() {
        if (isClosed()) {
            return -ProxyResult.INVALID_USAGE.code();
        }
        int entered = device().tryEnter();
        if (entered < 0) {
            return entered;
        }
        int code = device().api().eventQuery(handle());
        if (code == GpuApi.SUCCESS) {
            return 1;
        }
        return code == GpuApi.NOT_READY ? 0 : -device().api().result(code).code();
    }

    @Override
    void destroy(GpuApi api) {
        api.eventDestroy(handle());
    }
}
