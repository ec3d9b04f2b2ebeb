/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.testkit.Extent;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A consumer that really sleeps, on a platform without futexes: no sleep may reach its end, because there is always
 * another thread that waits for what it should have woken up for. jcstress cannot have that, its threads must not
 * block.
 */
@Tag(Extent.SCALED)
class StressSleepTest {
    private static final int ROUNDS = Extent.count(50_000);
    private static final long SLEEP_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int POSTERS = 2;
    private static final int CAPACITY = 4;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final int[] lastNumbers = new int[POSTERS];
    private int delivered;
    private volatile int command;
    private volatile int carriedOut;

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    @ParameterizedTest
    @EnumSource(OpsPoolKind.class)
    void shouldBeWokenByEachPost(OpsPoolKind kind) {
        OpsPool pool = new StressPools(kind, 1, CAPACITY).next();
        OpsPoster poster = pool.poster();
        CompletableFuture<Void> posting = CompletableFuture.runAsync(() -> {
            for (int i = 1; i <= ROUNDS; i++) {
                MarkedOp.append(poster, POSTERS * i);
                poster.post();
                await(() -> poster.outstanding() == 0);
            }
        }, threads);
        consume(pool.fetcher(), ROUNDS);
        posting.join();
        assertEquals(0, pool.outstanding());
    }

    @ParameterizedTest
    @EnumSource(OpsPoolKind.class)
    void shouldGetAllOpsOfTwoPostersInTheOrderOfEach(OpsPoolKind kind) {
        OpsPool pool = new StressPools(kind, POSTERS, CAPACITY).next();
        CompletableFuture<Void> first = CompletableFuture.runAsync(() -> post(pool.poster(), 0), threads);
        CompletableFuture<Void> second = CompletableFuture.runAsync(() -> post(pool.poster(), 1), threads);
        consume(pool.fetcher(), POSTERS * ROUNDS);
        CompletableFuture.allOf(first, second).join();
        assertEquals(0, pool.outstanding());
        pool.audit();
    }

    @ParameterizedTest
    @EnumSource(OpsPoolKind.class)
    void shouldBeWokenByEachRing(OpsPoolKind kind) {
        OpsPool pool = new StressPools(kind, 1, CAPACITY).next();
        CompletableFuture<Void> commanding = CompletableFuture.runAsync(() -> {
            for (int i = 1; i <= ROUNDS; i++) {
                command = i;
                pool.wakeup();
                int expected = i;
                await(() -> carriedOut == expected);
            }
        }, threads);
        for (int done = 0; done < ROUNDS; ) {
            park(pool.fetcher(), done);
            done = command;
            carriedOut = done;
        }
        commanding.join();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }

    /** Posts ops one by one, and sometimes two at once; their numbers tell who posted them. */
    private static void post(OpsPoster poster, int which) {
        poster.onFull(waitedNs -> true);
        for (int i = 1; i <= ROUNDS; i++) {
            MarkedOp.append(poster, POSTERS * i + which);
            if (i % 3 != 0 || i == ROUNDS) {
                poster.post();
            }
        }
    }

    private void consume(OpsFetcher fetcher, int ops) {
        while (delivered < ops) {
            if (fetcher.fetch(op -> take(fetcher, op), 1) == 0) {
                park(fetcher, command);
            }
        }
    }

    private void take(OpsFetcher fetcher, ProxyOp op) {
        int number = MarkedOp.number(op);
        assertEquals(++lastNumbers[Math.floorMod(number, POSTERS)], Math.floorDiv(number, POSTERS));
        delivered++;
        fetcher.complete(op.ticket());
    }

    private void park(OpsFetcher fetcher, int lastCommand) {
        if (fetcher.arm()) {
            if (!fetcher.hasPosted() && command == lastCommand) {
                long start = System.nanoTime();
                fetcher.sleep(SLEEP_NS);
                assertTrue(System.nanoTime() - start < SLEEP_NS, "the consumer was not woken");
            }
            fetcher.disarm();
        }
    }
}
