/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.platform.CurrentUser;
import io.proxyrt.core.platform.PrivateDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
            assertEquals(List.of(new RuntimeDirectory.Entry(directory.path(), 7, ProcessHandle.current().pid(), true,
                    true)),
                    entries);
        }
    }

    @Test
    void shouldKeepOthersOut() throws Exception {
        try (RuntimeDirectory directory = RuntimeDirectory.create(config, 0)) {
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(base)));
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.path())));
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
    void shouldPassOverNumbersOfNoProcess() throws Exception {
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
        assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
        assertTrue(failure.getMessage().contains("it is no folder"), failure.getMessage());
        assertTrue(failure.getMessage().contains("set proxyrt.directory"), failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxrwxrwx", "rwxr-xr-x", "rwx--x---"})
    void shouldRefuseAConfiguredFolderThatIsOpenToOthers(String permissions) throws Exception {
        Files.createDirectory(base);
        Files.setPosixFilePermissions(base, PosixFilePermissions.fromString(permissions));
        assertRefused(base + " cannot be trusted: its mode is " + permissions + ", not rwx------");
    }

    @Test
    void shouldRefuseAConfiguredLink() throws Exception {
        Path folder = PrivateDirectory.make(temp.resolve("folder")).path();
        Files.createSymbolicLink(base, folder);
        assertRefused("it is a symbolic link");
    }

    @Test
    void shouldRefuseAConfiguredFolderOfAnotherUser() throws Exception {
        giveAway(Files.createDirectory(base));
        assertRefused("it belongs to user 12345, not to this process's 0");
    }

    @Test
    void shouldRemoveNothingThroughALink() throws Exception {
        Path precious = Files.createDirectory(temp.resolve("precious"));
        Files.writeString(precious.resolve("key"), "private");
        Files.writeString(precious.resolve("counters"), "no runtime's");
        Files.createSymbolicLink(base().resolve(dead()), precious);
        RuntimeDirectory.create(config, 0).close();
        assertEquals("private", Files.readString(precious.resolve("key")));
        assertEquals("no runtime's", Files.readString(precious.resolve("counters")));
        assertEquals(List.of(), RuntimeDirectory.list(base));
    }

    @Test
    void shouldRemoveNoFileThatIsALink() throws Exception {
        Path precious = Files.writeString(temp.resolve("precious"), "private");
        Path left = plant(dead());
        Files.createSymbolicLink(left.resolve("ops"), precious);
        RuntimeDirectory.create(config, 0).close();
        assertEquals("private", Files.readString(precious));
        assertTrue(Files.isSymbolicLink(left.resolve("ops")));
        assertFalse(Files.exists(left.resolve("counters")), "but what a runtime makes goes");
    }

    @Test
    void shouldLeaveAloneWhatNoRuntimeMakes() throws Exception {
        Path left = plant(dead());
        Path deep = Files.createDirectories(left.resolve("deep/tree"));
        Files.writeString(deep.resolve("counters"), "far down");
        Files.createDirectory(left.resolve("ops"));
        Path odd = Files.createFile(left.resolve("a\nname \u001b[2J"));
        RuntimeDirectory.create(config, 0).close();
        assertEquals("far down", Files.readString(deep.resolve("counters")));
        assertTrue(Files.exists(odd));
        assertTrue(Files.isDirectory(left.resolve("ops")));
    }

    @Test
    void shouldNotWaitForAPipe() throws Exception {
        pipe(base().resolve(dead()));
        Path left = plant(dead().replaceFirst("r0", "r1"));
        pipe(left.resolve("ops"));
        RuntimeDirectory.create(config, 0).close();
        assertTrue(Files.exists(base.resolve(dead())), "no folder, so none of a runtime's");
        assertEquals(List.of(), RuntimeDirectory.list(base));
    }

    @Test
    void shouldLeaveAloneAFolderOfAnotherUser() throws Exception {
        Path left = plant(dead());
        giveAway(left);
        RuntimeDirectory.create(config, 0).close();
        assertTrue(Files.exists(left.resolve("counters")));
        assertEquals(List.of(), RuntimeDirectory.list(base));
    }

    /** What its path leads to by then is another's. */
    @Test
    void shouldRemoveNothingWhereItsFolderWasReplaced() throws Exception {
        RuntimeDirectory directory = RuntimeDirectory.create(config, 0);
        Path moved = Files.move(base, temp.resolve("moved"));
        Path precious = Files.createDirectory(temp.resolve("precious"));
        Path there = Files.createDirectory(precious.resolve(directory.path().getFileName()));
        Files.writeString(there.resolve("counters"), "private");
        Files.createSymbolicLink(base, precious);
        directory.close();
        assertEquals("private", Files.readString(there.resolve("counters")));
        assertTrue(Files.exists(moved.resolve(directory.path().getFileName())));
    }

    private void assertRefused(String text) {
        for (Executable use : List.<Executable>of(() -> RuntimeDirectory.create(config, 0),
                () -> RuntimeDirectory.list(config), () -> RuntimeDirectory.reap(config))) {
            ProxyException failure = assertThrows(ProxyException.class, use);
            assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
            assertTrue(failure.getMessage().contains(text), failure.getMessage());
            assertTrue(failure.getMessage().contains("set proxyrt.directory"), failure.getMessage());
        }
    }

    private static void giveAway(Path path) throws Exception {
        assumeTrue(CurrentUser.id() == 0, "only root gives files away");
        Files.setAttribute(path, "unix:uid", 12_345);
    }

    private static void pipe(Path path) throws Exception {
        assertEquals(0, new ProcessBuilder("mkfifo", path.toString()).start().waitFor());
    }

    private String dead() {
        return name(ProcessHandle.current().pid(), 1);
    }

    private Path base() {
        try (PrivateDirectory made = PrivateDirectory.make(base)) {
            return made.path();
        }
    }

    private String name(long pid, long startMs) {
        return "r0-p" + pid + "-s" + startMs + "-n" + ProcessIdentity.current().namespace() + "-0";
    }

    private Path plant(String name) throws Exception {
        Path folder = Files.createDirectories(base().resolve(name));
        Files.writeString(folder.resolve("counters"), "left behind");
        return folder;
    }
}
