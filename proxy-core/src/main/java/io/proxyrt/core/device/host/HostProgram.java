/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import io.proxyrt.core.device.HostKernel;

/** What a kernel of the host device does. Streams run it on threads of their own, several at a time. */
@FunctionalInterface
public interface HostProgram {
    /**
     * Begins a launch, on the stream's thread, when all that came before it on the stream is done.
     *
     * @param launch what it was launched with; good until the kernel is retired
     * @return does the work of the whole grid; may be one that was retired before
     * @throws io.proxyrt.core.ProxyException if it cannot be; then the stream has failed
     */
    HostKernel start(HostLaunch launch);
}
