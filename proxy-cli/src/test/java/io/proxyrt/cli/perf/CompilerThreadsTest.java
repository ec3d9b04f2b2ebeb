/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompilerThreadsTest {
    @TempDir
    private Path tasks;

    @Test
    void shouldAddUpTheTimeOfCompilersOnly() throws IOException {
        thread("1", "java", "1000 1 1");
        thread("2", "C1 CompilerThre", "20 5 3");
        thread("3", "C2 CompilerThre", "300 5 3");
        thread("4", "main", "4000 5 3");
        assertEquals(320, new CompilerThreads(tasks).cpuNs());
    }

    @Test
    void shouldTakeThreadsThatEndForNothing() throws IOException {
        thread("2", "C1 CompilerThre", "20 5 3");
        Files.createDirectory(tasks.resolve("9"));
        assertEquals(20, new CompilerThreads(tasks).cpuNs());
        assertEquals(0, new CompilerThreads(tasks.resolve("none")).cpuNs());
    }

    @Test
    void shouldSeeThisJvmCompile() {
        assertTrue(new CompilerThreads().cpuNs() > 0);
    }

    private void thread(String id, String name, String schedstat) throws IOException {
        Path thread = Files.createDirectory(tasks.resolve(id));
        Files.writeString(thread.resolve("comm"), name + '\n');
        Files.writeString(thread.resolve("schedstat"), schedstat + '\n');
    }
}
