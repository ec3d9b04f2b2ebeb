/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.testkit.Extent;
import io.proxyrt.testkit.device.DeviceFactory;
import java.util.Set;
import org.junit.jupiter.api.Tag;

@Tag(Extent.ONLY_FULL)
class Hip6DeviceTest extends StandInConformance {
    @Override
    protected DeviceFactory factory() {
        return new StandInDevices.Hip6();
    }

    /** A register flushes, and no call. */
    @Override
    Set<DeviceCapability> lacking() {
        return Set.of(DeviceCapability.WRITE_FLUSH, DeviceCapability.GRAPHS);
    }
}
