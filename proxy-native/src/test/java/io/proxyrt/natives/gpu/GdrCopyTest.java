/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceCapability;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How GDRCopy is found, asked and given back. */
@EnabledOnOs(architectures = "amd64")
class GdrCopyTest {
    private static final int EINVAL = 22;
    private static final int ENOMEM = 12;

    @TempDir
    private Path folder;

    private final ScriptedApi api = new ScriptedApi();
    private final GpuProcess process = new GpuProcess(api);

    @AfterEach
    void close() {
        process.reclaimer().sweep();
        assertEquals(Map.of(), api.given);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-DBEFORE=0UL", "-DBEFORE=65536UL"})
    void shouldFlushByOneReadOfTheWordThatIsMapped(String option) {
        StandInGdr gdr = new StandInGdr(folder, option);
        GdrCopy found = gdr.found();
        assertEquals("", found.whyNot());
        assertEquals(folder.resolve("libgdrapi.so.2") + " 2.5, gdrdrv 2.4", found.version());
        gdr.calls();
        try (GpuDevice device = new GpuDevice(process, 0, found, new KernelCache(null))) {
            assertEquals("open pin_v2 map info", gdr.calls());
            assertTrue(device.capabilities().containsAll(
                    List.of(DeviceCapability.GDRCOPY_FLUSH, DeviceCapability.WRITE_FLUSH)));
            assertEquals(1, device.flush());
            assertEquals(1, device.flush());
            assertEquals("", gdr.calls(), "reads are no calls");
            assertEquals(0, api.count("flushRemoteWrites"));
        }
    }

    /** The library aborts the process if it is asked for the version of a driver that it does without. */
    @Test
    void shouldNotAskForADriverWhereTheLibraryTakesDmaBufs() {
        GdrCopy found = new StandInGdr(folder, "-DDMA_BUF=1", "-DLIBRARY_MINOR=6").found();
        assertEquals("", found.whyNot());
        assertEquals(folder.resolve("libgdrapi.so.2") + " 2.6, by dma-buf without gdrdrv", found.version());
        try (GpuDevice device = new GpuDevice(process, 0, found, new KernelCache(null))) {
            assertTrue(device.capabilities().contains(DeviceCapability.GDRCOPY_FLUSH));
            assertEquals(1, device.flush());
        }
    }

    @ParameterizedTest
    @CsvSource({"-DNO_ATTRIBUTES, 5", "-O1, 6"})
    void shouldAskForTheDriverWhereTheLibraryHasOne(String option, String minor) {
        GdrCopy found = new StandInGdr(folder, option, "-DLIBRARY_MINOR=" + minor).found();
        assertEquals(folder.resolve("libgdrapi.so.2") + " 2." + minor + ", gdrdrv 2.4", found.version());
    }

    @Test
    void shouldFlushOnX86Only() {
        assertEquals("", GdrCopy.whyNoFlush("amd64"));
        assertEquals("it flushes on x86-64 only, as in NCCL, and this is aarch64", GdrCopy.whyNoFlush("aarch64"));
    }

    @Test
    void shouldUnmapAndUnpinBeforeTheMemoryIsFreed() {
        StandInGdr gdr = new StandInGdr(folder);
        GpuDevice device = new GpuDevice(process, 0, gdr.found(), new KernelCache(null));
        gdr.calls();
        List<String> before = new ArrayList<>();
        api.during.put("free", () -> before.add(gdr.calls()));

        device.close();
        process.reclaimer().sweep();
        device.close();

        assertEquals(List.of("unmap unpin close"), before);
        assertEquals("", gdr.calls());
        assertThrows(IllegalStateException.class, device::flush);
    }

    /** Kernel modules before 2.5 have no flags, whatever the library has. */
    @Test
    void shouldPinWithoutFlagsWhereTheDriverHasNone() {
        StandInGdr gdr = new StandInGdr(folder);
        GdrCopy found = gdr.found();
        gdr.calls();
        gdr.fail("pin_v2", EINVAL);
        try (GpuDevice device = new GpuDevice(process, 0, found, new KernelCache(null))) {
            assertEquals("open pin_v2 pin map info", gdr.calls());
            assertEquals(1, device.flush());
        }
    }

    @ParameterizedTest
    @CsvSource({"-DNO_FLAGS, pin, open pin close", "-O1, map, open pin_v2 map unpin close",
        "-O1, info, open pin_v2 map info unmap unpin close"})
    void shouldLeaveTheFlushToOthersIfACallFails(String option, String call, String calls) {
        StandInGdr gdr = new StandInGdr(folder, option);
        GdrCopy found = gdr.found();
        gdr.calls();
        gdr.fail(call, ENOMEM);
        try (GpuDevice device = new GpuDevice(process, 0, found, new KernelCache(null))) {
            assertEquals(calls, gdr.calls());
            assertFalse(device.capabilities().contains(DeviceCapability.GDRCOPY_FLUSH));
            assertEquals(1, device.flush());
            assertEquals(1, api.count("flushRemoteWrites"));
        }
    }

    /** A cache would answer the read; other content is of other memory. */
    @ParameterizedTest
    @CsvSource({"-DMAPPING_TYPE=2, with a cache", "-DCONTENT=1, not the memory that was zeroed"})
    void shouldRefuseAMappingThatFlushesNothing(String option, String reason) {
        GdrCopy found = new StandInGdr(folder, option).found();
        try (GpuDevice device = new GpuDevice(process, 0)) {
            ProxyException refusal = assertThrows(ProxyException.class,
                    () -> GdrWord.map(found.api(), device.allocate(GdrWord.MEMORY_BYTES)));
            assertEquals(ProxyResult.SYSTEM_ERROR, refusal.result());
            assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
        }
    }

    @Test
    void shouldFailAFlushOfADeviceThatHasLeftTheBus() {
        StandInGdr gdr = new StandInGdr(folder);
        try (GpuDevice device = new GpuDevice(process, 0, gdr.found(), new KernelCache(null))) {
            gdr.lose();
            assertEquals(-ProxyResult.UNHANDLED_DEVICE_ERROR.code(), device.flush());
        }
    }

    @ParameterizedTest
    @CsvSource({"-DNO_MAP, without gdr_map", "-DNO_DRIVER, /dev/gdrdrv",
        "-DLIBRARY_MINOR=0, '2.0, gdrdrv 2.4: 2.1 is the oldest for both'",
        "-DDRIVER_STATUS=25, '2.5: gdr_driver_get_version: '", "-DCLOSE_STATUS=12, '2.5: gdr_close: '"})
    void shouldSayWhyALibraryCannotBeUsed(String option, String reason) {
        GdrCopy found = new StandInGdr(folder, option).found();
        assertTrue(found.whyNot().contains(reason), found.whyNot());
        assertEquals("", found.version());
        try (GpuDevice device = new GpuDevice(process, 0, found, new KernelCache(null))) {
            assertFalse(device.capabilities().contains(DeviceCapability.GDRCOPY_FLUSH));
            assertEquals(1, device.flush());
        }
    }

    @Test
    void shouldSayWhereALibraryIsLookedFor() {
        GdrCopy found = GdrCopy.find(List.of(folder));
        assumeTrue(found.api() == null, "this host has GDRCopy");
        assertTrue(found.whyNot().contains("libgdrapi.so.2") && found.whyNot().contains("cuda.library.path"),
                found.whyNot());
    }

    @Test
    void shouldExplainWhatCameOfItsOptions() {
        new StandInGdr(folder);
        assertEquals(List.of(), explained(Map.of()));
        assertEquals(List.of("GDRCopy: " + folder.resolve("libgdrapi.so.2")
                + " 2.5, gdrdrv 2.4, of no use: proxyrt.gdrcopy.flush.enable is 0"),
                explained(Map.of("NCCL_GDRCOPY_ENABLE", "1")));
        assertTrue(explained(Map.of("NCCL_GDRCOPY_ENABLE", "1", "NCCL_GDRCOPY_FLUSH_ENABLE", "1")).getFirst()
                .endsWith("flushes in place of networks"));
        assertEquals(List.of("proxyrt.gdrcopy.sync.enable: " + GpuOptions.GDRCOPY_SYNC_ENABLE.description()),
                explained(Map.of("NCCL_GDRCOPY_SYNC_ENABLE", "1", "NCCL_GDRCOPY_FIFO_ENABLE", "0")));
        assertEquals(List.of("GDRCopy: not used, proxyrt.gdrcopy.flush.enable takes proxyrt.gdrcopy.enable, which is"
                + " 0"), explained(Map.of("NCCL_GDRCOPY_FLUSH_ENABLE", "1")));
        assertEquals(List.of("GDRCopy: not used, it is for NVIDIA's GPUs"), new HipDeviceProvider().explain(
                ProxyConfig.builder().environment(Map.of("NCCL_GDRCOPY_ENABLE", "1")).build()));
    }

    private List<String> explained(Map<String, String> environment) {
        return new CudaDeviceProvider().explain(ProxyConfig.builder().environment(environment)
                .set(GpuOptions.CUDA_LIBRARY_PATH, folder.toString()).build());
    }
}
