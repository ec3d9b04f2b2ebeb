/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.testkit.Extent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another user takes the name of the folder that a user's runtimes share, in /dev/shm itself. */
@Tag(Extent.ONLY_FULL)
class ForeignFolderTest {
    private static final Path SHM = Path.of("/dev/shm");
    private static final int NOBODY = 65_534;
    private final OtherUser victim = new OtherUser(40_000 + (int) (ProcessHandle.current().pid() % 20_000));
    private final OtherUser attacker = new OtherUser(NOBODY);
    private final Path taken = SHM.resolve("proxyrt-" + victim.id());
    @TempDir
    private Path folder;
    private Path home;
    private String classPath;

    @BeforeEach
    void prepare() throws Exception {
        classPath = OtherUser.copiedClassPath(folder);
        home = Files.createDirectory(folder.resolve("home"));
        for (String name : List.of("key", "counters", "ops")) {
            Files.writeString(home.resolve(name), "private");
        }
        new ProcessBuilder("chown", "-R", Integer.toString(victim.id()), home.toString()).start().waitFor();
        Process dead = new ProcessBuilder("true").start();
        dead.waitFor();
        attacker.run("umask 022 && mkdir " + taken + " && ln -s " + home + " " + taken + "/r0-p" + dead.pid() + "-s1-n"
                + ProcessIdentity.current().namespace() + "-0");
    }

    @AfterEach
    void removeTheFolder() throws Exception {
        attacker.run("rm -r " + taken);
    }

    @Test
    void shouldRemoveNoFileOfItsOwner() throws Exception {
        Process info = new ProcessBuilder(victim.proxyrt(classPath, "info")).redirectOutput(
                folder.resolve("out").toFile()).start();
        String said = new String(info.getErrorStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertEquals(0, info.waitFor(), said);
        try (Stream<Path> files = Files.list(home)) {
            assertEquals(3, files.count(), said);
        }
        assertEquals(1, said.lines().count(), said);
        assertTrue(said.contains("WARN") && said.contains(taken + " cannot be trusted: it belongs to user nobody"),
                said);
        assertTrue(said.contains(taken + "-") && said.contains(" is used instead"), said);
        assertNothingIsLeft();
    }

    @Test
    void shouldShowItsOwnerTheRuntimesThatWentElsewhere() throws Exception {
        Process perf = new ProcessBuilder(victim.proxyrt(classPath, "perf", "all_reduce", "--in-process", "--ranks",
                "2", "-b", "256K", "-e", "256K", "-n", "100000000", "-w", "0", "--jit-warmup", "0"))
                .redirectOutput(folder.resolve("out").toFile()).redirectError(folder.resolve("err").toFile()).start();
        try {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            String shown = stat();
            while (!shown.contains("2 of 2 ranks here")) {
                assertTrue(perf.isAlive() && System.nanoTime() - deadline < 0, shown);
                LockSupport.parkNanos(20_000_000);
                shown = stat();
            }
            assertTrue(shown.contains("running"), shown);
            perf.destroy();
            perf.waitFor();
        } finally {
            perf.destroyForcibly();
        }
        assertNothingIsLeft();
    }

    private String stat() throws Exception {
        Process stat = new ProcessBuilder(victim.proxyrt(classPath, "stat"))
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String text = new String(stat.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertEquals(0, stat.waitFor(), text);
        return text;
    }

    private void assertNothingIsLeft() throws IOException {
        try (Stream<Path> files = Files.list(SHM)) {
            assertFalse(files.anyMatch(file -> file.toString().startsWith(taken + "-")));
        }
    }
}
