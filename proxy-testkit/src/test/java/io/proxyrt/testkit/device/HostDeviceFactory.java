/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.host.HostDevice;

/** Host devices with all that the platform has. */
public final class HostDeviceFactory implements DeviceFactory {
    /** For the suite, and the other process. */
    public HostDeviceFactory() {
    }

    @Override
    public Device open(int number) {
        return new HostDevice(number);
    }
}
