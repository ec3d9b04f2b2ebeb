/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class UsageBenchTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void shouldExplainEveryOption() {
        assertEquals(0, run("ops", "--help"));
        for (String option : new String[] {"--out", "--rounds", "--only", "--smoke"}) {
            assertTrue(out.toString().contains(option), option);
        }
    }

    @Test
    void shouldRefuseZeroRounds() {
        assertEquals(2, run("ops", "--rounds", "0"));
        assertTrue(err.toString().contains("must be at least 1"), err.toString());
    }

    @Test
    void shouldAskWhatToMeasure() {
        assertEquals(2, run());
        assertTrue(err.toString().contains("say what to measure"), err.toString());
    }

    private int run(String... arguments) {
        CommandLine command = BenchCommand.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(arguments);
    }
}
