/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What every device must do, as tests: {@link io.proxyrt.testkit.device.DeviceConformance}. A binding of a GPU's
 * runtime extends that class, tells it how a device is opened, in another process too, and what its compiler makes of
 * the suite's three kernels; the device's capabilities decide which tests mean what.
 */
package io.proxyrt.testkit.device;

