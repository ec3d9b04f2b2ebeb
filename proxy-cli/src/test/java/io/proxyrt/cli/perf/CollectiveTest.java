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
        "BROADCAST,4,1", "SENDRECV,4,1", "REDUCE,4,1", "ALLTOALL,4,0.75", "GATHER,4,0.75", "SCATTER,2,0.5",
        "HYPERCUBE,4,0.75"})
    void shouldHaveTheBusFactorsOfNcclTests(Collective collective, int nRanks, double factor) {
        assertEquals(factor, collective.busFactor(nRanks));
    }

    @ParameterizedTest
    @CsvSource({"ALL_REDUCE,100,4,100,100,100,0,0", "BROADCAST,100,4,100,100,100,0,0", "SENDRECV,100,4,100,100,100,0,0",
        "ALL_GATHER,100,4,24,96,24,24,0", "REDUCE_SCATTER,100,4,96,24,24,0,24", "ALL_GATHER,3,4,0,0,0,0,0",
        "REDUCE_SCATTER,15,1,0,0,0,0,0", "REDUCE,100,4,100,100,100,0,0", "ALLTOALL,100,4,96,96,24,0,0",
        "GATHER,100,4,24,96,24,24,0", "SCATTER,100,4,96,24,24,0,24", "HYPERCUBE,100,4,24,96,24,24,0"})
    void shouldCountAsNcclTestsDoes(Collective collective, long count, int elementBytes, long send, long recv,
            long param, long sendOffset, long recvOffset) {
        int nRanks = 4;
        Shape expected = new Shape(send, recv, param, sendOffset, recvOffset, Math.max(send, recv));
        assertEquals(expected, collective.shape(count, elementBytes, 1, nRanks));
    }

    @Test
    void shouldShowTheLargerSideAsTheSize() {
        assertEquals(96 * 8, Collective.ALL_GATHER.shape(100, 8, 1, 4).sizeBytes(8));
        assertEquals(96 * 8, Collective.REDUCE_SCATTER.shape(100, 8, 1, 4).sizeBytes(8));
        assertEquals(100 * 8, Collective.ALL_REDUCE.shape(100, 8, 1, 4).sizeBytes(8));
    }

    @Test
    void shouldKeepPartsAligned() {
        for (int elementBytes : new int[] {1, 2, 4, 8}) {
            long part = Collective.ALL_GATHER.shape(1_000_003, elementBytes, 1, 3).sendCount();
            assertEquals(0, part * elementBytes % 16);
            assertTrue(part * 3 <= 1_000_003 && (part + 16) * 3 > 1_000_003);
        }
    }

    @Test
    void shouldBeFoundByTheNamesOfNcclTests() {
        assertEquals(Optional.of(Collective.ALL_REDUCE), Collective.of("all_reduce"));
        assertEquals(Optional.of(Collective.REDUCE_SCATTER), Collective.of("reduce_scatter_perf"));
        assertEquals(Optional.of(Collective.SENDRECV), Collective.of("SendRecv"));
        assertEquals(Optional.of(Collective.ALLTOALL), Collective.of("alltoall_perf"));
        assertEquals(Optional.empty(), Collective.of("all"));
    }

    @Test
    void shouldKnowWhatItTakes() {
        assertTrue(Collective.REDUCE_SCATTER.isReducing());
        assertFalse(Collective.ALL_GATHER.isReducing());
        assertTrue(Collective.BROADCAST.isRooted());
        assertFalse(Collective.SENDRECV.isCheckedInPlace());
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3", "8"})
    void shouldHavePartsOfDifferentSizesWithinTheSizeOfEqualOnes(int nRanks) {
        UnevenParts parts = UnevenParts.ofRanks(1000, nRanks);
        assertTrue(parts.total() <= 1000L * nRanks && parts.total() > 900L * nRanks, "total " + parts.total());
        assertEquals(nRanks == 1 ? 1000 : 0, parts.counts()[0]);
        for (int rank = 0; rank < nRanks; rank++) {
            for (int other = 0; other < nRanks; other++) {
                assertEquals(UnevenParts.ofExchange(1000, nRanks, rank).counts()[other],
                        UnevenParts.ofExchange(1000, nRanks, other).counts()[rank]);
            }
        }
    }

    @Test
    void shouldKnowForHowManyRanksItIs() {
        assertFalse(Collective.SENDRECV.isFor(1));
        assertFalse(Collective.HYPERCUBE.isFor(6));
        assertTrue(Collective.HYPERCUBE.isFor(8));
        assertTrue(Collective.ALLTOALL.isFor(1));
    }
}
