/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceProvider;
import io.proxyrt.core.device.host.Devices;

/** Another process, which says what it finds of a driver: how many devices, why there is none, and its version. */
final class DriverChild {
    private DriverChild() {
    }

    public static void main(String... arguments) {
        StandInGpu gpu = StandInGpu.of(GpuAbi.valueOf(arguments[0]));
        ProxyConfig config = ProxyConfig.builder().set(gpu.option(), gpu.folder().toString()).build();
        for (DeviceProvider provider : Devices.providers()) {
            if (provider.kind().equals(gpu.abi().kind())) {
                System.out.println(provider.count(config) + " " + provider.whyNot(config));
                System.out.println(provider.version(config));
            }
        }
    }
}
