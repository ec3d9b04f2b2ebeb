/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

/** GPUs of NVIDIA, by CUDA. */
public final class CudaDeviceProvider extends GpuDeviceProvider {
    /** For {@link java.util.ServiceLoader}. */
    public CudaDeviceProvider() {
        super(GpuDriver.CUDA);
    }
}
