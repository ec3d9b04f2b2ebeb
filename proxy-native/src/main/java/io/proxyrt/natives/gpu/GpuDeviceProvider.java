/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceProvider;
import java.util.ArrayList;
import java.util.List;
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
        return new GpuDevice(PROCESSES.computeIfAbsent(driver.api(), GpuProcess::new), ordinal,
                flushesByGdrCopy(config) ? GdrCopy.find(config) : null, KernelCache.of(config));
    }

    @Override
    public final List<String> explain(ProxyConfig config) {
        List<String> lines = new ArrayList<>();
        if (config.get(GpuOptions.GDRCOPY_ENABLE) != 0) {
            lines.add("GDRCopy: " + (isOfNvidia() ? gdrCopy(config) : "not used, it is for NVIDIA's GPUs"));
        } else if (isOfNvidia() && config.get(GpuOptions.GDRCOPY_FLUSH_ENABLE) != 0) {
            lines.add("GDRCopy: not used, " + GpuOptions.GDRCOPY_FLUSH_ENABLE + " takes " + GpuOptions.GDRCOPY_ENABLE
                    + ", which is 0");
        }
        for (Option<Integer> option : GpuOptions.IDLE) {
            if (isOfNvidia() && config.get(option) != 0) {
                lines.add(option + ": " + option.description());
            }
        }
        return List.copyOf(lines);
    }

    private static String gdrCopy(ProxyConfig config) {
        GdrCopy found = GdrCopy.find(config);
        return !found.whyNot().isEmpty() ? "not used, " + found.whyNot()
                : found.version() + (config.get(GpuOptions.GDRCOPY_FLUSH_ENABLE) != 0 ? ", flushes in place of networks"
                        : ", of no use: " + GpuOptions.GDRCOPY_FLUSH_ENABLE + " is 0");
    }

    private boolean flushesByGdrCopy(ProxyConfig config) {
        return isOfNvidia() && config.get(GpuOptions.GDRCOPY_ENABLE) != 0
                && config.get(GpuOptions.GDRCOPY_FLUSH_ENABLE) != 0;
    }

    private boolean isOfNvidia() {
        return kind.equals(GpuDriver.CUDA);
    }
}
