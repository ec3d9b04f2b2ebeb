/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.PrivateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RendezvousFileTest {
    private static final UniqueId ID = UniqueId.parse("127.0.0.1:4711:0123456789abcdef0123456789abcdef");
    @TempDir
    private Path parent;

    @Test
    void shouldTellTheOtherRanksTheId() throws IOException {
        try (RendezvousFile writer = file("job")) {
            writer.write(ID);
            assertEquals(ID, file("job").await(Duration.ZERO));
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path("job"))));
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder())));
            assertEquals(1, children());
        }
        assertFalse(Files.exists(folder()));
    }

    @Test
    void shouldWaitForRankZero() throws Exception {
        CompletableFuture<UniqueId> waiting = CompletableFuture.supplyAsync(
                () -> file("job").await(Duration.ofSeconds(30)));
        try (RendezvousFile writer = file("job")) {
            writer.write(ID);
            assertEquals(ID, waiting.get(30, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldGiveUpWaitingNamingTheFile() {
        ProxyException e = assertThrows(ProxyException.class, () -> file("job").await(Duration.ofMillis(50)));
        assertEquals(ProxyResult.TIMEOUT, e.result());
        assertTrue(e.getMessage().contains(file("job").name()), e.getMessage());
    }

    @Test
    void shouldEndWaitingWhenInterrupted() {
        Thread.currentThread().interrupt();
        assertThrows(ProxyException.class, () -> file("job").await(Duration.ofSeconds(30)));
        assertTrue(Thread.interrupted());
    }

    @Test
    void shouldKeepJobsApart() {
        try (RendezvousFile writer = file("job 1")) {
            writer.write(ID);
            assertEquals(Optional.empty(), file("job 2").read());
        }
        assertNotEquals(file("job 1").name(), file("job 2").name());
    }

    @Test
    void shouldPassOverTheFileOfADeadProcess() throws Exception {
        Process process = new ProcessBuilder("true").start();
        long pid = process.pid();
        process.waitFor();
        put("proxyrt-rendezvous-2\n" + ID + "\n" + pid + " 12345 " + ProcessIdentity.current().namespace() + "\n");
        assertEquals(Optional.empty(), file("job").read());
    }

    @Test
    void shouldPassOverTheFileOfAProcessWhoseIdWasGivenAnew() throws IOException {
        ProcessIdentity self = ProcessIdentity.current();
        put("proxyrt-rendezvous-2\n" + ID + "\n" + RendezvousFile.text(
                new ProcessIdentity(self.pid(), self.start() - 1, self.namespace())) + "\n");
        assertEquals(Optional.empty(), file("job").read());
        put("proxyrt-rendezvous-2\n" + ID + "\n" + RendezvousFile.text(self) + "\n");
        assertEquals(Optional.of(ID), file("job").read());
    }

    @Test
    void shouldReplaceWhatAnEarlierJobLeft() throws IOException {
        put("something old");
        try (RendezvousFile writer = file("job")) {
            writer.write(ID);
            assertEquals(Optional.of(ID), file("job").read());
        }
    }

    @Test
    void shouldPassOverGarbage() throws IOException {
        ProcessIdentity self = ProcessIdentity.current();
        String process = RendezvousFile.text(self);
        for (String text : List.of("", "\n\n\n", "proxyrt-rendezvous-0\n" + ID + "\n" + process + "\n",
                "proxyrt-rendezvous-2\nnonsense\n" + process + "\n", "proxyrt-rendezvous-2\n" + ID + "\nx y\n",
                "proxyrt-rendezvous-2\n" + ID + "\n" + process + "\nmore\n", "\0".repeat(10_000))) {
            put(text);
            assertEquals(Optional.empty(), file("job").read(), text);
        }
        Files.write(path("job"), new byte[] {(byte) 0xFF, (byte) 0xFE, 0});
        assertEquals(Optional.empty(), file("job").read());
    }

    @Test
    void shouldNotFollowALink() throws IOException {
        ProcessIdentity self = ProcessIdentity.current();
        Path elsewhere = parent.resolve("elsewhere");
        Files.writeString(elsewhere, "proxyrt-rendezvous-2\n" + ID + "\n" + RendezvousFile.text(self) + "\n");
        PrivateDirectory.make(folder()).close();
        Files.createSymbolicLink(path("job"), elsewhere);
        assertEquals(Optional.empty(), file("job").read());
    }

    @Test
    void shouldLeaveAloneWhatAnotherUserPutThere() throws IOException {
        try (RendezvousFile writer = file("job")) {
            writer.write(ID);
            put("of another job");
        }
        assertEquals("of another job", Files.readString(path("job")));
    }

    @Test
    void shouldNotMindThatTheFileIsGone() throws IOException {
        try (RendezvousFile writer = file("job")) {
            writer.write(ID);
            Files.delete(path("job"));
        }
        assertFalse(Files.exists(path("job")));
    }

    private RendezvousFile file(String job) {
        return RendezvousFile.of(ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, folder().toString()).build(), job);
    }

    private Path path(String job) {
        return folder().resolve(file(job).name());
    }

    private Path folder() {
        return parent.resolve("runtimes");
    }

    private void put(String text) throws IOException {
        PrivateDirectory.make(folder()).close();
        Files.writeString(path("job"), text);
    }

    private long children() throws IOException {
        try (Stream<Path> files = Files.list(folder())) {
            return files.count();
        }
    }
}
