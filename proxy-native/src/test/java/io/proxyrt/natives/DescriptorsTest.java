/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.Descriptors;
import io.proxyrt.core.platform.Platform;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DescriptorsTest {
    private static final Path OPEN = Path.of("/proc/self/fd");

    private final Descriptors descriptors = Platform.find().descriptors();

    @Test
    void shouldMakeZeroedMemoryOfTheSizeAskedFor() throws IOException {
        try (OwnedFd fd = descriptors.memfd("proxyrt-test", 12_345); FileChannel channel = open(fd)) {
            assertEquals(12_345, channel.size());
            assertEquals(12_345, descriptors.sealedBytes(fd));
            assertEquals("/memfd:proxyrt-test (deleted)", Files.readSymbolicLink(path(fd)).toString());
            ByteBuffer bytes = ByteBuffer.allocate(12_345);
            channel.read(bytes);
            assertEquals(ByteBuffer.allocate(12_345), bytes.flip());
        }
    }

    @Test
    void shouldMakeMemoryThatNeitherShrinksNorGrows() throws IOException {
        try (OwnedFd fd = descriptors.memfd("sealed", 4096); FileChannel channel = open(fd)) {
            assertThrows(IOException.class, () -> channel.truncate(100));
            assertThrows(IOException.class, () -> channel.write(ByteBuffer.allocate(1), 4096));
            assertEquals(4096, channel.size());
        }
    }

    @Test
    void shouldCloseOnExec() throws IOException {
        try (OwnedFd fd = descriptors.memfd("private", 1); OwnedFd copy = descriptors.duplicate(fd)) {
            assertTrue(isClosedOnExec(fd), "memory");
            assertTrue(isClosedOnExec(copy), "its duplicate");
        }
    }

    @Test
    void shouldDuplicateWhatOutlivesTheOriginal() throws IOException {
        OwnedFd fd = descriptors.memfd("twice", 8);
        try (OwnedFd copy = descriptors.duplicate(fd)) {
            assertNotEquals(fd.number(), copy.number());
            try (FileChannel channel = open(fd)) {
                channel.write(ByteBuffer.wrap(new byte[] {42}), 7);
            }
            fd.close();
            try (FileChannel channel = open(copy)) {
                ByteBuffer bytes = ByteBuffer.allocate(1);
                channel.read(bytes, 7);
                assertEquals(42, bytes.get(0));
            }
        }
    }

    @Test
    void shouldCloseOnceAndForGood() {
        OwnedFd fd = descriptors.memfd("closed", 1);
        Path path = path(fd);

        fd.close();
        fd.close();

        assertFalse(Files.exists(path, LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void shouldNoticeThatOtherCodeClosedWhatItOwns() {
        OwnedFd fd = descriptors.memfd("stolen", 1);
        OwnedFd thief = descriptors.adopt(fd.number());
        String text = fd.toString();

        thief.close();

        ProxyException failure = assertThrows(ProxyException.class, fd::close);
        assertEquals(ProxyResult.INTERNAL_ERROR, failure.result());
        assertEquals(text + " was closed by code that does not own it", failure.getMessage());
    }

    @Test
    void shouldRefuseSizesAndNamesThatCannotBe() {
        for (long bytes : new long[] {0, -1, Long.MIN_VALUE}) {
            assertEquals(ProxyResult.INVALID_ARGUMENT, failure("x", bytes).result());
        }
        assertEquals(ProxyResult.INVALID_ARGUMENT, failure("a\0b", 1).result());
        assertEquals(ProxyResult.INVALID_ARGUMENT, failure("x".repeat(250), 1).result());
        descriptors.memfd("x".repeat(249), 1).close();
    }

    @Test
    void shouldKnowWhatCanShrink(@TempDir Path directory) throws IOException {
        Path file = Files.write(directory.resolve("file"), new byte[100]);
        try (FileChannel channel = FileChannel.open(file); OwnedFd fd = duplicateOf(file)) {
            ProxyException failure = assertThrows(ProxyException.class, () -> descriptors.sealedBytes(fd));

            assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
            assertTrue(failure.getMessage().contains("cannot shrink"), failure.getMessage());
            assertEquals(100, channel.size());
        }
    }

    @Test
    void shouldOpenAFileWithoutWaiting(@TempDir Path directory) throws Exception {
        Path file = Files.write(directory.resolve("file"), new byte[100]);
        Path pipe = directory.resolve("pipe");
        new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start().onExit().join();
        try (OwnedFd fd = descriptors.open(file); OwnedFd end = descriptors.open(pipe)) {
            assertEquals(file.toRealPath(), Files.readSymbolicLink(path(fd)));
            assertEquals(pipe.toRealPath(), Files.readSymbolicLink(path(end)));
            assertTrue(isClosedOnExec(fd));
            try (FileChannel channel = open(fd)) {
                assertEquals(1, channel.write(ByteBuffer.allocate(1), 100));
            }
        }
        assertEquals("cannot open " + directory.resolve("none") + ": ENOENT (2)",
                assertThrows(ProxyException.class, () -> descriptors.open(directory.resolve("none"))).getMessage());
    }

    @Test
    void shouldSayThatThereIsNoSuchDescriptor() {
        OwnedFd fd = new OwnedFd(1_000_000, number -> { });

        assertEquals("cannot duplicate file descriptor 1000000: EBADF (9)",
                assertThrows(ProxyException.class, () -> descriptors.duplicate(fd)).getMessage());
    }

    @Test
    void shouldNeverTakeWhatHasGotTheNumberForWhatHadIt() throws InterruptedException {
        assertEquals(NumberReuse.BYTES, NumberReuse.wrongSize(descriptors::sealedBytes));
        assertEquals(NumberReuse.BYTES, NumberReuse.wrongSize(fd -> {
            try (OwnedFd copy = descriptors.duplicate(fd)) {
                return descriptors.sealedBytes(copy);
            }
        }));
    }

    /** The test's channel, which has this file open already, lends its descriptor. */
    private OwnedFd duplicateOf(Path file) throws IOException {
        try (var open = Files.list(OPEN)) {
            List<Path> found = open.filter(path -> isTo(path, file)).toList();
            OwnedFd lent = new OwnedFd(Integer.parseInt(found.getFirst().getFileName().toString()), number -> { });
            return descriptors.duplicate(lent);
        }
    }

    private static boolean isTo(Path link, Path file) {
        try {
            return Files.readSymbolicLink(link).equals(file.toRealPath());
        } catch (IOException e) {
            return false;
        }
    }

    private ProxyException failure(String name, long bytes) {
        return assertThrows(ProxyException.class, () -> descriptors.memfd(name, bytes));
    }

    private static boolean isClosedOnExec(OwnedFd fd) throws IOException {
        String flags = Files.readAllLines(Path.of("/proc/self/fdinfo/" + fd.number())).stream()
                .filter(line -> line.startsWith("flags:")).findFirst().orElseThrow().substring(6).strip();
        return (Integer.parseInt(flags, 8) & 0_2000000) != 0;
    }

    private static FileChannel open(OwnedFd fd) throws IOException {
        return FileChannel.open(path(fd), StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static Path path(OwnedFd fd) {
        return OPEN.resolve(Integer.toString(fd.number()));
    }
}
