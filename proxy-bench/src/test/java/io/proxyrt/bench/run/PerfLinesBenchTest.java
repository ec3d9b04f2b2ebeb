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
    void shouldTakeARowWithoutReductionAndOneWithARoot() {
        assertEquals(List.of("R\t64\tout_us\t6.39", "R\t64\tin_us\t240.0", "R\t8\tout_us\t1.5", "R\t8\tin_us\t2"),
                PerfLines.values(List.of("64 8 float none -1 6.39 0.64 0.32 0 240.0 0.02 0.01 0",
                        "8 2 float sum 0 1.5 0.01 0.01 0 2 0.01 0.01 0")));
    }

    @Test
    void shouldTakeNoRowWithWrongElements() {
        assertThrows(BenchException.class, () -> PerfLines.values(List.of(HEAD, ROW.formatted(3))));
        assertThrows(BenchException.class, () -> PerfLines.values(List.of()));
    }
}
