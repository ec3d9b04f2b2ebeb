/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.CurrentUser;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class CountersReaderTest {
    @TempDir
    private Path folder;

    @Test
    void shouldReadWhatARunningWriterWrites() {
        try (Counters counters = Counters.create(path(), "a job", 2, 5);
                CountersReader reader = CountersReader.open(path())) {
            counters.add(Counter.OPS_FETCHED, 7);
            counters.heartbeat(123_456);

            assertEquals("a job", reader.job());
            assertEquals(2, reader.rank());
            assertEquals(5, reader.nRanks());
            assertEquals(ProcessHandle.current().pid(), reader.pid());
            assertEquals(123_456, reader.heartbeatMs());
            assertTrue(Math.abs(System.currentTimeMillis() - reader.startMs()) < 60_000);
            assertEquals(7, reader.value(Counter.OPS_FETCHED.ordinal()));
            counters.add(Counter.OPS_FETCHED, 1);
            assertEquals(8, reader.value(Counter.OPS_FETCHED.ordinal()));
        }
    }

    @Test
    void shouldNameEveryCounterWithItsKind() {
        try (Counters counters = Counters.create(path(), "", 0, 1);
                CountersReader reader = CountersReader.open(path())) {
            assertEquals(Counter.values().length, reader.size());
            for (Counter counter : Counter.values()) {
                assertEquals(counter.label(), reader.label(counter.ordinal()));
                assertEquals(counter.kind(), reader.kind(counter.ordinal()));
                assertEquals(counters.get(counter), reader.value(counter.ordinal()));
            }
        }
    }

    @Test
    void shouldGiveTheFirstFailureOnceThereIsOne() {
        try (Counters counters = Counters.create(path(), "", 0, 1);
                CountersReader reader = CountersReader.open(path())) {
            assertEquals("", reader.failure());
            counters.failure(ProxyResult.REMOTE_ERROR.code(), "rank 3 is gone");
            assertEquals("rank 3 is gone", reader.failure());
            assertEquals(ProxyResult.REMOTE_ERROR.code(), reader.value(Counter.ASYNC_RESULT.ordinal()));
        }
    }

    @Test
    void shouldReadOnAfterTheWriterIsGone() {
        Counters counters = Counters.create(path(), "", 0, 1);
        try (CountersReader reader = CountersReader.open(path())) {
            counters.set(Counter.ARGS_ACTIVE, 3);
            counters.close();
            assertEquals(3, reader.value(Counter.ARGS_ACTIVE.ordinal()));
        }
    }

    @Test
    void shouldRefuseAnIndexOutOfRange() {
        try (Counters counters = Counters.create(path(), "", 0, 1);
                CountersReader reader = CountersReader.open(path())) {
            assertThrows(IndexOutOfBoundsException.class, () -> reader.value(reader.size()));
            assertThrows(IndexOutOfBoundsException.class, () -> reader.label(-1));
            assertEquals(0, counters.get(Counter.OPS_FAILED));
        }
    }

    @Test
    void shouldRefuseAFileThatIsMissingOrNoFile() throws IOException {
        assertRefused(ProxyResult.SYSTEM_ERROR, "no regular file");
        Files.createDirectory(path());
        assertRefused(ProxyResult.SYSTEM_ERROR, "no regular file");
    }

    @Test
    void shouldRefuseASymbolicLink() throws IOException {
        Path elsewhere = folder.resolve("elsewhere");
        try (Counters counters = Counters.create(elsewhere, "", 0, 1)) {
            Files.createSymbolicLink(path(), elsewhere);
            assertRefused(ProxyResult.SYSTEM_ERROR, "no regular file");
            assertEquals(0, counters.get(Counter.OPS_FAILED));
        }
    }

    @Test
    void shouldRefuseAFileThatIsTooSmall() throws IOException {
        Files.write(path(), new byte[100]);
        assertRefused(ProxyResult.SYSTEM_ERROR, "100 bytes");
    }

    @Test
    void shouldRefuseAFileThatIsNotReady() throws IOException {
        Files.write(path(), new byte[4096]);
        assertRefused(ProxyResult.INVALID_ARGUMENT, "not ready");
    }

    @Test
    void shouldRefuseAnotherVersion() throws IOException {
        Files.write(path(), header(CountersDescriptor.VERSION + 1, 1, 4096).array());
        assertRefused(ProxyResult.INVALID_ARGUMENT, "this program reads version "
                + CountersDescriptor.VERSION);
    }

    @Test
    void shouldRefuseMoreCountersThanTheFileHolds() throws IOException {
        for (int count : new int[] {-1, Integer.MIN_VALUE, 4, CountersDescriptor.MAX_COUNTERS + 1}) {
            Files.write(path(), header(CountersDescriptor.VERSION, count, 1024 + 3 * 128).array());
            assertRefused(ProxyResult.INVALID_ARGUMENT, "claims to hold " + count + " counters");
        }
    }

    @Test
    void shouldRefuseMoreRowsThanTheFileHolds() throws IOException {
        for (int rows : new int[] {-1, Integer.MIN_VALUE, 4, CountersDescriptor.MAX_ROWS + 1}) {
            ByteBuffer file = header(CountersDescriptor.VERSION, 2, 1024 + 5 * 128)
                    .putInt((int) CountersDescriptor.ROWS_OFFSET, rows);
            Files.write(path(), file.array());
            assertRefused(ProxyResult.INVALID_ARGUMENT, "2 counters and " + rows + " rows");
        }
    }

    @Test
    void shouldBoundATextWhoseLengthLies() throws IOException {
        for (int length : new int[] {-5, Integer.MAX_VALUE}) {
            ByteBuffer file = header(CountersDescriptor.VERSION, 1, 2048)
                    .putInt((int) CountersDescriptor.TEXT_LENGTH_OFFSET, length);
            file.put((int) CountersDescriptor.TEXT_OFFSET, "text".getBytes(StandardCharsets.US_ASCII));
            Files.write(path(), file.array());
            try (CountersReader reader = CountersReader.open(path())) {
                assertEquals(length < 0 ? "" : "text", reader.failure());
            }
        }
    }

    @Test
    void shouldHideWhatCouldSteerATerminal() throws IOException {
        ByteBuffer file = header(CountersDescriptor.VERSION, 1, 2048);
        file.put((int) CountersDescriptor.JOB_OFFSET, "a\u001b[2Jb\nc\u202e".getBytes(StandardCharsets.UTF_8));
        Files.write(path(), file.array());
        try (CountersReader reader = CountersReader.open(path())) {
            assertEquals("a?[2Jb?c?", reader.job());
        }
    }

    @Test
    void shouldNotCrashWhenTheFileIsCut() throws IOException {
        Counters counters = Counters.create(path(), "job", 0, 1);
        try (CountersReader reader = CountersReader.open(path())) {
            try (FileChannel file = FileChannel.open(path(), StandardOpenOption.WRITE)) {
                file.truncate(0);
            }
            for (Executable read : List.<Executable>of(reader::heartbeatMs, reader::job, reader::memory,
                    () -> reader.value(0))) {
                ProxyException e = assertThrows(ProxyException.class, read);
                assertEquals(ProxyResult.SYSTEM_ERROR, e.result());
                assertTrue(e.getMessage().contains("it was cut"), e.getMessage());
            }
        }
        counters.close();
        assertEquals(0, counters.get(Counter.OPS_FAILED));
        assertFalse(Files.exists(path()));
    }

    @Test
    void shouldReadLittleOfAHugeFile() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path().toFile(), "rw")) {
            file.write(header(CountersDescriptor.VERSION, 2, 1024).array());
            file.setLength(1L << 40);
        }
        try (CountersReader reader = CountersReader.open(path())) {
            assertEquals(2, reader.size());
            assertEquals(List.of(), reader.memory());
        }
    }

    @Test
    void shouldReadThoughItsThreadIsInterrupted() {
        try (Counters counters = Counters.create(path(), "job", 0, 1);
                CountersReader reader = CountersReader.open(path())) {
            Thread.currentThread().interrupt();
            assertEquals("job", reader.job());
            assertEquals(0, reader.value(Counter.OPS_FAILED.ordinal()));
            assertTrue(Thread.interrupted());
            assertEquals("job", reader.job());
            assertEquals(0, counters.get(Counter.OPS_FAILED));
        }
    }

    @Test
    void shouldNotWaitForAPipe() throws Exception {
        assertEquals(0, new ProcessBuilder("mkfifo", path().toString()).start().waitFor());
        assertRefused(ProxyResult.SYSTEM_ERROR, "no regular file");
    }

    @Test
    void shouldRefuseAFileThatOthersWriteOrOwn() throws IOException {
        Files.write(path(), header(CountersDescriptor.VERSION, 0, 1024).array());
        CountersReader.open(path()).close();
        Files.setPosixFilePermissions(path(), PosixFilePermissions.fromString("rw-rw-rw-"));
        assertRefused(ProxyResult.SYSTEM_ERROR, "others may write it");
        Files.setPosixFilePermissions(path(), PosixFilePermissions.fromString("rw-------"));
        assumeTrue(CurrentUser.id() == 0, "only root gives files away");
        Files.setAttribute(path(), "unix:uid", 12_345);
        assertRefused(ProxyResult.SYSTEM_ERROR, "it belongs to user 12345");
    }

    @Test
    void shouldSurviveAnyBytes() throws IOException {
        Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            byte[] bytes = new byte[1024 + random.nextInt(2048)];
            random.nextBytes(bytes);
            ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder())
                    .putLong(0, CountersDescriptor.MAGIC).putInt(8, CountersDescriptor.VERSION)
                    .putInt(12, random.nextInt(-1, 9)).putInt(52, random.nextInt(-1, 9));
            Files.write(path(), file.array());
            readAll();
        }
    }

    private void readAll() {
        try (CountersReader reader = CountersReader.open(path())) {
            String texts = reader.job() + reader.failure();
            for (int i = 0; i < reader.size(); i++) {
                texts += reader.label(i) + reader.kind(i) + reader.value(i);
            }
            for (MemoryShare share : reader.memory()) {
                texts += share.transport() + share.direction() + share.bytes(MemoryUse.SIMPLE);
            }
            assertTrue(texts.codePoints().noneMatch(Character::isISOControl));
        } catch (ProxyException e) {
            assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
        }
    }

    private void assertRefused(ProxyResult result, String text) {
        ProxyException e = assertThrows(ProxyException.class, () -> CountersReader.open(path()));
        assertEquals(result, e.result());
        assertTrue(e.getMessage().contains(text), e.getMessage());
        assertTrue(e.getMessage().contains(path().toString()), e.getMessage());
    }

    private Path path() {
        return folder.resolve("counters");
    }

    private static ByteBuffer header(int version, int count, int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder()).putLong(0, CountersDescriptor.MAGIC)
                .putInt(8, version).putInt(12, count);
    }
}
