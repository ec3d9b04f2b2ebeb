/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceGraph;
import io.proxyrt.core.device.DeviceStream;

/** A graph that can be launched. */
final class GpuGraph implements DeviceGraph {
    private final GpuDevice device;
    private final long executable;
    private boolean isClosed;

    GpuGraph(GpuDevice device, long executable) {
        this.device = device;
        this.executable = executable;
    }

    GpuDevice device() {
        return device;
    }

    long executable() {
        return executable;
    }

    boolean isClosed() {
        return isClosed;
    }

    @Override
    public int launch(DeviceStream stream) {
        return stream instanceof GpuStream own ? own.launch(this) : -ProxyResult.INVALID_ARGUMENT.code();
    }

    /** {@inheritDoc} The driver drops it when it is launched no more. */
    @Override
    public void close() {
        if (!isClosed) {
            device.checkThread();
            isClosed = true;
            if (device.tryEnter() > 0) {
                device.api().graphs().destroyExecutable(executable);
            }
        }
    }
}
