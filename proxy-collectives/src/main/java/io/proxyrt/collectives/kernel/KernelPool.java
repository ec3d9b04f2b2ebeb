/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.device.HostKernel;

/** Kernels that a launch is made of. They are used again once it has retired. */
public interface KernelPool {
    /**
     * A kernel of a collective, to be prepared.
     *
     * @param kind of those that there are
     * @param <K>  the same
     * @return no other launch's
     */
    <K extends HostKernel> K take(Class<K> kind);
}
