/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files that tables come from. */
class TableFileTest {
    @Test
    void shouldReadRows() {
        TableFile file = TableFile.parse("t", "# a comment\n\na = 1 2.5  .5\nb.x = y z\nb.w = 7\n");
        assertArrayEquals(new double[] {1, 2.5, .5}, file.numbers("a", 3));
        assertEquals(List.of("y", "z"), file.words("b.x"));
        assertEquals(List.of("x", "w"), file.names("b."));
        assertEquals(7, file.integer("b.w"));
        assertEquals(List.of(), file.triples("c"));
        assertEquals(1, file.triples("a").size());
        file.requireAllRead();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            a 1       | t: 'a 1' is no row
            a = 1;a=2 | t: a is there twice
            b = 1     | t: a is missing
            a = 1 2   | t: a has 2 numbers, where 1 are needed
            a = x     | t: a has 'x', which is no number
            a = -1    | t: a has -1, which is no number from 0 up
            a = NaN   | t: a has NaN, which is no number from 0 up
            a = 1e99  | t: a has 1e99, which is no number from 0 up
            a = 1.5   | t: a is no whole number: 1.5
            a = 1;b=2 | t: nothing reads [b]
            """)
    void shouldSayWhatIsWrong(String text, String message) {
        ProxyException failure = assertThrows(ProxyException.class, () -> {
            TableFile file = TableFile.parse("t", text.replace(';', '\n'));
            file.integer("a");
            file.requireAllRead();
        });
        assertEquals(message, failure.getMessage());
        assertEquals(ProxyResult.INTERNAL_ERROR, failure.result());
    }

    @Test
    void shouldSayWhichFileIsMissing() {
        assertTrue(assertThrows(ProxyException.class, () -> TableFile.load("none.table")).getMessage()
                .contains("none.table"));
    }
}
