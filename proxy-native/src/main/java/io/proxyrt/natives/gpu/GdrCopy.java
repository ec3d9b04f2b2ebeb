/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What came of looking for GDRCopy. Looked for once for each set of folders in a process, for libraries stay loaded.
 *
 * @param api     its calls; null if it cannot be used
 * @param version of the library, and of what it reaches memory by, for people; empty if it cannot be used
 * @param whyNot  why it cannot be used, and what to do; empty if it can
 */
record GdrCopy(GdrApi api, String version, String whyNot) {
    private static final Path DRIVER = Path.of("/dev/gdrdrv");
    /** 2.1, as NCCL asks for. */
    private static final int OLDEST = 2 << Short.SIZE | 1;
    private static final Map<List<Path>, GdrCopy> FOUND = new ConcurrentHashMap<>();

    /** Where CUDA's libraries are looked for. */
    static GdrCopy find(ProxyConfig config) {
        return find(GpuOptions.folders(config.get(GpuOptions.CUDA_LIBRARY_PATH)));
    }

    static GdrCopy find(List<Path> folders) {
        return FOUND.computeIfAbsent(folders, GdrCopy::open);
    }

    private static GdrCopy open(List<Path> folders) {
        String whyNot = GpuDriver.whyNotNative();
        if (whyNot.isEmpty()) {
            whyNot = whyNoFlush(System.getProperty("os.arch"));
        }
        if (!whyNot.isEmpty()) {
            return unusable(whyNot);
        }
        GpuLibrary.Bound<GdrApi> bound = GpuLibrary.bind(folders, GdrApi::new, "there is no libgdrapi.so.2: install"
                + " GDRCopy, or name its folder by " + GpuOptions.CUDA_LIBRARY_PATH.key(), "libgdrapi.so.2",
                "libgdrapi.so");
        return bound.api() == null ? unusable(bound.whyNot()) : ask(bound.api(), bound.name());
    }

    /** NCCL has this flush on x86-64 alone, and it was not tried elsewhere. */
    static String whyNoFlush(String architecture) {
        return architecture.equals("amd64") ? "" : "it flushes on x86-64 only, as in NCCL, and this is " + architecture;
    }

    /** The library, then what it reaches memory by. */
    private static GdrCopy ask(GdrApi api, String name) {
        int own = api.libraryVersion();
        String library = name + " " + text(own);
        try {
            long gdr = api.open();
            return gdr == 0 ? unusable(library + " does not reach its driver: " + whyNoDriver())
                    : ask(api, own, library, gdr);
        } catch (ProxyException e) {
            return unusable(library + ": " + e.getMessage());
        }
    }

    private static GdrCopy ask(GdrApi api, int own, String library, long gdr) {
        int oldest;
        String version;
        try {
            boolean isByDmaBuf = api.isByDmaBuf(gdr);
            int driver = isByDmaBuf ? own : api.driverVersion(gdr);
            oldest = Math.min(own, driver);
            version = library + (isByDmaBuf ? ", by dma-buf without gdrdrv" : ", gdrdrv " + text(driver));
        } finally {
            api.close(gdr);
        }
        return oldest < OLDEST ? unusable(version + ": " + text(OLDEST) + " is the oldest for both")
                : new GdrCopy(api, version, "");
    }

    private static String whyNoDriver() {
        return !Files.exists(DRIVER) ? "there is no " + DRIVER + "; load the kernel module gdrdrv, or have GDRCopy"
                        + " 2.6 and CUDA's driver 13.3, which do without"
                : !Files.isReadable(DRIVER) || !Files.isWritable(DRIVER) ? "this user may not read and write " + DRIVER
                : DRIVER + " is of a gdrdrv that is too old for it, or too new; GDRCOPY_ENABLE_LOGGING=1 in the"
                        + " environment makes it say more";
    }

    private static GdrCopy unusable(String whyNot) {
        return new GdrCopy(null, "", whyNot);
    }

    private static String text(int version) {
        return (version >>> Short.SIZE) + "." + (version & (1 << Short.SIZE) - 1);
    }
}
