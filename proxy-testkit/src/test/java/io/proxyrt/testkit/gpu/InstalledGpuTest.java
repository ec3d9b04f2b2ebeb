/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceModule;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.testkit.device.ConformanceKernels;
import io.proxyrt.testkit.device.DeviceConformance;
import io.proxyrt.testkit.device.DeviceFactory;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A GPU of this machine, which has to be there then: {@code -Dtestkit.device=cuda}, or {@code hip}. */
@Tag("installed-gpu")
class InstalledGpuTest extends DeviceConformance {
    private static final String KIND = "testkit.device";

    @BeforeAll
    static void needGpu() {
        String kind = System.getProperty(KIND, "");
        assumeTrue(!kind.isEmpty(), "no " + KIND);
        Devices.open(kind + ":0", 0, config()).close();
    }

    @Override
    protected DeviceFactory factory() {
        return new Installed();
    }

    private static ProxyConfig config() {
        return ProxyConfig.builder().build();
    }

    /** Of the kind that was asked for; several numbers share a device where there are fewer. */
    public static final class Installed implements DeviceFactory {
        /** For the suite, and the other process. */
        public Installed() {
        }

        @Override
        public Device open(int number) {
            String kind = System.getProperty(KIND, System.getenv().getOrDefault("TESTKIT_DEVICE", "cuda"));
            int count = Devices.providers().stream().filter(provider -> provider.kind().equals(kind))
                    .mapToInt(provider -> provider.count(config())).sum();
            return Devices.open(kind + ":" + number % Math.max(1, count), 0, config());
        }

        @Override
        public DeviceModule load(Device device, Arena arena) {
            return device.compile(ConformanceKernels.NAME, ConformanceKernels.source());
        }
    }
}
