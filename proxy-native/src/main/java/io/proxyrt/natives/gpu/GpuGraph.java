/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceGraph;
import io.proxyrt.core.device.DeviceStream;

/** A graph that can be launched. */
final class GpuGraph extends GpuHandle implements DeviceGraph {
    GpuGraph(GpuDevice device, long executable) {
        super(device, executable);
    }

    @Override
    public int launch(DeviceStream stream) {
        return stream instanceof GpuStream own ? own.launch(this) : -ProxyResult.INVALID_ARGUMENT.code();
    }

    @Override
    void destroy(GpuApi api) {
        api.graphs().destroyExecutable(handle());
    }
}
