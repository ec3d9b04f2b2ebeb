/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DataTypeTest {
    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16", "FLOAT8_E4M3", "FLOAT8_E5M2"})
    void shouldGiveEveryNumberItsBits(DataType type) {
        for (int bits = 0; bits < 1 << 8 * type.sizeBytes(); bits++) {
            double value = type.fromBits(bits);
            if (Double.isFinite(value)) {
                assertEquals(bits, type.toBits(value), () -> "bits of " + value);
            } else {
                assertEquals(Double.isNaN(value), Double.isNaN(type.fromBits(type.toBits(value))), "of " + bits);
            }
        }
    }

    /** Of a float the JDK's conversion rounds no less exactly. */
    @Test
    void shouldRoundToHalvesAsTheProcessorDoes() {
        Random random = new Random(5);
        for (int i = 0; i < 100_000; i++) {
            float value = Float.intBitsToFloat(random.nextInt() & 0xC7FF_FFFF);
            assertEquals(Short.toUnsignedInt(Float.floatToFloat16(value)), DataType.FLOAT16.toBits(value),
                    () -> "of " + value);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "FLOAT8_E4M3, 448, 7E", "FLOAT8_E4M3, 1e300, 7E", "FLOAT8_E4M3, -Infinity, FE", "FLOAT8_E4M3, NaN, 7F",
        "FLOAT8_E4M3, 0.001953125, 01", "FLOAT8_E4M3, 0.0009765625, 00", "FLOAT8_E4M3, -0.0, 80",
        "FLOAT8_E4M3, 0.0009765626, 01", "FLOAT8_E4M3, 1.0625, 38", "FLOAT8_E4M3, 1.1875, 3A",
        "FLOAT8_E5M2, 57344, 7B", "FLOAT8_E5M2, 65536, 7B", "FLOAT8_E5M2, Infinity, 7B", "FLOAT8_E5M2, NaN, 7E",
        "BFLOAT16, 1e39, 7F80", "BFLOAT16, 3.397e38, 7F80", "FLOAT16, 65520, 7C00", "FLOAT16, 65519.99, 7BFF",
        "FLOAT16, 1.00048828126, 3C01", "FLOAT16, 1.00048828125, 3C00"})
    void shouldRoundToNearestEvenAndKeepWhatIsTooLarge(DataType type, double value, String bits) {
        assertEquals(Long.parseLong(bits, 16), type.toBits(value));
    }

    @Test
    void shouldRefuseToTakeIntegersForFloatingPointNumbers() {
        assertEquals(ProxyResult.INVALID_ARGUMENT,
                assertThrows(ProxyException.class, () -> DataType.INT32.toBits(1)).result());
        assertEquals(ProxyResult.INVALID_ARGUMENT,
                assertThrows(ProxyException.class, () -> DataType.UINT8.fromBits(1)).result());
    }
}
