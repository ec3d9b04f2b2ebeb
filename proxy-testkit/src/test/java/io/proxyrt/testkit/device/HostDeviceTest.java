/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

/** The host device, with the platform beside it. */
class HostDeviceTest extends DeviceConformance {
    @Override
    protected DeviceFactory factory() {
        return new HostDeviceFactory();
    }
}
