/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.bench.run.Noise.Placement;
import org.junit.jupiter.api.Test;

class NoiseBenchTest {
    @Test
    void shouldTellHowTheCpusLay() {
        assertEquals(Placement.NEAR, placement(50, 115));
        assertEquals(Placement.FAR, placement(500, 590));
        assertEquals(Placement.MOVED, placement(80, 520));
        assertEquals(Placement.MOVED, placement(520, 80));
        assertEquals(Placement.UNKNOWN, placement(80, Double.NaN));
    }

    private static Placement placement(double before, double after) {
        return new Noise(1, "rtt", before, after, 0).placement();
    }
}
