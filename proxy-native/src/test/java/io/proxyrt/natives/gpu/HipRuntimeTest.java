/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The real HIP, where a distribution's package has it, on a machine that has no GPU for it. */
class HipRuntimeTest {
    private static final String KERNEL = "extern \"C\" __global__ void fill(unsigned long long* to, long long value) {"
            + " to[blockIdx.x * blockDim.x + threadIdx.x] = value; }";

    private final GpuDriver driver = GpuDriver.find(GpuDriver.HIP, List.of());

    @BeforeEach
    void needsTheLibrary() {
        assumeTrue(driver.api() != null, driver.whyNot());
        assumeTrue(driver.api().deviceCount() == 0, "there is a GPU, and these tests are about having none");
    }

    @Test
    void shouldTellItsVersionAndWhyThereIsNoDevice() {
        assertTrue(driver.api().version().matches("HIP [5-7]\\.\\d+\\.\\d+ \\(libamdhip64\\.so\\.[5-7]\\)"),
                driver.api().version());
        assertTrue(driver.whyNot().startsWith(driver.api().version() + ": no device, hipGetDeviceCount says hipError"),
                driver.whyNot());
    }

    @Test
    void shouldNameTheCallAndTheErrorOfWhatFails() {
        String message = assertThrows(ProxyException.class, () -> driver.api().malloc(4096)).getMessage();

        assertTrue(message.matches(
                "hipMalloc of 4096 bytes: hipError(NoDevice \\(100\\)|InvalidDevice \\(101\\))"), message);
    }

    @Test
    void shouldCompileWithoutADevice() {
        byte[] code = driver.api().compiler().compile("fill", KERNEL, "gfx90a");

        assertArrayEquals(new byte[] {0x7f, 'E', 'L', 'F'}, Arrays.copyOf(code, 4));
    }

    @Test
    void shouldGiveTheCompilersLog() {
        ProxyException thrown = assertThrows(
                ProxyException.class, () -> driver.api().compiler().compile("fill", "no such type", "gfx90a"));

        assertEquals(ProxyResult.INVALID_ARGUMENT, thrown.result());
        assertTrue(thrown.getMessage().contains("unknown type name 'no'"), thrown.getMessage());
    }

    /** Which HIP 5 would abort the process for. */
    @ParameterizedTest
    @ValueSource(strings = {"gfx9999", "sm_90", ""})
    void shouldNotTryAnArchitectureThatItDoesNotKnow(String architecture) {
        ProxyException thrown = assertThrows(
                ProxyException.class, () -> driver.api().compiler().compile("fill", KERNEL, architecture));

        assertEquals(ProxyResult.INVALID_ARGUMENT, thrown.result());
        assertTrue(thrown.getMessage().contains("does not know " + architecture + ", but gfx"), thrown.getMessage());
    }
}
