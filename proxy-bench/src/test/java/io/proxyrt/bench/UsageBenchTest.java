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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class UsageBenchTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {"ops", "rpc", "net", "shm", "collectives", "collnet", "gpu"})
    void shouldExplainEveryOption(String command) {
        assertEquals(0, run(command, "--help"));
        for (String option : new String[] {"--out", "--rounds", "--only", "--smoke"}) {
            assertTrue(out.toString().contains(option), option);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ops", "rpc", "net", "shm", "collectives", "collnet", "gpu"})
    void shouldRefuseZeroRounds(String command) {
        assertEquals(2, run(command, "--rounds", "0"));
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
