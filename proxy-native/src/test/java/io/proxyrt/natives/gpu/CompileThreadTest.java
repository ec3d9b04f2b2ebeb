/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.natives.ChildJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CompileThreadTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final List<Thread> exits = new ArrayList<>();
    private final CompileThread thread = new CompileThread(Duration.ZERO, exits::add);
    private final CountDownLatch hasBegun = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final CompletableFuture<Boolean> isWhole = new CompletableFuture<>();

    /** Keeps the thread, until the test lets it go. */
    private void occupy() throws InterruptedException {
        assertTrue(thread.offer(() -> {
            hasBegun.countDown();
            isWhole.complete(await(mayEnd));
        }));
        hasBegun.await();
    }

    private static boolean await(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    @Test
    void shouldHaveRoomForSoManyTasksAndNoMore() throws Exception {
        occupy();
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < CompileThread.CAPACITY; i++) {
            assertTrue(thread.offer(ran::incrementAndGet));
        }
        assertFalse(thread.offer(ran::incrementAndGet));
        mayEnd.countDown();
        while (ran.get() < CompileThread.CAPACITY) {
            Thread.onSpinWait();
        }
        assertTrue(thread.end(LONG));
        assertEquals(CompileThread.CAPACITY, ran.get());
    }

    /** The compiler does not heed an interruption, and the cache's files do. */
    @Test
    void shouldEndWithTheTaskUnderWayWhichIsNotInterrupted() throws Exception {
        occupy();
        AtomicInteger ran = new AtomicInteger();
        assertTrue(thread.offer(ran::incrementAndGet));
        assertFalse(thread.end(Duration.ofMillis(1)));
        assertFalse(thread.offer(ran::incrementAndGet));
        mayEnd.countDown();
        assertTrue(thread.end(LONG));
        assertTrue(isWhole.join());
        assertEquals(0, ran.get());
    }

    @Test
    void shouldBeThereOnlyWhileThereIsSomethingToDo() throws Exception {
        Thread first = threadOfTask();
        assertTrue(first.isDaemon());
        assertTrue(first.join(LONG));
        assertNotSame(first, threadOfTask());
    }

    private Thread threadOfTask() {
        CompletableFuture<Thread> found = new CompletableFuture<>();
        assertTrue(thread.offer(() -> found.complete(Thread.currentThread())));
        return found.join();
    }

    /** A compiler takes a CPU that the other thread's has better use for. */
    @Test
    void shouldBeginNothingWhileAnotherThreadCompilesWhatItNeeds() {
        List<String> order = new CopyOnWriteArrayList<>();
        thread.runUrgent(() -> {
            assertTrue(thread.offer(() -> order.add("ahead")));
            while (order.isEmpty() && !isHeldBack()) {
                Thread.onSpinWait();
            }
            order.add("urgent");
        });
        while (order.size() < 2) {
            Thread.onSpinWait();
        }
        assertEquals(List.of("urgent", "ahead"), order);
    }

    private static boolean isHeldBack() {
        return Thread.getAllStackTraces().values().stream().flatMap(Arrays::stream).anyMatch(
                frame -> frame.getClassName().equals(CompileThread.class.getName())
                        && frame.getMethodName().equals("isQuiet"));
    }

    @Test
    void shouldTakeNothingOfAProcessThatExits() {
        CompileThread late = new CompileThread(Duration.ZERO, exit -> {
            throw new IllegalStateException("Shutdown in progress");
        });
        assertFalse(late.offer(() -> { }));
        assertFalse(late.offer(() -> { }));
    }

    @Test
    void shouldHaveTheProcessesExitEndItOnce() throws Exception {
        occupy();
        assertTrue(thread.offer(() -> { }));
        assertEquals(1, exits.size());
        mayEnd.countDown();
        exits.getFirst().start();
        assertTrue(exits.getFirst().join(LONG));
        assertFalse(thread.offer(() -> { }));
    }

    @Test
    void shouldHoldUpTheExitOfItsProcessForTheTaskUnderWay() throws Exception {
        try (ChildJvm child = new ChildJvm(List.of(), List.of(), ExitingMain.class)) {
            assertEquals(List.of("begun", "exits", "done"), child.rest());
        }
    }

    /** Exits while a task is under way that another one waits behind. */
    static final class ExitingMain {
        private static final long TASK_MS = 500;

        public static void main(String[] arguments) throws Exception {
            CountDownLatch hasBegun = new CountDownLatch(1);
            CompileThread.ofProcess().offer(() -> {
                System.out.println("begun");
                hasBegun.countDown();
                try {
                    Thread.sleep(TASK_MS);
                } catch (InterruptedException e) {
                    System.out.println("interrupted");
                }
                System.out.println("done");
            });
            CompileThread.ofProcess().offer(() -> System.out.println("not dropped"));
            hasBegun.await();
            System.out.println("exits");
            System.exit(0);
        }
    }
}
