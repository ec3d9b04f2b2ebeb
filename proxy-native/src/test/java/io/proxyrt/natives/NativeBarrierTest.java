/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.spi.Platform;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NativeBarrierTest {
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();
    private static final int ROUNDS = 20_000;

    private final Runnable barrier = Platform.find().processBarrier().orElseThrow();

    /** Each side stores its word and loads the other's; at least one must see the other. Only one side has a fence. */
    @Test
    void shouldPutABarrierIntoOtherThreads() throws Exception {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment words = arena.allocate(256, 128);
            Phaser phaser = new Phaser(2);
            int[] seen = new int[ROUNDS];
            CompletableFuture<Void> frequent = CompletableFuture.runAsync(() -> {
                for (int i = 0; i < ROUNDS; i++) {
                    phaser.arriveAndAwaitAdvance();
                    INT.setRelease(words, 0L, i + 1);
                    seen[i] = (int) INT.getOpaque(words, 128L);
                    phaser.arriveAndAwaitAdvance();
                }
            }, Thread.ofPlatform()::start);
            int missed = 0;
            for (int i = 0; i < ROUNDS; i++) {
                phaser.arriveAndAwaitAdvance();
                INT.setRelease(words, 128L, i + 1);
                barrier.run();
                int other = (int) INT.getAcquire(words, 0L);
                phaser.arriveAndAwaitAdvance();
                missed += other != i + 1 && seen[i] != i + 1 ? 1 : 0;
            }
            frequent.get(30, TimeUnit.SECONDS);
            assertEquals(0, missed);
        }
    }

    @Test
    void shouldRunAgainAndAgain() {
        for (int i = 0; i < 1000; i++) {
            barrier.run();
        }
        assertTrue(Platform.find().processBarrier().isPresent(), "it can be registered for twice");
    }
}
