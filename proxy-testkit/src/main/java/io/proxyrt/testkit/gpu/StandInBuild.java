/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import io.proxyrt.testkit.build.LibraryBuild;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Compiles a stand-in. */
final class StandInBuild {
    private static final List<String> COMMON = List.of("devices.c", "errors.c", "memory.c", "vmm.c", "streams.c",
            "graphs.c", "blocks.c", "kernels.c", "compiler.c", "rtc.c");
    private static final List<String> HEADERS = List.of("gpu.h", "commands.h", "runtime_calls.h", "driver_calls.h",
            "blocks.h", "kernel_abi.h", "kernel_prelude.h");

    private StandInBuild() {
    }

    /** It compiles kernels too, as C++. */
    static String whyNot() {
        return LibraryBuild.whyNot(LibraryBuild.CC, "c++");
    }

    /** The folder; compiled if need be. */
    static Path folder(GpuAbi abi) {
        if (!whyNot().isEmpty()) {
            throw new IllegalStateException(whyNot());
        }
        List<String> sources = new ArrayList<>(COMMON);
        sources.addAll(abi.sources());
        return new LibraryBuild(StandInGpu.class, "stand-in-gpu", abi.name().toLowerCase(Locale.ROOT), sources, HEADERS,
                List.of(abi.define()), abi.library(), abi.names()).folder();
    }
}
