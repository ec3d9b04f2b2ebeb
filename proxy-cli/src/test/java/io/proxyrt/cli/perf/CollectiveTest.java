/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CollectiveTest {
    @ParameterizedTest
    @CsvSource({"ALL_REDUCE,4,1.5", "ALL_REDUCE,2,1", "ALL_REDUCE,1,0", "ALL_GATHER,4,0.75", "REDUCE_SCATTER,8,0.875",
        "BROADCAST,4,1", "SENDRECV,4,1"})
    void shouldHaveTheBusFactorsOfNcclTests(Collective collective, int nRanks, double factor) {
        assertEquals(factor, collective.busFactor(nRanks));
    }

    @ParameterizedTest
    @CsvSource({"ALL_REDUCE,100,4,100,100,100,0,0", "BROADCAST,100,4,100,100,100,0,0", "SENDRECV,100,4,100,100,100,0,0",
        "ALL_GATHER,100,4,24,96,24,24,0", "REDUCE_SCATTER,100,4,96,24,24,0,24", "ALL_GATHER,3,4,0,0,0,0,0",
        "REDUCE_SCATTER,15,1,0,0,0,0,0"})
    void shouldCountAsNcclTestsDoes(Collective collective, long count, int elementBytes, long send, long recv,
            long param, long sendOffset, long recvOffset) {
        int nRanks = 4;
        Shape expected = new Shape(send, recv, param, sendOffset, recvOffset);
        assertEquals(expected, collective.shape(count, elementBytes, nRanks));
    }

    @Test
    void shouldShowTheLargerSideAsTheSize() {
        assertEquals(96 * 8, Collective.ALL_GATHER.shape(100, 8, 4).sizeBytes(8));
        assertEquals(96 * 8, Collective.REDUCE_SCATTER.shape(100, 8, 4).sizeBytes(8));
        assertEquals(100 * 8, Collective.ALL_REDUCE.shape(100, 8, 4).sizeBytes(8));
    }

    @Test
    void shouldKeepPartsAligned() {
        for (int elementBytes : new int[] {1, 2, 4, 8}) {
            long part = Collective.ALL_GATHER.shape(1_000_003, elementBytes, 3).sendCount();
            assertEquals(0, part * elementBytes % 16);
            assertTrue(part * 3 <= 1_000_003 && (part + 16) * 3 > 1_000_003);
        }
    }

    @Test
    void shouldBeFoundByTheNamesOfNcclTests() {
        assertEquals(Optional.of(Collective.ALL_REDUCE), Collective.of("all_reduce"));
        assertEquals(Optional.of(Collective.REDUCE_SCATTER), Collective.of("reduce_scatter_perf"));
        assertEquals(Optional.of(Collective.SENDRECV), Collective.of("SendRecv"));
        assertEquals(Optional.empty(), Collective.of("alltoall"));
    }

    @Test
    void shouldKnowWhatItTakes() {
        assertTrue(Collective.REDUCE_SCATTER.isReducing());
        assertFalse(Collective.ALL_GATHER.isReducing());
        assertTrue(Collective.BROADCAST.isRooted());
        assertFalse(Collective.SENDRECV.isCheckedInPlace());
    }
}
