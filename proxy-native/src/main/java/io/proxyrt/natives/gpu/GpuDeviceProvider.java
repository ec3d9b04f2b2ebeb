/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceProvider;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The devices of a driver. */
abstract class GpuDeviceProvider implements DeviceProvider {
    private static final Map<GpuApi, GpuProcess> PROCESSES = new ConcurrentHashMap<>();

    private final String kind;

    GpuDeviceProvider(String kind) {
        this.kind = kind;
    }

    @Override
    public final String kind() {
        return kind;
    }

    @Override
    public final String whyNot(ProxyConfig config) {
        return GpuDriver.find(kind, config).whyNot();
    }

    @Override
    public final String version(ProxyConfig config) {
        GpuApi api = GpuDriver.find(kind, config).api();
        return api == null ? "" : api.version();
    }

    @Override
    public final int count(ProxyConfig config) {
        GpuDriver driver = GpuDriver.find(kind, config);
        return driver.whyNot().isEmpty() ? driver.api().deviceCount() : 0;
    }

    @Override
    public final Device open(int ordinal, ProxyConfig config) {
        GpuDriver driver = GpuDriver.find(kind, config);
        int count = count(config);
        if (ordinal < 0 || ordinal >= count) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "there is no device " + kind + ":" + ordinal + ": "
                    + (count == 0 ? driver.whyNot() : "this process sees " + count + ", from 0"));
        }
        return new GpuDevice(PROCESSES.computeIfAbsent(driver.api(), GpuProcess::new), ordinal);
    }
}
