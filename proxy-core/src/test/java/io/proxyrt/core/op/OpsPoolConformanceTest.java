/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.FullPolicy;
import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What posters and the progress agent may expect of a pool, whatever its kind. */
@ParameterizedClass
@EnumSource(OpsPoolKind.class)
class OpsPoolConformanceTest extends OpsPoolFixture {
    OpsPoolConformanceTest(OpsPoolKind kind) {
        super(kind);
    }

    @Test
    void shouldShowABatchOnlyWhenItIsPosted() {
        OpsPoster poster = pool.poster();
        append(poster, 10, 11, 12);
        assertEquals(List.of(), fetchedOpCounts(ALL));
        poster.post();
        assertEquals(List.of(10L, 11L, 12L), fetchedOpCounts(ALL));
        assertEquals(List.of(), fetchedOpCounts(ALL));
    }

    @Test
    void shouldCarryEveryField() {
        OpsPoster poster = pool.poster();
        poster.append(1).connection(2).nbytes(3).root(4).nsteps(6).channelId(511).sliceSteps(200).chunkSteps(255)
                .chunkSize(7).loopSize(9).loopOffset(10).dtype(12).redOp(13).coll(14).pattern(16).protocol(17).reg(1)
                .sendMhandle(20).recvMhandle(21).sendbuff(22).recvbuff(23).rank(28).peer(29).timeoutMs(30);
        poster.post();
        fetcher.fetch(op -> {
            tickets.add(op.ticket());
            assertEquals(List.of(1L, 2L, 3L, 7L, 9L, 10L, 20L, 21L, 22L, 23L),
                    List.of(op.opCount(), op.connection(), op.nbytes(), op.chunkSize(), op.loopSize(),
                            op.loopOffset(), op.sendMhandle(), op.recvMhandle(), op.sendbuff(), op.recvbuff()));
            assertEquals(List.of(4, 6, 511, 200, 255, 12, 13, 14, 16, 17, 1, 28, 29, 30),
                    List.of(op.root(), op.nsteps(), op.channelId(), op.sliceSteps(), op.chunkSteps(), op.dtype(),
                            op.redOp(), op.coll(), op.pattern(), op.protocol(), op.reg(), op.rank(), op.peer(),
                            op.timeoutMs()));
        }, ALL);
    }

    @Test
    void shouldClearWhatAnEarlierOpLeftInTheSlot() {
        OpsPoster poster = pool.poster();
        poster.append(1).nbytes(99).peer(7);
        poster.post();
        fetchAndComplete();
        for (int i = 0; i < CAPACITY; i++) {
            poster.append(2);
        }
        poster.post();
        fetcher.fetch(op -> {
            tickets.add(op.ticket());
            assertEquals(0, op.nbytes() + op.peer());
        }, ALL);
    }

    @Test
    void shouldCountGroupsAndNeverCutOne() {
        OpsPoster poster = pool.poster();
        append(poster, 1, 1, 2, 2, 2, 3);
        poster.post();
        assertEquals(List.of(1L, 1L), fetchedOpCounts(1));
        assertEquals(List.of(2L, 2L, 2L, 3L), fetchedOpCounts(2));
    }

    @Test
    void shouldTreatOpCountZeroLikeAnyOther() {
        OpsPoster poster = pool.poster();
        append(poster, 0, 0, 2);
        poster.post();
        assertEquals(List.of(0L, 0L), fetchedOpCounts(1));
        assertEquals(List.of(2L), fetchedOpCounts(1));
    }

    @Test
    void shouldAppendCopiesOfAPreparedOp() {
        ProxyOpEncoder prepared = new ProxyOpEncoder().connection(2).nbytes(3).peer(29).timeoutMs(30);
        OpsPoster poster = pool.poster();
        poster.append(5).nbytes(1);
        poster.append(7, prepared);
        poster.append(9, prepared.nbytes(4));
        poster.append(11).nbytes(5);
        poster.post();
        prepared.nbytes(99);
        List<List<Long>> seen = new ArrayList<>();
        fetcher.fetch(op -> {
            tickets.add(op.ticket());
            seen.add(List.of(op.opCount(), op.connection(), op.nbytes(), (long) op.peer(), (long) op.timeoutMs()));
        }, ALL);
        assertEquals(List.of(List.of(5L, 0L, 1L, 0L, 0L), List.of(7L, 2L, 3L, 29L, 30L),
                List.of(9L, 2L, 4L, 29L, 30L), List.of(11L, 0L, 5L, 0L, 0L)), seen);
    }

    @Test
    void shouldFetchManyOpsAtOnceAcrossTheEndOfTheLane() {
        OpsPoster poster = pool.poster();
        for (long next = 0; next < 20L * CAPACITY; ) {
            long first = next;
            for (int i = 0; i < 1 + first % 5; i++) {
                poster.append(next++);
            }
            poster.post();
            assertEquals(LongStream.range(first, next).boxed().toList(), fetchedOpCounts(ALL));
            completeAll();
        }
    }

