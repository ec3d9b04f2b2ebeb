/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static io.proxyrt.natives.CCalls.call;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.natives.CFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The part of ROCr, on which HIP stands, that HIP has no call for. HIP starts it, so this class does not. */
final class HsaLibrary {
    private static final int SUCCESS = 0;
    /** {@code HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED}. */
    private static final int DMABUF_SUPPORTED = 0x204;

    private final CFunction systemGetInfo;
    private final CFunction export;
    private final CFunction statusString;

    private HsaLibrary(GpuLibrary.Symbols symbols) {
        systemGetInfo = symbols.find("hsa_system_get_info");
        export = symbols.find("hsa_amd_portable_export_dmabuf");
        statusString = symbols.find("hsa_status_string");
    }

    static HsaLibrary find(GpuLibrary hip, List<Path> folders) {
        Optional<GpuLibrary> library = GpuLibrary.beside(hip, folders, "libhsa-runtime64.so.1");
        return new HsaLibrary(library.map(GpuLibrary.Symbols::new).orElseGet(GpuLibrary.Symbols::new));
    }

    /** Whether this version, and the kernel below it, export memory as a dma-buf. */
    boolean exportsDmaBuf() {
        if (!export.exists() || !systemGetInfo.exists()) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(Long.BYTES);
            return call(systemGetInfo, DMABUF_SUPPORTED, answer.address()) == SUCCESS
                    && answer.get(JAVA_BYTE, 0) != 0;
        }
    }

    int exportDmaBuf(long address, long bytes, MemorySegment offset) {
        if (!export.exists()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "this libhsa-runtime64 has no " + export.name()
                    + ": ROCm 5.6 is the first that has");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG, 2);
            int status = call(export, address, bytes, out.address(), out.address() + Long.BYTES);
            if (status != SUCCESS) {
                throw new ProxyException(ProxyResult.UNHANDLED_DEVICE_ERROR, export.name() + " of " + bytes
                        + " bytes at 0x" + Long.toHexString(address) + ": " + name(arena, status));
            }
            offset.set(JAVA_LONG, 0, out.get(JAVA_LONG, Long.BYTES));
            return out.get(JAVA_INT, 0);
        }
    }

    @SuppressWarnings("restricted")
    private String name(Arena arena, int status) {
        MemorySegment text = arena.allocate(ADDRESS);
        boolean known = statusString.exists() && call(statusString, status, text.address()) == SUCCESS;
        return (known ? text.get(ADDRESS, 0).reinterpret(Long.MAX_VALUE).getString(0) + " (" : "status (")
                + "0x" + Integer.toHexString(status) + ")";
    }
}
