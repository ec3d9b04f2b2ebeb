/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static io.proxyrt.natives.CCalls.call;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.proxyrt.natives.CFunction;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** NVRTC, which makes cubins for the architectures that it lists itself. */
final class NvrtcCompiler extends RtcCompiler {
    private final List<String> architectures;

    private NvrtcCompiler(GpuLibrary.Symbols symbols) {
        super(symbols, "nvrtc", "CUBIN");
        CFunction count = symbols.need("nvrtcGetNumSupportedArchs");
        CFunction list = symbols.need("nvrtcGetSupportedArchs");
        architectures = count.exists() && list.exists() ? architectures(count, list) : List.of();
    }

    static GpuCompiler find(List<Path> folders) {
        List<String> failures = new ArrayList<>();
        Optional<GpuLibrary> library = GpuLibrary.find(folders, failures, "libnvrtc.so.13", "libnvrtc.so.12");
        if (library.isEmpty()) {
            failures.add("there is no libnvrtc.so.13 or libnvrtc.so.12: install NVRTC, or name its folder by "
                    + GpuOptions.CUDA_LIBRARY_PATH.key());
            return new MissingCompiler(String.join("; ", failures));
        }
        if (library.get().folder() != null) {
            loadBuiltins(library.get().folder(), failures);
        }
        return new NvrtcCompiler(new GpuLibrary.Symbols(library.get()));
    }

    /** NVRTC asks the system for these by their soname, when it compiles: loaded already, it gets them. */
    private static void loadBuiltins(Path folder, List<String> failures) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "libnvrtc-builtins.so.*")) {
            files.forEach(file -> GpuLibrary.load(file, failures));
        } catch (IOException e) {
            // NVRTC says so itself when it does not find them.
        }
    }

    private static List<String> architectures(CFunction count, CFunction list) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(JAVA_INT);
            call(count, number.address());
            MemorySegment numbers = arena.allocate(JAVA_INT, number.get(JAVA_INT, 0));
            call(list, numbers.address());
            List<String> names = new ArrayList<>();
            for (int architecture : numbers.toArray(JAVA_INT)) {
                names.add("sm_" + architecture);
            }
            return names;
        }
    }

    @Override
    String whyNotFor(String architecture) {
        return architectures.contains(architecture) ? "" : "NVRTC " + version() + " does not know " + architecture
                + ", but " + String.join(", ", architectures);
    }
}
