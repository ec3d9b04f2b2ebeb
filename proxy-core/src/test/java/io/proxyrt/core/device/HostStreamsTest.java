/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several streams that one thread runs. */
class HostStreamsTest {
    private final HostStreams streams = new HostStreams("streams");
    private final HostStream first = new HostStream("first");
    private final HostStream second = new HostStream("second");

    /** Moves something in each of some passes. */
    private static class Passes implements HostKernel {
        private int left;

        Passes(int passes) {
            left = passes;
        }

        @Override
        public int doWork() {
            left--;
            return 1;
        }

        @Override
        public boolean isDone() {
            return left == 0;
        }

        @Override
        public void onRetired(boolean isDropped) {
            assertEquals(isDropped, left > 0);
        }
    }

    @BeforeEach
    void add() {
        streams.add(first);
        streams.add(second);
    }

    @Test
    void shouldGiveEachStreamAPassInTurn() {
        first.launch(new Passes(3));
        second.launch(new Passes(1));
        streams.doWork();
        assertEquals(1, first.outstanding());
        assertEquals(0, second.outstanding());
        streams.doWork();
        streams.doWork();
        assertFalse(streams.isAnyLaunched());
    }

    @Test
    void shouldDriveAllButOne() {
        first.launch(new Passes(1));
        second.launch(new Passes(1));
        assertTrue(streams.drive(first) > 0);
        assertEquals(1, first.outstanding());
        assertEquals(0, second.outstanding());
        assertTrue(streams.drive() > 0);
        assertEquals(0, streams.drive());
    }

    @Test
    void shouldDropWhatAStreamThatGoesHasLeft() {
        first.launch(new Passes(1));
        second.launch(new Passes(2));
        assertTrue(streams.remove(second, System.nanoTime()));
        assertTrue(second.abandoned().contains("second: 1 kernel"), second.abandoned());
        streams.doWork();
        assertEquals(0, first.outstanding());
        assertEquals(1, streams.stream().count());
    }

    /** One that waits for a peer keeps no launch on another one from waking the thread. */
    @Test
    void shouldNotWaitLongerThanItIsToldForAKernelThatDoesNotComeBack() throws InterruptedException {
        CountDownLatch isIn = new CountDownLatch(1);
        CountDownLatch mayLeave = new CountDownLatch(1);
        second.launch(new Passes(1) {
            @Override
            public int doWork() {
                isIn.countDown();
                while (mayLeave.getCount() > 0) {
                    Thread.onSpinWait();
                }
                return super.doWork();
            }
        });
        Thread thread = Thread.ofPlatform().daemon().start(streams::doWork);
        isIn.await();
        assertFalse(streams.remove(second, System.nanoTime() + 10_000_000));
        assertEquals(1, second.outstanding());
        mayLeave.countDown();
        thread.join(30_000);
        assertTrue(streams.remove(second, System.nanoTime() + 30_000_000_000L));
        assertEquals(0, second.outstanding());
    }

    @Test
    void shouldSleepForAllOfThem() throws InterruptedException {
        assertTrue(streams.isWoken());
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            while (!Thread.currentThread().isInterrupted() && second.launched() == 0) {
                streams.park(60_000_000_000L);
            }
            streams.doWork();
        });
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        second.launch(new Passes(1));
        thread.join(30_000);
        assertFalse(thread.isAlive());
        assertEquals(0, second.outstanding());
    }
}
