/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class SizesTest {
    @Test
    void shouldGrowByAFactor() {
        assertEquals(List.of(8L, 24L, 72L, 216L), new Sizes(8, 300, 3, 0).all());
        assertEquals("3(factor)", new Sizes(8, 300, 3, 0).stepText());
    }

    @Test
    void shouldGrowByAnIncrement() {
        assertEquals(List.of(8L, 108L, 208L), new Sizes(8, 300, 0, 100).all());
        assertEquals("100(bytes)", new Sizes(8, 300, 0, 100).stepText());
    }

    @Test
    void shouldHaveOneSizeIfBothEndsAreTheSame() {
        assertEquals(List.of(64L), new Sizes(64, 64, 2, 0).all());
    }

    @Test
    void shouldEndWhereNumbersDo() {
        long max = 1L << 40;
        assertEquals(List.of(max), new Sizes(max, max, Integer.MAX_VALUE, 0).all());
        assertEquals(List.of(1L, 1L << 31), new Sizes(1, max, 1L << 31, 0).all());
    }

    @Test
    void shouldNotCountFurtherThanAllowed() {
        assertEquals(Sizes.MAX_ROWS + 1, new Sizes(1, 1L << 40, 0, 1).rows());
        assertEquals(3, new Sizes(8, 32, 2, 0).rows());
    }
}
