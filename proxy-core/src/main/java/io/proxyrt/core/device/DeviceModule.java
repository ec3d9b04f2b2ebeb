/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

/** Programs that a device has loaded: {@code CUmodule}, {@code hipModule_t}. Any thread. */
public interface DeviceModule extends AutoCloseable {
    /**
     * Finds a kernel.
     *
     * @param name in the module
     * @return good until {@link #close()}
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} if there is none
     *                                        such, or the module is closed
     */
    DeviceKernel kernel(String name);

    /** Unloads it, once none of its kernels is on a stream. Idempotent. */
    @Override
    void close();
}
