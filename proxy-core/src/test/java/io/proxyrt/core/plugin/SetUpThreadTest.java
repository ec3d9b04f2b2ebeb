/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A thread on which calls of a plug-in block, and are given up. */
class SetUpThreadTest {
    private static final int MANY = 64;

    private final SetUpThread thread = new SetUpThread("proxyrt-test");
    /** What has happened, in its order. */
    private final List<String> events = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        thread.close();
    }

    /** Begins, waits to be released, and ends. */
    private final class Blocking {
        private final String name;
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        Blocking(String name) {
            this.name = name;
        }

        Long run() {
            begun.countDown();
            await(mayEnd);
            events.add(name + " returns");
            return 1L;
        }

        Runnable cleanup() {
            return () -> events.add(name + " is cleaned up");
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitEvents(String... expected) {
        while (events.size() < expected.length) {
            Thread.yield();
        }
        assertEquals(List.of(expected), events);
    }

    @Test
    void shouldCleanUpWhenTheCallReturns() {
        Blocking first = new Blocking("first");
        PluginCall call = new PluginCall(first::run);
        thread.execute(call);
        await(first.begun);
        thread.abandon(call, first.cleanup());
        assertEquals(List.of(), events);
        first.mayEnd.countDown();

        awaitEvents("first returns", "first is cleaned up");
    }

    @Test
    void shouldNotMakeACallThatWasGivenUpBefore() throws Exception {
        Blocking first = new Blocking("first");
        Blocking second = new Blocking("second");
        PluginCall running = new PluginCall(first::run);
        PluginCall waiting = new PluginCall(second::run);
        thread.execute(running);
        thread.execute(waiting);
        await(first.begun);
        thread.abandon(waiting, second.cleanup());
        assertEquals(List.of("second is cleaned up"), events);
        first.mayEnd.countDown();
        running.get();

        assertEquals(1, second.begun.getCount());
    }

    /** The thread takes the second call just when the first one is given up; then the second one is, too. */
    @Test
    void shouldNotCleanUpUnderACallThatTheThreadTookMeanwhile() {
        Blocking first = new Blocking("first");
        Blocking second = new Blocking("second");
        PluginCall late = new PluginCall(first::run) {
            @Override
            public boolean isDone() {
                first.mayEnd.countDown();
                await(second.begun);
                return false;
            }
        };
        PluginCall next = new PluginCall(second::run);
        thread.execute(late);
        thread.execute(next);
        await(first.begun);
        thread.abandon(late, first.cleanup());
        assertEquals(List.of("first returns", "first is cleaned up"), events);
        thread.abandon(next, second.cleanup());
        assertEquals(2, events.size(), "the second call is under way");
        second.mayEnd.countDown();

        awaitEvents("first returns", "first is cleaned up", "second returns", "second is cleaned up");
    }

    /** What holds the thread up returns when the test is over. */
    @Test
    void shouldEndBesideACallThatDoesNotReturn() throws Exception {
        Blocking never = new Blocking("it");
        SetUpCall connect = new SetUpCall(thread, never::run);
        assertEquals(0, connect.ask());
        await(never.begun);
        assertEquals(0, connect.ask(), "still under way");
        CompletableFuture<Long> unwanted = new CompletableFuture<>();
        connect.end(unwanted::complete);
        thread.close();
        assertFalse(unwanted.isDone(), "the call was not waited for");
        assertEquals(1, never.mayEnd.getCount());
        never.mayEnd.countDown();
        assertEquals(1, unwanted.get(60, TimeUnit.SECONDS), "its comm is for the caller to close");
    }

    /** A thread that waits for a call is seen. */
    private static final class WatchedCall extends PluginCall {
        private int waits;

        WatchedCall(Blocking blocking) {
            super(blocking::run);
        }

        @Override
        public Long get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
            waits++;
            return super.get(timeout, unit);
        }
    }

    @Test
    void shouldWaitForNoCallOnceOneIsKnownToBlock() {
        Blocking blocking = new Blocking("all");
        List<WatchedCall> calls = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            calls.add(new WatchedCall(blocking));
            thread.execute(calls.getLast());
            assertFalse(thread.isOver(calls.getLast()));
        }
        blocking.mayEnd.countDown();
        awaitEvents("all returns,".repeat(MANY).split(","));

        assertEquals(1, calls.getFirst().waits);
        assertEquals(1, calls.stream().mapToInt(call -> call.waits).sum());
    }
}
