/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.testkit.device.DeviceFactory;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CudaDeviceTest extends StandInConformance {
    @Override
    protected DeviceFactory factory() {
        return new StandInDevices.Cuda();
    }

    /** The register is AMD's: for CUDA, a call flushes. */
    @Override
    Set<DeviceCapability> lacking() {
        return Set.of(DeviceCapability.HDP_REGISTER);
    }

    @Test
    void shouldFlushOnlyWhatComesInNoOrder() {
        try (Device ordered = factory().open(1)) {
            assertFalse(ordered.capabilities().contains(DeviceCapability.WRITE_FLUSH));
            assertEquals(ProxyResult.INVALID_USAGE, assertThrows(ProxyException.class, ordered::flush).result());
        }
    }
}