    @Test
    void shouldServeEachPosterInItsOrder() {
        OpsPoster first = pool.poster();
        OpsPoster second = pool.poster();
        append(first, 1, 2, 3);
        append(second, 11, 12, 13);
        first.post();
        second.post();
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            List<Long> batch = fetchedOpCounts(2);
            assertEquals(2, batch.size());
            all.addAll(batch);
        }
        assertEquals(List.of(1L, 2L, 3L), all.stream().filter(opCount -> opCount < 10).toList());
        assertEquals(List.of(11L, 12L, 13L), all.stream().filter(opCount -> opCount > 10).toList());
    }

    @Test
    void shouldTakeOneOpCountOfTwoPostersForTwoGroups() {
        OpsPoster first = pool.poster();
        OpsPoster second = pool.poster();
        append(first, 5, 5);
        first.post();
        append(second, 5, 5, 5);
        second.post();
        assertEquals(2, fetchedOpCounts(1).size());
        assertEquals(3, fetchedOpCounts(1).size());
    }

    @Test
    void shouldHandOutEachLaneOnce() {
        OpsPoster first = pool.poster();
        OpsPoster second = pool.poster();
        ProxyException none = assertThrows(ProxyException.class, () -> pool.poster());
        assertEquals(ProxyResult.INVALID_USAGE, none.result());
        append(first, 1);
        first.post();
        append(first, 99);
        first.close();
        first.close();
        OpsPoster third = pool.poster();
        append(third, 2);
        third.post();
        append(second, 3);
        second.post();
        assertEquals(List.of(1L, 2L, 3L), fetchedOpCounts(ALL));
        assertFull(ProxyResult.INVALID_USAGE, first, 4, "the poster is closed");
    }

    @Test
    void shouldGiveALaneToManyPostersInTurn() {
        for (int i = 0; i < 5 * CAPACITY; i++) {
            try (OpsPoster poster = pool.poster()) {
                append(poster, i, i, i);
                poster.post();
                append(poster, 1000, 1001);
            }
            assertEquals(List.of((long) i, (long) i, (long) i), fetchedOpCounts(ALL));
            completeAll();
        }
    }

    @Test
    void shouldRefuseToEndAnOpTwice() {
        OpsPoster poster = pool.poster();
        poster.append(4).peer(1).channelId(2);
        poster.post();
        fetchedOpCounts(ALL);
        int ticket = tickets.removeFirst();
        fetcher.complete(ticket);
        ProxyException twice = assertThrows(ProxyException.class, () -> fetcher.complete(ticket));
        assertEquals(ProxyResult.INTERNAL_ERROR, twice.result());
        assertTrue(twice.getMessage().contains("ops pool of rank 3, lane 0")
                && twice.getMessage().contains("op 4 peer 1 channel 2"), twice.getMessage());
    }

    @Test
    void shouldNotSleepOnceRung() {
        pool.wakeup();
        if (fetcher.arm()) {
            fetcher.sleep(TimeUnit.MINUTES.toNanos(10));
        }
        fetcher.disarm();
        pool.wakeup();
        pool.wakeup();
        assertFalse(fetcher.arm());
        assertTrue(fetcher.arm());
        OpsPoster poster = pool.poster();
        append(poster, 1);
        poster.post();
        fetcher.sleep(TimeUnit.MINUTES.toNanos(10));
        fetcher.disarm();
        assertTrue(fetcher.hasPosted());
        assertTrue(pool.isEveryPostHeard());
    }

    @Test
    void shouldWakeASleepingConsumerForEachOp() throws Exception {
        OpsPoster poster = pool.poster();
        int count = 200;
        CompletableFuture<Void> consumer = CompletableFuture.runAsync(() -> {
            for (int seen = 0; seen < count; ) {
                seen += fetcher.fetch(op -> fetcher.complete(op.ticket()), ALL);
                if (fetcher.arm()) {
                    if (!fetcher.hasPosted() && seen < count) {
                        fetcher.sleep(TimeUnit.MINUTES.toNanos(10));
                    }
                    fetcher.disarm();
                }
            }
        }, Thread.ofPlatform()::start);
        for (int i = 0; i < count; i++) {
            append(poster, i);
            poster.post();
            while (poster.outstanding() > 0 && !consumer.isDone()) {
                Thread.onSpinWait();
            }
        }
        consumer.get(30, TimeUnit.SECONDS);
    }

    @Test
    void shouldLoseNothingBetweenThreads() throws Exception {
        create(FullPolicy.BLOCK, Duration.ofSeconds(30));
        int perPoster = 200_000;
        List<CompletableFuture<Void>> posters = new ArrayList<>();
        for (int p = 0; p < 2; p++) {
            OpsPoster poster = pool.poster();
            long tag = (long) p << 32;
            posters.add(CompletableFuture.runAsync(() -> post(poster, tag, perPoster), Thread::startVirtualThread));
        }
        long[] next = new long[2];
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (next[0] + next[1] < 2L * perPoster && System.nanoTime() - deadline < 0) {
            int ops = fetcher.fetch(op -> {
                assertEquals(next[(int) (op.nbytes() >>> 32)]++, op.nbytes() & 0xffffffffL);
                fetcher.complete(op.ticket());
            }, 16);
            pool.audit();
            if (ops == 0) {
                Thread.yield();
            }
        }
        for (CompletableFuture<Void> poster : posters) {
            poster.get(10, TimeUnit.SECONDS);
        }
        assertEquals(List.of((long) perPoster, (long) perPoster), List.of(next[0], next[1]));
        assertEquals(0, pool.outstanding());
    }

    @Test
    void shouldAllocateNothingPerOp() {
        assumeTrue(kind != OpsPoolKind.LOCKED, "the baseline may");
        OpsPoster poster = pool.poster();
        ProxyOpEncoder prepared = new ProxyOpEncoder().nsteps(1);
        OpsFetcher.Sink sink = op -> fetcher.complete(op.ticket());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 20 && allocated > 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 100_000; i++) {
                poster.append(2L * i).nbytes(i).nsteps(1);
                poster.append(2L * i + 1, prepared.nbytes(i));
                poster.post();
                fetcher.fetch(sink, 17);
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertEquals(0, allocated);
    }

    private static void post(OpsPoster poster, long tag, int count) {
        for (int i = 0; i < count; i++) {
            poster.append(i).nbytes(tag | i);
            if (i % 3 == 0) {
                poster.post();
            }
        }
        poster.post();
    }
}
