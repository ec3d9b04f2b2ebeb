/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.bench.process.BenchException;
import io.proxyrt.bench.run.Stat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Beside this class is a page that names everything. */
class TemplateBenchTest {
    private static final String PAGE = "template.md";

    private final Template template = new Template().text("rounds", "3").text("warning", "").picture("plot.svg", true)
            .table("empty", table());

    @Test
    void shouldLeaveOutWhatIsEmptyWithItsBlankLine() {
        template.table("full", table("a"));
        assertEquals(List.of("# Page", "", "Of 3 rounds.", "", "## Full", "", "![Full](plot.svg)", "",
                "| who | times |", "|---|---|", "| a | 2 [1..3] |"), template.fill(TemplateBenchTest.class, PAGE));
    }

    @Test
    void shouldLeaveOutASectionWithoutARow() {
        template.table("full", table());
        assertEquals(List.of("# Page", "", "Of 3 rounds."), template.fill(TemplateBenchTest.class, PAGE));
    }

    @Test
    void shouldSayWhichNameIsUnknown() {
        String message = assertThrows(BenchException.class, () -> template.fill(TemplateBenchTest.class, PAGE))
                .getMessage();
        assertEquals("the page names \"full\", and the benchmark has nothing of that name", message);
    }

    private static Table<String> table(String... rows) {
        return Table.of("who", List.of(rows), row -> row)
                .column("times", row -> Stat.of(List.of(1.0, 2.0, 3.0)));
    }
}
