/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A window of all participants' parts. */
class CollNetWindowTest {
    private static CollNetWindow window(long bytesPerRank, long offset, long bytes) {
        return new CollNetWindow().set(bytesPerRank, offset, bytes);
    }

    /** Byte by byte: each byte of a window is one participant's. */
    @Test
    void shouldGiveEveryByteToOneParticipant() {
        int nRanks = 3;
        for (int part = 1; part <= 7; part++) {
            for (int offset = 0; offset < nRanks * part; offset++) {
                for (int bytes = 1; bytes <= nRanks * part - offset; bytes++) {
                    CollNetWindow window = window(part, offset, bytes);
                    assertTrue(window.isWithin(nRanks), window.offset() + " + " + window.bytes());
                    int[] owners = new int[nRanks];
                    for (int at = offset; at < offset + bytes; at++) {
                        owners[at / part]++;
                    }
                    long next = offset;
                    for (int rank = 0; rank < nRanks; rank++) {
                        assertEquals(owners[rank], window.length(rank));
                        assertEquals(next, window.begin(rank), "where the part before ends");
                        next += window.length(rank);
                    }
                    assertEquals(offset + bytes, next);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"8, 0, 25", "8, 24, 1", "8, 23, 2", "8, -1, 8", "8, 0, 0", "8, 4, -4", "0, 0, 1", "-8, 0, 8",
        "8, 9223372036854775807, 1", "8, 9223372036854775807, 9223372036854775807", "8, 0, 9223372036854775807",
        "3074457345618258603, 0, 8", "9223372036854775807, 0, 8", "8, -9223372036854775808, 8"})
    void shouldNotBeWithinPartsThatItLeaves(long bytesPerRank, long offset, long bytes) {
        assertFalse(window(bytesPerRank, offset, bytes).isWithin(3));
    }

    @Test
    void shouldNotOverflowForTheGreatestParts() {
        long part = Long.MAX_VALUE / 3;
        CollNetWindow window = window(part, 2 * part - 5, part + 5);
        assertTrue(window.isWithin(3));
        assertEquals(0, window.length(0));
        assertEquals(5, window.length(1));
        assertEquals(part, window.length(2));
        assertEquals(2 * part, window.begin(2));
        assertFalse(window.isWithin(2), "there is no third part");
    }

    @Test
    void shouldHaveNothingOfThePartsBesideIt() {
        CollNetWindow window = window(10, 10, 10);
        assertEquals(10, window.begin(0), "where it begins");
        assertEquals(0, window.length(0));
        assertEquals(20, window.begin(2), "where it ends");
        assertEquals(0, window.length(2));
    }

    @Test
    void shouldBeUsedAgain() {
        CollNetWindow window = window(10, 5, 20);
        assertEquals(window, window.set(3, 1, 2));
        assertEquals(3, window.bytesPerRank());
        assertEquals(1, window.offset());
        assertEquals(2, window.bytes());
        assertEquals(2, window.length(0));
    }
}
