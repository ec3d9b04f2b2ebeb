/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The page of what the script measured. */
class CollNetDelayBenchTest {
    private static final String FIGURES = """
            round,experiment,scenario,contender,metric,value
            1,8 hosts 100 us,"8",ring,us,900
            1,8 hosts 100 us,"8",doubling,us,400
            1,8 hosts 100 us,"8",collnet,us,300
            1,8 hosts 100 us,"65536",ring,us,1500
            1,8 hosts 100 us,"65536",collnet,us,600
            1,8 hosts 100 us,"131072",ring,us,1000
            1,8 hosts 100 us,"131072",collnet,us,1000
            2,8 hosts 1000 us,"8",ring,us,7000.5
            2,8 hosts 1000 us,"8",collnet,us,7000.5
            """;

    private final StringWriter said = new StringWriter();

    @TempDir
    Path directory;

    @BeforeEach
    void describe() throws IOException {
        Files.writeString(directory.resolve("collnet-delay.txt"), "processor: one\nsystem: another\n");
    }

    @Test
    void shouldJudgeTheGoalByTheSizesThatItIsOf() throws IOException {
        String page = page(FIGURES);
        assertTrue(page.contains("| 8 hosts 100 µs apart, to 64 KiB: CollNet at least 1.5 × as fast as the ring at each"
                + " size | at worst 2.5 ×, at 64 KiB | holds |"), page);
        assertTrue(page.contains("| at worst 1 ×, at 8 B | **missed** |"), page);
    }

    @Test
    void shouldPutTheWaysBesideEachOther() throws IOException {
        String page = page(FIGURES);
        assertTrue(page.contains("| 8 B | 900 | 400 | 300 | 3 | 1.33 |"), page);
        assertTrue(page.contains("| 64 KiB | 1,500 | – | 600 | 2.5 | – |"), page);
        assertTrue(page.contains("![Eight hosts, 100 µs apart](collnet-delay-100.svg)"), page);
        assertTrue(Files.exists(directory.resolve("out/collnet-delay-100.svg")));
    }

    @Test
    void shouldSayWhereItWasMeasuredAndLeaveOutWhatWasNot() throws IOException {
        String page = page(FIGURES);
        assertTrue(page.contains("```\nprocessor: one\nsystem: another\n```"), page);
        assertTrue(page.contains("## Eight hosts, 1 ms apart") && !page.contains("## Four hosts, 1 ms apart"), page);
    }

    @Test
    void shouldSayWhichLineIsNoFigure() throws IOException {
        Files.writeString(directory.resolve("collnet-delay.csv"), "header\n1,8 hosts 100 us,\"8\",ring,us,\n");
        assertEquals(1, make());
        assertTrue(said.toString().contains("has a line that is no figure: 1,8 hosts"), said.toString());
        assertFalse(Files.exists(directory.resolve("out/collnet-delay.md")));
    }

    @Test
    void shouldSayWhereThereIsNothingToReport() {
        assertEquals(1, make());
        assertTrue(said.toString().contains("cannot read the figures of collnet-delay.sh in " + directory),
                said.toString());
    }

    private String page(String figures) throws IOException {
        Files.writeString(directory.resolve("collnet-delay.csv"), figures);
        assertEquals(0, make(), said.toString());
        return Files.readString(directory.resolve("out/collnet-delay.md"));
    }

    private int make() {
        CommandLine bench = BenchCommand.commandLine();
        return bench.setErr(new PrintWriter(said, true)).execute("collnet-delay", directory.toString(), "--out",
                directory.resolve("out").toString());
    }
}
