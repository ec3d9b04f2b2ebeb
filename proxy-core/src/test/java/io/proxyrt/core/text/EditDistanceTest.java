/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EditDistanceTest {
    @ParameterizedTest
    @CsvSource({"'', '', 0", "ranks, ranks, 0", "rank, ranks, 1", "ranks, rnks, 1", "ranks, ronks, 1",
        "rnaks, ranks, 1", "'', ranks, 5", "kitten, sitting, 3", "ca, abc, 3", "perf, PERF, 4"})
    void shouldCountEditsEitherWay(String word, String other, int edits) {
        assertEquals(edits, EditDistance.between(word, other));
        assertEquals(edits, EditDistance.between(other, word));
    }
}
