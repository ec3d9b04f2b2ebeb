/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.CollFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RingGeometryTest {
    private static final long STEP_BYTES = 512 << 10;
    private static final int N_RANKS = 4;

    /** An all-reduce of 4 ranks goes by chunks of a quarter. */
    @ParameterizedTest
    @CsvSource({"262144, 65536, 1", "262160, 65536, 2", "524304, 65536, 4", "262144, 16384, 4", "65536, 16384, 1",
        "268435456, 65536, 4", "16777216, 1073741824, 4"})
    void shouldCutChunksFromALeastSizeOn(long bytes, long wholeChunk, int slices) {
        RingGeometry geometry = new RingGeometry().compute(CollFunction.ALL_REDUCE, N_RANKS, bytes, STEP_BYTES,
                RingGeometry.MAX_CHUNK_STEPS, wholeChunk);
        assertEquals(slices, geometry.chunkSteps());
        assertEquals(Math.min(Math.ceilDiv(bytes, N_RANKS * 16) * 16, slices * STEP_BYTES), geometry.chunkBytes());
        assertEquals(2 * (N_RANKS - 1) * geometry.nLoops() * slices, geometry.nsteps());
    }
}
