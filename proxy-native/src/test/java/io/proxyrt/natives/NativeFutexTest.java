/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.Futex;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeFutexTest {
    private static final int CALLS = 1_000;
    private static final int MOST_ROUNDS = 100;
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(50);

    @TempDir
    private Path folder;
    private MappedWord word;
    private Futex futex;

    /** Awaits a change of the word in the file, says so, and once more. */
    static final class Child {
        private Child() {
        }

        public static void main(String[] args) throws IOException {
            try (MappedWord word = new MappedWord(Path.of(args[0]))) {
                Futex futex = LinuxFutex.of(word.segment());
                System.out.println("thread " + threadId());
                for (int turn = 0; turn < 2; turn++) {
                    while (word.get() == turn) {
                        futex.await(turn, LONG_NS);
                    }
                    System.out.println("woken " + word.get());
                }
            }
        }
    }

    @BeforeEach
    void open() throws IOException {
        word = new MappedWord(folder.resolve("word"));
        futex = LinuxFutex.of(word.segment());
    }

    @AfterEach
    void close() {
        word.close();
    }

    @Test
    void shouldReturnAtOnceIfTheWordHasChanged() {
        word.set(1);

        assertTrue(waitNs(0, LONG_NS) < LONG_NS / 2);
    }

    @Test
    void shouldReturnWhenTheTimeHasPassed() {
        long ns = TimeUnit.MILLISECONDS.toNanos(20);

        assertTrue(waitNs(0, ns) >= ns);
    }

    @Test
    void shouldReturnAtOnceWithoutTime() {
        assertTrue(waitNs(0, 0) < LONG_NS);
        assertTrue(waitNs(0, -1) < LONG_NS);
    }

    @Test
    void shouldWakeAThread() throws Exception {
        Thread waiter = Thread.ofPlatform().daemon().start(() -> futex.await(0, LONG_NS));
        // Without changing the word, so that nothing but the wake-up can have ended the wait.
        while (waiter.isAlive()) {
            futex.wake();
            waiter.join(Duration.ofMillis(1));
        }
    }

    @Test
    void shouldWakeThroughAnotherMappingOfTheFile() throws Exception {
        try (MappedWord other = new MappedWord(folder.resolve("word"))) {
            Futex waker = LinuxFutex.of(other.segment());
            Thread waiter = Thread.ofPlatform().daemon().start(() -> futex.await(0, LONG_NS));
            while (waiter.isAlive()) {
                waker.wake();
                waiter.join(Duration.ofMillis(1));
            }
        }
    }

    @Test
    void shouldWakeAnotherProcess() throws Exception {
        try (ChildJvm child = new ChildJvm(List.of(), List.of(ChildJvm.NATIVE_ACCESS), Child.class,
                folder.resolve("word").toString())) {
            String thread = child.line();
            for (int turn = 1; turn <= 2; turn++) {
                awaitInFutex(thread.substring("thread ".length()));
                word.set(turn);
                futex.wake();
                assertEquals("woken " + turn, child.line());
            }
            assertEquals(List.of(), child.rest());
        }
    }

    /** Once compiled, which takes as long as the compiler is busy. */
    @Test
    void shouldAllocateNothing() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < MOST_ROUNDS && allocated >= CALLS; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            exchange(CALLS);
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertTrue(allocated < CALLS, allocated + " bytes in " + CALLS + " calls each of await and wake");
    }

    @Test
    void shouldWakeInVainOnceTheMemoryIsGone() throws Exception {
        MappedWord other = new MappedWord(folder.resolve("other"));
        Futex late = LinuxFutex.of(other.segment());
        other.close();

        late.wake();
    }

    @Test
    void shouldRefuseWhatIsNoWord() {
        refuse(MemorySegment.ofArray(new int[1]));
        refuse(word.segment().asSlice(0, 2));
        refuse(word.segment().asReadOnly());
        try (Arena arena = Arena.ofConfined()) {
            refuse(arena.allocate(8).asSlice(1));
        }
    }

    @Test
    @SuppressWarnings("restricted")
    void shouldNameTheErrnoOfARefusal() {
        MemorySegment nothing = MemorySegment.ofAddress(8).reinterpret(4);

        ProxyException e = assertThrows(ProxyException.class, () -> LinuxFutex.of(nothing));

        assertEquals(ProxyResult.SYSTEM_ERROR, e.result());
        assertTrue(e.getMessage().contains("EFAULT (14)"), e.getMessage());
    }

    private static void refuse(MemorySegment segment) {
        ProxyException e = assertThrows(ProxyException.class, () -> LinuxFutex.of(segment));
        assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
    }

    private long waitNs(int expected, long maxNs) {
        long start = System.nanoTime();
        futex.await(expected, maxNs);
        return System.nanoTime() - start;
    }

    private void exchange(int count) {
        for (int i = 0; i < count; i++) {
            futex.await(0, 1);
            futex.await(1, LONG_NS);
            futex.wake();
        }
    }

    private static String threadId() throws IOException {
        return Path.of("/proc/thread-self").toRealPath().getFileName().toString();
    }

    /** Until the kernel says that the thread sleeps; a look at it, as it cannot say so itself. */
    private static void awaitInFutex(String thread) throws IOException {
        Path stat = Path.of("/proc", thread, "stat");
        while (!Files.readString(stat).matches("(?s)\\d+ \\(.*\\) S .*")) {
            Thread.onSpinWait();
        }
    }
}
