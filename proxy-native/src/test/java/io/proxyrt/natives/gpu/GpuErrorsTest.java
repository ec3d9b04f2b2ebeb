/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GpuErrorsTest {
    @ParameterizedTest
    @CsvSource({"0,SUCCESS", "600,IN_PROGRESS", "1,INVALID_ARGUMENT", "2,SYSTEM_ERROR", "35,SYSTEM_ERROR",
        "101,INVALID_ARGUMENT", "400,INVALID_ARGUMENT", "801,INVALID_USAGE", "800,INVALID_USAGE", "705,INVALID_USAGE",
        "700,UNHANDLED_DEVICE_ERROR", "719,UNHANDLED_DEVICE_ERROR", "999,UNHANDLED_DEVICE_ERROR",
        "-1,UNHANDLED_DEVICE_ERROR"})
    void shouldSayWhatACodeMeans(int code, ProxyResult result) {
        assertEquals(result, GpuErrors.result(code));
    }

    @ParameterizedTest
    @ValueSource(ints = {34, 35, 100, 101})
    void shouldKnowTheCodesOfDriversWithoutADevice(int code) {
        assertTrue(GpuErrors.meansNoDevice(code));
    }

    @Test
    void shouldNotTakeAFailureForHavingNoDevice() {
        assertFalse(GpuErrors.meansNoDevice(2));
        assertFalse(GpuErrors.meansNoDevice(0));
    }
}
