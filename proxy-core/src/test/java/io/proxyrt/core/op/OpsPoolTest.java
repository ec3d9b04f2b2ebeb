/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpsPoolTest {
    private static final int CAPACITY = 8;
    private static final int ALL = Integer.MAX_VALUE;

    @TempDir
    Path directory;

    private OpsPool pool;
    private OpsFetcher fetcher;

    @BeforeEach
    void createPool() {
        pool = OpsPool.create(directory.resolve("ops"), 3, config(Duration.ZERO));
        fetcher = pool.fetcher();
    }

    @AfterEach
    void shouldBalance() {
        pool.audit();
        pool.close();
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
        poster.append(1).connection(2).nbytes(3).root(4).connIndex(5).nsteps(6).channelId(511).sliceSteps(200)
                .chunkSteps(255).chunkSize(7).sliceSize(8).loopSize(9).loopOffset(10).channelSize(11).dtype(12)
                .redOp(13).coll(14).collApi(15).pattern(16).protocol(17).algorithm(18).reg(1).sendMhandle(20)
                .recvMhandle(21).sendbuff(22).recvbuff(23).nChannels(24).nPeers(25).nextRank(26).prevRank(27).rank(28)
                .peer(29);
        poster.post();
        fetcher.fetch((lane, op) -> {
            assertEquals(List.of(1L, 2L, 3L, 7L, 8L, 9L, 10L, 11L, 20L, 21L, 22L, 23L),
                    List.of(op.opCount(), op.connection(), op.nbytes(), op.chunkSize(), op.sliceSize(), op.loopSize(),
                            op.loopOffset(), op.channelSize(), op.sendMhandle(), op.recvMhandle(), op.sendbuff(),
                            op.recvbuff()));
            assertEquals(List.of(4, 5, 6, 511, 200, 255, 12, 13, 14, 15, 16, 17, 18, 1, 24, 25, 26, 27, 28, 29),
                    List.of(op.root(), op.connIndex(), op.nsteps(), op.channelId(), op.sliceSteps(), op.chunkSteps(),
                            op.dtype(), op.redOp(), op.coll(), op.collApi(), op.pattern(), op.protocol(),
                            op.algorithm(), op.reg(), op.nChannels(), op.nPeers(), op.nextRank(), op.prevRank(),
                            op.rank(), op.peer()));
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
        fetcher.fetch((lane, op) -> assertEquals(0, op.nbytes() + op.peer()), ALL);
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
    void shouldLetLanesTakeTurns() {
        OpsPoster first = pool.poster();
        OpsPoster second = pool.poster();
        append(first, 1, 2, 3);
        append(second, 11, 12, 13);
        first.post();
        second.post();
        assertEquals(List.of(1L, 2L), fetchedOpCounts(2));
        assertEquals(List.of(11L, 12L), fetchedOpCounts(2));
        assertEquals(List.of(3L, 13L), fetchedOpCounts(2));
    }

    @Test
    void shouldKeepSlotsTakenUntilOpsAreCompleted() {
        OpsPoster poster = pool.poster();
        append(poster, 1, 2, 3, 4, 5, 6, 7, 8);
        poster.post();
        fetchedOpCounts(ALL);
        assertEquals(CAPACITY, poster.outstanding());
        ProxyException full = assertThrows(ProxyException.class, () -> poster.append(9));
        assertEquals(ProxyResult.TIMEOUT, full.result());
        assertTrue(full.getMessage().contains("rank 3, lane 0: no op of 8 ended within 0 ms "
                + "(posted 8, fetched 8, completed 0)"), full.getMessage());
        fetcher.complete(0);
        append(poster, 9);
        assertEquals(CAPACITY, poster.outstanding());
    }

    @Test
    void shouldPostWholeGroupsOnlyWhenTheLaneFills() {
        OpsPoster poster = pool.poster();
        append(poster, 1, 1, 2, 3, 3, 3, 3, 3);
        assertThrows(ProxyException.class, () -> poster.append(3));
        assertEquals(List.of(1L, 1L, 2L), fetchedOpCounts(ALL));
        fetcher.complete(0);
        append(poster, 3);
        poster.post();
        assertEquals(List.of(3L, 3L, 3L, 3L, 3L, 3L), fetchedOpCounts(ALL));
    }

    @Test
    void shouldPostEverythingWhenTheLaneFillsAtAGroupsEnd() {
        OpsPoster poster = pool.poster();
        append(poster, 1, 1, 1, 1, 1, 1, 1, 1);
        assertThrows(ProxyException.class, () -> poster.append(2));
        assertEquals(8, fetchedOpCounts(ALL).size());
    }

    @Test
    void shouldRefuseAGroupLargerThanTheLane() {
        OpsPoster poster = pool.poster();
        append(poster, 5, 5, 5, 5, 5, 5, 5, 5);
        ProxyException tooLarge = assertThrows(ProxyException.class, () -> poster.append(5));
        assertEquals(ProxyResult.INVALID_USAGE, tooLarge.result());
        assertTrue(tooLarge.getMessage().contains("opCount 5 is larger than the lane's capacity of 8"));
    }

    @Test
    void shouldDriveTheRuntimeWhileTheLaneIsFull() {
        pool.close();
        pool = OpsPool.create(directory.resolve("ops2"), 3, config(Duration.ofSeconds(30)));
        fetcher = pool.fetcher();
        OpsPoster poster = pool.poster();
        poster.onFull(this::fetchAndComplete);
        for (int i = 0; i < 10 * CAPACITY; i++) {
            poster.append(i);
            poster.post();
        }
        fetchAndComplete();
        assertEquals(0, poster.outstanding());
        assertEquals(0, pool.outstanding());
    }

    @Test
    void shouldHandOutEachLaneOnce() {
        OpsPoster first = pool.poster();
        OpsPoster second = pool.poster();
        ProxyException none = assertThrows(ProxyException.class, () -> pool.poster());
        assertEquals(ProxyResult.INVALID_USAGE, none.result());
        append(first, 1);
        first.post();
        first.close();
        first.close();
        OpsPoster third = pool.poster();
        append(third, 2);
        third.post();
        append(second, 3);
        second.post();
        assertEquals(List.of(1L, 2L, 3L), fetchedOpCounts(ALL));
    }

    @Test
    void shouldWakeAWaitingConsumerOnly() {
        int[] wakeups = new int[1];
        pool.onWakeup(() -> wakeups[0]++);
        OpsPoster poster = pool.poster();
        append(poster, 1);
        poster.post();
        assertEquals(0, wakeups[0]);
        fetcher.waiting(true);
        assertTrue(fetcher.hasPosted());
        append(poster, 2);
        poster.post();
        assertEquals(1, wakeups[0]);
        fetcher.waiting(false);
        fetchAndComplete();
        assertFalse(fetcher.hasPosted());
    }

    @Test
    void shouldLoseNothingBetweenThreads() throws Exception {
        pool.close();
        pool = OpsPool.create(directory.resolve("ops3"), 3, config(Duration.ofSeconds(30)));
        fetcher = pool.fetcher();
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
            int ops = fetcher.fetch((lane, op) -> {
                assertEquals(next[lane]++, op.nbytes() & 0xffffffffL);
                assertEquals(lane, op.nbytes() >>> 32);
                fetcher.complete(lane);
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
        OpsPoster poster = pool.poster();
        OpsFetcher.Sink sink = (lane, op) -> fetcher.complete(lane);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 20 && allocated > 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 100_000; i++) {
                poster.append(i).nbytes(i).nsteps(1);
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

    private void fetchAndComplete() {
        fetcher.fetch((lane, op) -> fetcher.complete(lane), ALL);
    }

    private static void append(OpsPoster poster, long... opCounts) {
        for (long opCount : opCounts) {
            poster.append(opCount);
        }
    }

    private List<Long> fetchedOpCounts(int maxGroups) {
        List<Long> opCounts = new ArrayList<>();
        fetcher.fetch((lane, op) -> opCounts.add(op.opCount()), maxGroups);
        return opCounts;
    }

    private static ProxyConfig config(Duration postTimeout) {
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.LANES, 2)
                .set(CoreOptions.LANE_CAPACITY, CAPACITY).set(CoreOptions.POST_TIMEOUT, postTimeout).build();
    }
}
