/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static io.proxyrt.natives.CCalls.call;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.natives.CFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * hipRTC, a part of HIP 5 and a library of its own from HIP 6 on. It may abort the process for an architecture that it
 * does not know, so the compiler below it is asked first which ones it does.
 */
final class HipRtcCompiler extends RtcCompiler {
    /** What all of a major version know, for where the compiler below does not tell. */
    private static final List<String> KNOWN_5 = List.of("gfx803", "gfx900", "gfx906", "gfx908", "gfx90a", "gfx1030");
    private static final List<String> KNOWN_6 = List.of("gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx1030",
            "gfx1100");
    private static final String ISA = "amdgcn-amd-amdhsa--";

    private final List<String> architectures;

    private HipRtcCompiler(GpuLibrary.Symbols symbols, List<String> architectures) {
        super(symbols, "hiprtc", "Code");
        this.architectures = architectures;
    }

    static GpuCompiler find(int major, GpuLibrary hip, List<Path> folders) {
        GpuLibrary.Symbols symbols = major < 6 ? new GpuLibrary.Symbols(hip)
                : GpuLibrary.beside(hip, folders, "libhiprtc.so." + major)
                        .map(own -> new GpuLibrary.Symbols(own, hip)).orElseGet(() -> new GpuLibrary.Symbols(hip));
        List<String> architectures = architectures(major, hip, folders);
        return new HipRtcCompiler(symbols, architectures.isEmpty() ? known(major) : architectures);
    }

    private static List<String> known(int major) {
        return major < 6 ? KNOWN_5 : KNOWN_6;
    }

    /** As the code object manager, which compiles for hipRTC, lists them; empty if it is not found. */
    private static List<String> architectures(int major, GpuLibrary hip, List<Path> folders) {
        String[] sonames = major < 7 ? new String[] {"libamd_comgr.so.2", "libamd_comgr.so.3"}
                : new String[] {"libamd_comgr.so.3", "libamd_comgr.so.2"};
        Optional<GpuLibrary> library = GpuLibrary.beside(hip, folders, sonames);
        GpuLibrary.Symbols symbols =
                library.map(GpuLibrary.Symbols::new).orElseGet(GpuLibrary.Symbols::new);
        CFunction count = symbols.need("amd_comgr_get_isa_count");
        CFunction name = symbols.need("amd_comgr_get_isa_name");
        return symbols.whyNot().isEmpty() ? architectures(count, name) : List.of();
    }

    @SuppressWarnings("restricted")
    private static List<String> architectures(CFunction count, CFunction name) {
        List<String> names = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            long isas = call(count, out.address()) == 0 ? out.get(JAVA_LONG, 0) : 0;
            for (int isa = 0; isa < isas; isa++) {
                if (call(name, isa, out.address()) == 0) {
                    names.add(out.get(ADDRESS, 0).reinterpret(Long.MAX_VALUE).getString(0).replace(ISA, ""));
                }
            }
        }
        return names;
    }

    @Override
    String whyNotFor(String architecture) {
        return architectures.contains(architecture) ? "" : "hipRTC " + version() + " does not know " + architecture
                + ", but " + String.join(", ", architectures);
    }
}
