/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

/**
 * A program of a {@link DeviceModule}: {@code CUfunction}, {@code hipFunction_t}. Good as long as its module is loaded.
 * Launched by {@link DeviceStream#launch}. Any thread.
 */
public interface DeviceKernel {
    /**
     * Its name in the module.
     *
     * @return never empty
     */
    String name();
}
