/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.testkit.plugin.TunerPlugin;
import io.proxyrt.testkit.plugin.TunerPlugin.Fault;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class InfoTuningCommandTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine command = ProxyRt.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(Stream.concat(Stream.of("info", "tuning", "--arch", "sm90", "-b", "1M", "-e", "1M",
                "--nodes", "2"), Stream.of(arguments)).toArray(String[]::new));
    }

    private static String plugin(Fault fault) {
        return "tuner.plugin=" + TunerPlugin.library(4, fault);
    }

    /** The row of 1 MiB: algorithm, protocol, channels. */
    private List<String> choice() {
        String row = out.toString().lines().filter(line -> line.startsWith("  1048576 ")).findFirst().orElseThrow();
        return List.of(row.strip().split(" +")).subList(1, 4);
    }

    @Test
    void shouldLetTheTunerChooseThatTheOptionNames() {
        assumeTrue(TunerPlugin.whyNot().isEmpty(), TunerPlugin::whyNot);
        assertEquals(0, run("--set", plugin(Fault.NONE)), err::toString);
        assertEquals(List.of("ring", "simple", "3"), choice());
        assertTrue(out.toString().contains("  tuner                " + TunerPlugin.NAME), out::toString);
    }

    @Test
    void shouldChooseByTheModelWithoutATuner() {
        assertEquals(0, run("--set", "tuner.plugin=none"), err::toString);
        assertEquals(List.of("tree", "ll128", "12"), choice());
        assertFalse(out.toString().contains("tuner"), out::toString);
    }

    @Test
    void shouldSayWhyATunerCannotBeHad() {
        assumeTrue(TunerPlugin.whyNot().isEmpty(), TunerPlugin::whyNot);
        assertEquals(1, run("--set", plugin(Fault.INIT_FAILS)), err::toString);
        assertTrue(err.toString().contains("no table for 8 ranks on 2 nodes"), err::toString);
        assertEquals("", out.toString());
    }

    /** By ranks that are started in this process, without a profile: thresholds decide. */
    @Test
    void shouldSayWhatKernelsOfTheHostChoose() throws Exception {
        Path file = Files.createTempFile(directory, "choice", ".json");
        CommandLine command = ProxyRt.commandLine();
        assertEquals(0, command.execute("info", "tuning", "--ranks", "3", "--collective", "reduce", "-b", "1K", "-e",
                "1M", "-f", "32", "--set", "coll.tuning.profile=none", "--set", "coll.tree.bytes=32K", "--json",
                file.toString()));
        String json = Files.readString(file);
        assertEquals(List.of("1024 tree", "32768 tree", "1048576 ring"), Pattern
                .compile("\"bytes\" : (\\d+),\\s+\"algorithm\" : \"(\\w+)\"").matcher(json).results()
                .map(row -> row.group(1) + " " + row.group(2)).toList(), json);
        assertFalse(json.contains("measuredUs"), json);
    }

    @Test
    void shouldSayThatNothingIsLeft() {
        assertEquals(2, run("--set", "tuner.plugin=none", "--algo", "nvls"), err::toString);
        assertTrue(err.toString().contains("nothing is left for allreduce of 8 ranks on 2 nodes of sm90"),
                err::toString);
    }
}
