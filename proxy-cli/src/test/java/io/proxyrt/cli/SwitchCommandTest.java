/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.testkit.ChildJvm;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class SwitchCommandTest {
    @TempDir
    private Path folder;

    private ChildJvm start(String... more) throws IOException {
        final List<String> arguments = new ArrayList<>(List.of("collnet-switch", "--set",
                "directory=" + folder.resolve("runtimes")));
        arguments.addAll(List.of(more));
        return new ChildJvm(List.of(), ProxyRt.class, arguments.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void shouldRunUntilItIsInterrupted(String signal) throws IOException {
        try (ChildJvm child = start("--threads", "2")) {
            final String ready = child.line();
            assertTrue(ready.matches("switch 127\\.0\\.0\\.1:\\d+ is ready"), ready);
            assertTrue(stat().contains("job " + ready.replace(" is ready", "")), stat());

            child.signal(signal);
            assertNull(child.line());
            assertEquals("no running runtime found under " + folder.resolve("runtimes") + "\n", stat());
        }
    }

    @Test
    void shouldBeAChildOfAnother() throws IOException {
        try (ChildJvm root = start()) {
            final String address = root.line().split(" ")[1];
            try (ChildJvm child = start("--parent", address)) {
                assertTrue(child.line().endsWith(" is ready"));
            }
        }
    }

    private String stat() {
        final StringWriter out = new StringWriter();
        final CommandLine command = ProxyRt.commandLine();
        command.setOut(new PrintWriter(out, true));
        assertEquals(0, command.execute("stat", "--directory", folder.resolve("runtimes").toString()));
        return out.toString();
    }
}
