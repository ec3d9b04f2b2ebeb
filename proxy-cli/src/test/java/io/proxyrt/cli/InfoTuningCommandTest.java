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
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class InfoTuningCommandTest {
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

    @Test
    void shouldSayThatNothingIsLeft() {
        assertEquals(2, run("--set", "tuner.plugin=none", "--algo", "nvls"), err::toString);
        assertTrue(err.toString().contains("nothing is left for allreduce of 8 ranks on 2 nodes of sm90"),
                err::toString);
    }
}
