/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceModule;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.testkit.device.ConformanceKernels;
import io.proxyrt.testkit.device.DeviceFactory;
import java.lang.foreign.Arena;

/** Devices of a stand-in, as the bindings find them. */
abstract class StandInDevices implements DeviceFactory {
    private final StandInGpu gpu;

    StandInDevices(GpuAbi abi) {
        gpu = StandInGpu.of(abi);
    }

    /** The driver's double. */
    final StandInGpu gpu() {
        return gpu;
    }

    @Override
    public final Device open(int number) {
        return Devices.open(gpu.abi().kind() + ":" + number, 0, config());
    }

    @Override
    public final DeviceModule load(Device device, Arena arena) {
        return device.compile(ConformanceKernels.NAME, ConformanceKernels.source());
    }

    final ProxyConfig config() {
        return ProxyConfig.builder().set(gpu.option(), gpu.folder().toString()).build();
    }

    /** CUDA's. */
    public static final class Cuda extends StandInDevices {
        /** For the suite, and the other process. */
        public Cuda() {
            super(GpuAbi.CUDA);
        }
    }

    /** Of ROCm 5. */
    public static final class Hip5 extends StandInDevices {
        /** For the suite, and the other process. */
        public Hip5() {
            super(GpuAbi.HIP5);
        }
    }

    /** Of ROCm 6. */
    public static final class Hip6 extends StandInDevices {
        /** For the suite, and the other process. */
        public Hip6() {
            super(GpuAbi.HIP6);
        }
    }

    /** Of ROCm 7. */
    public static final class Hip7 extends StandInDevices {
        /** For the suite, and the other process. */
        public Hip7() {
            super(GpuAbi.HIP7);
        }
    }
}
