/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.testkit.device.DeviceFactory;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CudaDeviceTest extends StandInConformance {
    @Override
    protected DeviceFactory factory() {
        return new StandInDevices.Cuda();
    }

    /** The register is AMD's: for CUDA, a call flushes. And there is no MPS. */
    @Override
    Set<DeviceCapability> lacking() {
        return Set.of(DeviceCapability.HDP_REGISTER, DeviceCapability.CONCURRENT_PROCESSES);
    }

    @Test
    void shouldFlushOnlyWhatComesInNoOrder() {
        try (Device ordered = factory().open(1)) {
            assertFalse(ordered.capabilities().contains(DeviceCapability.WRITE_FLUSH));
            assertEquals(ProxyResult.INVALID_USAGE, assertThrows(ProxyException.class, ordered::flush).result());
        }
    }

    @Test
    void shouldFlushByGdrCopyWhereItIsAskedFor() {
        StandInGpu gpu = StandInGpu.of(GpuAbi.CUDA);
        ProxyConfig config = ProxyConfig.builder().environment(Map.of("NCCL_GDRCOPY_ENABLE", "1",
                "NCCL_GDRCOPY_FLUSH_ENABLE", "1")).set(gpu.option(), gpu.folder().toString()).build();
        try (Device device = Devices.open("cuda:1", 0, config)) {
            assertTrue(device.capabilities().containsAll(
                    Set.of(DeviceCapability.WRITE_FLUSH, DeviceCapability.GDRCOPY_FLUSH)));
            assertEquals(1, device.flush());
        }
        gpu.fail("gdr_map", 1, 12);
        try (Device device = Devices.open("cuda:1", 0, config)) {
            assertFalse(device.capabilities().contains(DeviceCapability.GDRCOPY_FLUSH), "the network flushes");
            assertEquals(2, device.allocate(2).bytes(), "and all else is as ever");
        } finally {
            gpu.reset();
        }
    }
}
