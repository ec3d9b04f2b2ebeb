/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import io.proxyrt.core.device.Device;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

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
     * The suite's kernels, as {@link ConformanceKernels} says, for {@link Device#loadModule}.
     *
     * @param arena of what it allocates
     * @return what the device's compiler makes of them; never asked for if the device has no modules
     */
    MemorySegment image(Arena arena);
}
