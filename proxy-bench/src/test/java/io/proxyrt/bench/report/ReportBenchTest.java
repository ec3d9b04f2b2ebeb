/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bench.process.BenchException;
import io.proxyrt.bench.run.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportBenchTest {
    @TempDir
    Path directory;

    /** As a JDK without a font is. */
    private record Undrawn(Error why) implements Plot {
        @Override
        public boolean isEmpty() {
            return false;
        }

        @Override
        public String draw() {
            throw why;
        }
    }

    @Test
    void shouldKeepWhatWasMeasuredWhereNothingCanBeDrawn() throws IOException {
        Report report = new Report(new Results(), List.of());
        report.text("rounds", "3");
        report.text("warning", "");
        report.plot("plot.svg", new Undrawn(new Error("no physical fonts")));
        report.table("empty", Table.of("who", List.of(), Object::toString));
        report.table("full", Table.of("who", List.of("a"), who -> who));
        String message = assertThrows(BenchException.class, () -> report.write(directory, getClass(), "template"))
                .getMessage();
        assertTrue(message.contains("plot.svg") && message.contains("no physical fonts"), message);
        assertTrue(Files.readString(directory.resolve("template.md")).contains("| a |"));
        assertEquals(1, Files.readAllLines(directory.resolve("template.csv")).size());
    }
}
