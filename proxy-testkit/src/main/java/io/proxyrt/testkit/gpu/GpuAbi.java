/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import java.util.List;
import java.util.Locale;

/** The drivers that a {@link StandInGpu} takes after, by what their binary interfaces differ in. */
public enum GpuAbi {
    /** CUDA 13: runtime, driver and NVRTC; and GDRCopy. */
    CUDA("cuda", "-DCUDA", List.of("cuda_runtime.c", "cuda_driver.c", "gdrcopy.c"),
            List.of("libcudart.so.13", "libcuda.so.1", "libnvrtc.so.13", "libgdrapi.so.2")),
    /** ROCm 5.2: hipRTC is in the runtime, no dma-buf, and memory allocation properties in an order of their own. */
    HIP5("hip", "-DHIP=5", List.of("hip.c", "hip_driver.c"),
            List.of("libamdhip64.so.5", "libamd_comgr.so.2", "libhsa-runtime64.so.1")),
    /** ROCm 6.4. */
    HIP6("hip", "-DHIP=6", List.of("hip.c", "hip_driver.c"),
            List.of("libamdhip64.so.6", "libhiprtc.so.6", "libamd_comgr.so.3", "libhsa-runtime64.so.1")),
    /** ROCm 7.1: descriptors are imported by value. */
    HIP7("hip", "-DHIP=7", List.of("hip.c", "hip_driver.c"),
            List.of("libamdhip64.so.7", "libhiprtc.so.7", "libamd_comgr.so.3", "libhsa-runtime64.so.1"));

    private final String kind;
    private final String define;
    private final List<String> sources;
    private final List<String> names;

    GpuAbi(String kind, String define, List<String> sources, List<String> names) {
        this.kind = kind;
        this.define = define;
        this.sources = sources;
        this.names = names;
    }

    /**
     * Kind of its devices.
     *
     * @return {@code cuda} or {@code hip}
     */
    public String kind() {
        return kind;
    }

    /** What tells the compiler which it is. */
    String define() {
        return define;
    }

    /** What no other kind has. */
    List<String> sources() {
        return sources;
    }

    /** What it is found under. */
    List<String> names() {
        return names;
    }

    /** The file behind all the names. */
    String library() {
        return "libproxyrt-" + name().toLowerCase(Locale.ROOT) + ".so";
    }
}
