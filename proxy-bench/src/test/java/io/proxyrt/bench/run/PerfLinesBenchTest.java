/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.bench.process.BenchException;
import java.util.List;
import org.junit.jupiter.api.Test;

class PerfLinesBenchTest {
    private static final String HEAD = "#       size         count      type   redop    root     time   algbw";
    private static final String ROW = "         512           128     float     sum      -1    10.90    0.05    0.05"
            + "      %d   4313.5    0.00    0.00      0";

    @Test
    void shouldTakeBothTimesOfARow() {
        assertEquals(List.of("R\t512\tout_us\t10.90", "R\t512\tin_us\t4313.5"),
                PerfLines.values(List.of(HEAD, ROW.formatted(0), "# Out of bounds values : 0 OK")));
    }

    @Test
    void shouldTakeNoRowWithWrongElements() {
        assertThrows(BenchException.class, () -> PerfLines.values(List.of(HEAD, ROW.formatted(3))));
        assertThrows(BenchException.class, () -> PerfLines.values(List.of()));
    }
}
