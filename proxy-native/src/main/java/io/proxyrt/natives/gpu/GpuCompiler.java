/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

/** Compiles kernels at run time: NVRTC, hipRTC. It needs no device. Any platform thread. */
public interface GpuCompiler {
    /** {@return empty if it works, else why not} */
    String whyNot();

    /** {@return its version, for people; empty if it does not work} */
    String version();

    /**
     * Compiles. Blocks for some tenths of a second.
     *
     * @param name         of the source, for messages
     * @param source       of the kernels
     * @param architecture as {@link GpuApi#architecture}; one that the compiler does not know is refused, not tried
     * @return what {@link GpuApi#moduleLoad} loads
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} with the compiler's
     *                                        log, or if it does not know the architecture;
     *                                        {@link io.proxyrt.core.ProxyResult#INVALID_USAGE} if it does not work
     */
    byte[] compile(String name, String source, String architecture);
}
