/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.platform.Platform;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class NativeBarrierTest {
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();
    private static final int ROUNDS = 100_000;
    /** Where others take the CPUs a round may last milliseconds. */
    private static final long LONGEST_NS = 20_000_000_000L;
    private static final int END = -1;
    private static final int MAX_DALLY = 16;
    /** Each in a pair of cache lines of its own. */
    private static final long OURS = 0;
    private static final long THEIRS = 128;
    private static final long ROUND = 256;
    private static final long DONE = 384;

    private final Runnable barrier = Platform.find().processBarrier().orElseThrow();

    /**
     * Each side stores its word and loads the other's; at least one must see the other, and only one side has a fence.
     * With a barrier that does nothing, they miss each other about once in a hundred rounds.
     */
    @Test
    @Tag("full")
    void shouldPutABarrierIntoOtherThreads() throws Exception {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment words = arena.allocate(512, 128);
            int[] seen = new int[ROUNDS + 1];
            CompletableFuture<Void> frequent = CompletableFuture.runAsync(() -> {
                for (int i = 1; await(words, ROUND, i); i++) {
                    INT.setRelease(words, THEIRS, i);
                    seen[i] = (int) INT.getOpaque(words, OURS);
                    INT.setRelease(words, DONE, i);
                }
            }, Thread.ofPlatform()::start);
            int missed = 0;
            long limit = System.nanoTime() + LONGEST_NS;
            for (int i = 1; i <= ROUNDS && System.nanoTime() - limit < 0; i++) {
                INT.setRelease(words, ROUND, i);
                // The other side needs some time to notice; in some rounds both stores fall together.
                dally(i % MAX_DALLY);
                INT.setRelease(words, OURS, i);
                barrier.run();
                int other = (int) INT.getAcquire(words, THEIRS);
                await(words, DONE, i);
                missed += other != i && seen[i] != i ? 1 : 0;
            }
            INT.setRelease(words, ROUND, END);
            frequent.get(30, TimeUnit.SECONDS);
            assertEquals(0, missed);
        }
    }

    private static void dally(int turns) {
        for (int i = 0; i < turns; i++) {
            Thread.onSpinWait();
        }
    }

    /** Returns whether the value came, and not the end. */
    private static boolean await(MemorySegment words, long offset, int value) {
        int found = (int) INT.getAcquire(words, offset);
        for (int spins = 0; found != value && found != END; spins++) {
            if (spins % 1000 == 999) {
                Thread.yield();
            }
            found = (int) INT.getAcquire(words, offset);
        }
        return found == value;
    }

    @Test
    void shouldRunAgainAndAgain() {
        for (int i = 0; i < 1000; i++) {
            barrier.run();
        }
        assertTrue(Platform.find().processBarrier().isPresent(), "it can be registered for twice");
    }
}
