/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WordingTest {
    @Test
    void shouldListRanks() {
        assertEquals("rank 3", Wording.ranks(new int[] {3}));
        assertEquals("ranks 1, 3", Wording.ranks(new int[] {1, 3}));
        assertEquals("none", Wording.list(new int[0]));
    }

    @Test
    void shouldCutALongList() {
        assertEquals("0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 and 84 more",
                Wording.list(IntStream.range(0, 100).toArray()));
    }

    @Test
    void shouldWriteTimes() {
        assertEquals("30 s", Wording.duration(Duration.ofSeconds(30)));
        assertEquals("1500 ms", Wording.duration(Duration.ofMillis(1500)));
        assertEquals("1 ms", Wording.duration(Duration.ofNanos(1)));
        assertEquals("0 s", Wording.duration(Duration.ZERO));
    }

    @Test
    void shouldShowBytesWithoutTrustingThem() {
        assertEquals("\"GET / HTTP/1.1\\x0d\\x0a\\x00\\xff\\x22\\x5c\"",
                Wording.printable("GET / HTTP/1.1\r\n\0\u00ff\"\\".getBytes(StandardCharsets.ISO_8859_1)));
    }
}
