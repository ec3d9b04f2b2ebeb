/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.config.ProxyConfig;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What cannot be used is a reason, and never a failure. */
class GpuDriverTest {
    /** A library that is certainly not a driver. */
    private static final Path OTHER_LIBRARY = Path.of(System.getProperty("java.home"), "lib", "libzip.so");

    /** Of an ELF file: where it says for which processor it is. */
    private static final int MACHINE = 18;

    @TempDir
    private Path folder;

    @Test
    void shouldSayThatALibraryIsBroken() throws IOException {
        byte[] content = Files.readAllBytes(OTHER_LIBRARY);
        content[MACHINE] ^= 1;
        Path library = Files.write(folder.resolve("libcuda.so.1"), content);

        GpuDriver driver = GpuDriver.find(GpuDriver.CUDA, List.of(folder));

        assumeTrue(driver.api() == null, "CUDA's driver is installed, and is found next");
        assertEquals("Cannot open library: " + library + "; there is no libcuda.so.1, which comes with NVIDIA's driver",
                driver.whyNot());
    }

    @Test
    void shouldNameTheFunctionsThatALibraryLacks() throws IOException {
        Path library = Files.copy(OTHER_LIBRARY, folder.resolve("libamdhip64.so.7"));

        GpuDriver driver = GpuDriver.find(GpuDriver.HIP, List.of(folder));

        assertNull(driver.api());
        assertTrue(driver.whyNot().startsWith(library + " without hipGetErrorName, hipGetLastError, hipGetDeviceCount"),
                driver.whyNot());
        assertTrue(driver.whyNot().endsWith("hipInit, hipRuntimeGetVersion: too old, or something else of that name"),
                driver.whyNot());
    }

    @Test
    void shouldSearchEachFolderForEachName() throws IOException {
        Path other = Files.createDirectory(folder.resolve("other"));
        Path library = Files.copy(OTHER_LIBRARY, other.resolve("libamdhip64.so.5"));

        GpuDriver driver = GpuDriver.find(GpuDriver.HIP, List.of(folder, other));

        assertTrue(driver.whyNot().startsWith(library + " without "), driver.whyNot());
    }

    @Test
    void shouldLookOnceForEachPath() throws IOException {
        Files.copy(OTHER_LIBRARY, folder.resolve("libamdhip64.so.6"));
        ProxyConfig config = ProxyConfig.builder().set(
                GpuOptions.HIP_LIBRARY_PATH, "/no/such/folder" + File.pathSeparator + folder).build();

        GpuDriver driver = GpuDriver.find(GpuDriver.HIP, config);

        assertSame(driver, GpuDriver.find(GpuDriver.HIP, List.of(Path.of("/no/such/folder"), folder)));
        assertTrue(driver.whyNot().startsWith(folder.resolve("libamdhip64.so.6") + " without "), driver.whyNot());
    }

    @Test
    void shouldSayThatItIsNotForThisPlatform() {
        Module module = noNativeAccess();

        assertEquals("GPUs are known on Linux on amd64 and aarch64, and this is Mac OS X on aarch64",
                GpuDriver.whyNotNative("Mac OS X", "aarch64", module));
        assertEquals("GPUs are known on Linux on amd64 and aarch64, and this is Linux on riscv64",
                GpuDriver.whyNotNative("Linux", "riscv64", module));
        assertEquals("native access is not enabled; start Java with --enable-native-access="
                + module.getName(),
                GpuDriver.whyNotNative("Linux", "amd64", module));
    }

    private static Module noNativeAccess() {
        return ModuleLayer.boot().modules().stream().filter(module -> !module.isNativeAccessEnabled()).findAny()
                .orElseThrow();
    }
}
