/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HcaFilterTest {
    @ParameterizedTest(name = "[{0}] {1}:{2} {3}")
    @CsvSource(delimiter = ' ', value = {
        "'' mlx5_0 1 true",
        "mlx5 mlx5_10 2 true",
        "mlx5_1 mlx5_10 1 true",
        "=mlx5_1 mlx5_10 1 false",
        "=mlx5_1,mlx5_10 mlx5_10 1 true",
        "mlx5_1:2 mlx5_1 1 false",
        "mlx5_1:2 mlx5_1 2 true",
        "mlx5_1:2,rxe mlx5_1 1 false",
        "mlx5_1:2,rxe rxe0 1 true",
        "^mlx5 mlx5_1 1 false",
        "^mlx5 rxe0 1 true",
        "^=mlx5_1 mlx5_10 1 true",
        "^=mlx5_1:1 mlx5_1 1 false",
        "^=mlx5_1:1 mlx5_1 2 true",
        "' ^ ' rxe0 1 true"})
    void shouldTakeThePortsThatNcclWould(String text, String device, int port, boolean isTaken) {
        assertEquals(isTaken, HcaFilter.parse(text).accepts(device, port));
    }

    @Test
    void shouldRefuseAPortThatIsNoNumber() {
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class,
                () -> HcaFilter.parse("mlx5_0:one"));
        assertEquals("'mlx5_0:one' has no port behind the colon", refusal.getMessage());
    }
}
