/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuntimeDirectoryTest {
    @TempDir
    Path temp;

    private Path base;
    private ProxyConfig config;

    @BeforeEach
    void configure() {
        base = temp.resolve("base");
        config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.DIRECTORY, base.toString()).build();
    }

    @Test
    void shouldShowALivingRuntime() {
        try (RuntimeDirectory directory = RuntimeDirectory.create(config, 7)) {
            List<RuntimeDirectory.Entry> entries = RuntimeDirectory.list(base);
            assertEquals(List.of(new RuntimeDirectory.Entry(directory.path(), 7, ProcessHandle.current().pid(), true)),
                    entries);
        }
    }

    @Test
    void shouldKeepOthersOut() throws Exception {
        try (RuntimeDirectory directory = RuntimeDirectory.create(config, 0)) {
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(base)));
            try (Counters counters = Counters.create(directory.path().resolve("counters"), "job", 0, 1)) {
                assertEquals("rw-------", PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(directory.path().resolve("counters"))));
                assertEquals(0, counters.get(Counter.OPS_FETCHED));
            }
        }
    }

    @Test
    void shouldRemoveItselfAndTheLastOneTheBase() {
        RuntimeDirectory first = RuntimeDirectory.create(config, 0);
        RuntimeDirectory second = RuntimeDirectory.create(config, 0);
        first.close();
        first.close();
        assertTrue(Files.exists(base));
        second.close();
        assertFalse(Files.exists(base));
    }

    @Test
    void shouldRemoveWhatADeadProcessLeft() throws Exception {
        Process process = new ProcessBuilder("true").start();
        long pid = process.pid();
        process.waitFor();
        Path dead = plant(name(pid, 1));
        Path recycled = plant(name(ProcessHandle.current().pid(), 1));
        try (RuntimeDirectory directory = RuntimeDirectory.create(config, 0)) {
            assertFalse(Files.exists(dead));
            assertFalse(Files.exists(recycled), "its pid belongs to another process now");
            assertTrue(Files.exists(directory.path()));
        }
    }

    @Test
    void shouldLeaveAloneWhatItCannotJudge() throws Exception {
        Path container = plant("r0-p999999-s1-n1-0");
        Path foreign = plant("somebody-elses-folder");
        try (RuntimeDirectory directory = RuntimeDirectory.create(config, 0)) {
            assertTrue(Files.exists(directory.path()));
        }
        assertTrue(Files.exists(container));
        assertTrue(Files.exists(foreign));
    }

    @Test
    void shouldPassOverNumbersThatNobodyGave() throws Exception {
        plant("r99999999999-p1-s1-n1-0");
        plant("r0-p99999999999999999999-s1-n1-0");
        plant("r0-p1-s99999999999999999999-n1-0");
        assertEquals(List.of(), RuntimeDirectory.list(base));
    }

    @Test
    void shouldKnowAProcessByAStartThatTheClockDoesNotMove() throws Exception {
        try (RuntimeDirectory directory = RuntimeDirectory.create(config, 0)) {
            String start = directory.path().getFileName().toString().replaceFirst(".*-s(\\d+)-.*", "$1");
            assertTrue(Files.readString(Path.of("/proc/self/stat")).contains(" " + start + " "), start);
        }
    }

    @Test
    void shouldSayWhatToDoWhenTheFolderCannotBeMade() throws Exception {
        Files.writeString(base, "a file in the way");
        ProxyException failure = assertThrows(ProxyException.class, () -> RuntimeDirectory.create(config, 0));
        assertEquals(ProxyResult.SYSTEM_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("set proxyrt.directory"), failure.getMessage());
    }

    private String name(long pid, long startMs) {
        try (RuntimeDirectory own = RuntimeDirectory.create(config, 0)) {
            return own.path().getFileName().toString().replaceFirst("-p\\d+-s\\d+", "-p" + pid + "-s" + startMs);
        }
    }

    private Path plant(String name) throws Exception {
        Path folder = Files.createDirectories(base.resolve(name));
        Files.writeString(folder.resolve("counters"), "left behind");
        return folder;
    }
}
