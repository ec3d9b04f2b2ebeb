/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceModule;
import java.lang.foreign.Arena;

/** Opens the devices under test. Public, with a public constructor without parameters: other processes make one too. */
public interface DeviceFactory {
    /**
     * Opens a device. Where there are fewer of them than that, several may share one.
     *
     * @param number from 0
     * @return owned by the caller
     */
    Device open(int number);

    /**
     * Loads the suite's kernels, as {@link ConformanceKernels} says. Never asked for if the device has no modules.
     *
     * @param device which {@link #open} opened
     * @param arena  of what has to last as long as the test
     * @return owned by the device
     */
    default DeviceModule load(Device device, Arena arena) {
        throw new AssertionError(device.name() + " has no modules");
    }
}
