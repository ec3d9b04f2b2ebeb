/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.host.HostDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Segments that are files. */
class FileSegmentsTest {
    @TempDir
    Path folder;

    @TempDir
    Path shm;

    private final TestHost host = new TestHost();

    private TestProxy rank(int number, Map<String, String> more) {
        Map<String, String> options = new HashMap<>(more);
        options.put("shm.segment", "file");
        options.put("shm.directory", shm.toString());
        return new TestProxy(number, host, new HostDevice(number), folder, options);
    }

    private List<String> files() {
        try (Stream<Path> all = Files.list(shm)) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void shouldLeaveNoNameOnceBothRanksHaveMappedThem() throws IOException {
        try (TestProxy one = rank(0, Map.of()); TestProxy other = rank(1, Map.of())) {
            TestEnd sender = one.end(Direction.SEND, 1, 0);
            TestEnd receiver = other.end(Direction.RECV, 0, 0);
            ByteBuffer fromInfo = sender.setUp();
            ByteBuffer toInfo = receiver.setUp();
            assertEquals(2, files().size());
            ProcessIdentity self = ProcessIdentity.current();
            for (String name : files()) {
                assertTrue(name.startsWith("proxyrt-shm-" + self.pid() + '-' + self.start() + '-'), name);
                assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(
                        shm.resolve(name))));
            }
            sender.connect(toInfo);
            assertEquals(1, files().size(), "the sender's, which the receiver has not mapped");
            receiver.connect(fromInfo);
            assertEquals(List.of(), files());
            assertTrue(sender.connect(toInfo));

            sender.kernelEnd.buffer(Protocol.SIMPLE).setString(0, "hello");
            assertEquals("hello", receiver.kernelEnd.buffer(Protocol.SIMPLE).getString(0));
        }
    }

    @Test
    void shouldLeaveNoNameAfterHalfASetUp() {
        try (TestProxy one = rank(0, Map.of())) {
            one.end(Direction.SEND, 1, 0).setUp();
            assertEquals(1, files().size());
        }
        assertEquals(List.of(), files());
    }

    @Test
    void shouldLeaveNothingWhereTheDeviceCannotRegisterFiles() {
        FileSegments segments = new FileSegments(new SlowDevice(0, new Random(1)), shm);
        ProxyException refusal = assertThrows(ProxyException.class, () -> segments.make(4096, 1));
        assertEquals(ProxyResult.INVALID_USAGE, refusal.result());
        assertEquals(List.of(), files());
    }

    @Test
    void shouldRemoveWhatDeadProcessesLeftAndNothingElse() throws IOException {
        ProcessIdentity self = ProcessIdentity.current();
        String random = "-0123456789abcdef";
        String dead = "proxyrt-shm-" + self.pid() + '-' + (self.start() + 1) + '-' + self.namespace() + random;
        List<String> others = Stream.of("proxyrt-shm-" + self.pid() + '-' + self.start() + '-' + self.namespace()
                + random, "proxyrt-shm-" + self.pid() + "-1-" + (self.namespace() + 1) + random, dead + "0", "x" + dead,
                "proxyrt-shm-1").sorted().toList();
        for (String name : others) {
            Files.createFile(shm.resolve(name));
        }
        Files.createFile(shm.resolve(dead));
        Path folderOfThatName = Files.createDirectory(shm.resolve(dead.replace("abc", "cba")));
        Path link = Files.createSymbolicLink(shm.resolve(dead.replace("123", "321")), folder);
        rank(0, Map.of()).close();

        assertFalse(Files.exists(shm.resolve(dead)));
        Files.delete(folderOfThatName);
        Files.delete(link);
        assertEquals(others, files());
    }

    @Test
    void shouldMapNothingButSegmentsOfItsOwnUser() throws IOException {
        FileSegments segments = new FileSegments(new HostDevice(0), shm);
        Path secret = Files.write(folder.resolve("secret"), new byte[8192]);
        String name = SegmentFile.newName();
        for (String place : List.of("", "..", secret.toString(), "../secret", name + "/../secret", "secret", name)) {
            assertThrows(ProxyException.class, () -> open(segments, place), place);
        }
        Files.createSymbolicLink(shm.resolve(name), secret);
        assertRefused("is no file of this user", () -> open(segments, name));
        Files.delete(shm.resolve(name));
        Files.write(shm.resolve(name), new byte[4095]);
        assertThrows(ProxyException.class, () -> open(segments, name), "too small");
        Files.write(shm.resolve(name), new byte[4096]);
        open(segments, name).close();
        assumeTrue((int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0, "only root gives files away");
        Files.setAttribute(shm.resolve(name), "unix:uid", 12_345);
        assertRefused("is no file of this user", () -> open(segments, name));
    }

    private static MappedSegment open(FileSegments segments, String place) {
        return segments.open(new SegmentAddress(SegmentKind.FILE, place, 0), 4096, Duration.ofSeconds(1));
    }

    @Test
    void shouldSayWhatToDoWhereThereIsNoSpace() throws IOException {
        mount("1m");
        try (TestProxy one = rank(0, Map.of("buffer.bytes", "256K", "ll.buffer.bytes", "32K",
                "ll128.buffer.bytes", "32K"))) {
            long before = free();
            one.end(Direction.RECV, 1, 0).setUp();
            assertTrue(free() <= before - (320 << 10), "it is not really taken");
            one.end(Direction.RECV, 1, 1).setUp();
            one.end(Direction.RECV, 1, 2).setUp();
            TestEnd last = one.end(Direction.RECV, 1, 3);
            assertRefused("bytes are free; give it more space (of a container by --shm-size)", last::setUp);
            assertEquals(3, files().size(), "and nothing half made is left");
        } finally {
            run("umount", shm.toString());
        }
    }

    @Test
    void shouldFailAndNotDieWhereSpaceIsLessThanItSeems() throws IOException {
        mount("1m,nr_inodes=3");
        try (TestProxy one = rank(0, Map.of("ll.buffer.bytes", "32K", "ll128.buffer.bytes", "32K"))) {
            one.end(Direction.RECV, 1, 0).setUp();
            one.end(Direction.RECV, 1, 1).setUp();
            TestEnd last = one.end(Direction.RECV, 1, 2);
            assertRefused("No space left on device", last::setUp);
        } finally {
            run("umount", shm.toString());
        }
    }

    private void mount(String size) throws IOException {
        boolean isMounted;
        try {
            isMounted = run("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", shm.toString());
        } catch (IOException e) {
            isMounted = false;
        }
        assumeTrue(isMounted, "a small tmpfs takes the right to mount");
    }

    private long free() throws IOException {
        return Files.getFileStore(shm).getUsableSpace();
    }

    private static boolean run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
        try {
            return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static void assertRefused(String reason, Runnable call) {
        ProxyException refusal = assertThrows(ProxyException.class, call::run);
        assertTrue(refusal.result() == ProxyResult.SYSTEM_ERROR || refusal.result() == ProxyResult.REMOTE_ERROR);
        assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    }
}
