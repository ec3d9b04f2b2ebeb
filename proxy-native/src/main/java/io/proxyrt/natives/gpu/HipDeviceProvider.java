/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

/** GPUs of AMD, by HIP. */
public final class HipDeviceProvider extends GpuDeviceProvider {
    /** For {@link java.util.ServiceLoader}. */
    public HipDeviceProvider() {
        super(GpuDriver.HIP);
    }
}
