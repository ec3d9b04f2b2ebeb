/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceModule;
import io.proxyrt.core.device.host.HostDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** Host devices with all that the platform has. */
public final class HostDeviceFactory implements DeviceFactory {
    /** For the suite, and the other process. */
    public HostDeviceFactory() {
    }

    @Override
    public Device open(int number) {
        return new HostDevice(number);
    }

    @Override
    public DeviceModule load(Device device, Arena arena) {
        return device.loadModule(arena.allocateFrom(ValueLayout.JAVA_BYTE,
                ConformanceKernels.NAME.getBytes(StandardCharsets.UTF_8)));
    }
}
