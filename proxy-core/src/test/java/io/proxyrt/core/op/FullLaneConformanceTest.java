/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.FullPolicy;
import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What happens when a poster finds no room, whatever the kind of pool. */
@ParameterizedClass
@EnumSource(OpsPoolKind.class)
class FullLaneConformanceTest extends OpsPoolFixture {
    FullLaneConformanceTest(OpsPoolKind kind) {
        super(kind);
    }

    @Test
    void shouldKeepSlotsTakenUntilOpsAreCompleted() {
        OpsPoster poster = pool.poster();
        append(poster, 1, 2, 3, 4, 5, 6, 7, 8);
        poster.post();
        fetchedOpCounts(ALL);
        assertEquals(CAPACITY, poster.outstanding());
        fetcher.publishInFlight();
        assertFull(ProxyResult.TIMEOUT, poster, 9, "ops pool of rank 3, lane 0 (posted 8, fetched 8, completed 0, "
                + "capacity 8): no op ended within 0 ms; the oldest op in flight is op 1 peer 0 channel 0");
        fetcher.complete(tickets.removeLast());
        append(poster, 9);
        assertEquals(CAPACITY, poster.outstanding());
    }

    @Test
    void shouldNameTheOldestOpInFlightAndItsAge() {
        OpsPoster poster = pool.poster();
        long now = System.nanoTime();
        for (int i = 1; i <= CAPACITY; i++) {
            fetcher.tick(now - (CAPACITY - i) * 1_000_000_000L);
            poster.append(i).peer(10 + i).channelId(20 + i).connection(0xab);
            poster.post();
            fetchedOpCounts(ALL);
        }
        fetcher.complete(tickets.removeFirst());
        fetcher.complete(tickets.removeLast());
        append(poster, 9, 10);
        fetcher.publishInFlight();
        assertFull(ProxyResult.TIMEOUT, poster, 11,
                "the oldest op in flight is op 2 peer 12 channel 22 connection ab, in flight for 6");
        assertEquals(List.of(2L, 3L, 4L, 5L, 6L, 7L), pool.inFlight().stream().map(OpInFlight::opCount).toList());
    }

    @Test
    void shouldSayThatTheConsumerIsSilentWhenNothingIsInFlight() {
        OpsPoster poster = pool.poster();
        fetcher.tick(System.nanoTime() - 5_000_000_000L);
        append(poster, 1, 2, 3, 4, 5, 6, 7, 8);
        assertFull(ProxyResult.TIMEOUT, poster, 9,
                "nothing is in flight, and the progress agent last gave a sign of life 50");
    }

    @Test
    void shouldFailAtOnceIfToldSo() {
        create(FullPolicy.FAIL, Duration.ofSeconds(30));
        OpsPoster poster = pool.poster();
        append(poster, 1, 2, 3, 4, 5, 6, 7, 8);
        assertFull(ProxyResult.TIMEOUT, poster, 9, "it is full");
        fetchedOpCounts(ALL);
        completeAll();
        append(poster, 9);
    }

    @Test
    void shouldAskTheCallerIfToldSo() {
        create(FullPolicy.CALLBACK, Duration.ZERO);
        OpsPoster poster = pool.poster();
        append(poster, 1, 2, 3, 4, 5, 6, 7, 8);
        assertFull(ProxyResult.TIMEOUT, poster, 9, "it is full");
        int[] calls = new int[1];
        poster.onFull(waitedNs -> {
            assertTrue(waitedNs >= 0);
            if (++calls[0] == 3) {
                fetchAndComplete();
            }
            return true;
        });
        append(poster, 9);
        assertEquals(3, calls[0]);
        poster.onFull(waitedNs -> false);
        append(poster, 10, 11, 12, 13, 14, 15, 16);
        assertFull(ProxyResult.TIMEOUT, poster, 17, "it is full");
    }

    @Test
    void shouldEndTheWaitOfAnInterruptedPoster() {
        create(FullPolicy.BLOCK, Duration.ofSeconds(30));
        OpsPoster poster = pool.poster();
        append(poster, 1, 2, 3, 4, 5, 6, 7, 8);
        Thread.currentThread().interrupt();
        assertFull(ProxyResult.INVALID_USAGE, poster, 9, "interrupted");
        assertTrue(Thread.interrupted());
    }

    @Test
    void shouldPostWholeGroupsOnlyWhenTheLaneFills() {
        OpsPoster poster = pool.poster();
        append(poster, 1, 1, 2, 3, 3, 3, 3, 3);
        assertThrows(ProxyException.class, () -> poster.append(3));
        assertEquals(List.of(1L, 1L, 2L), fetchedOpCounts(ALL));
        fetcher.complete(tickets.removeFirst());
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
    void shouldDropAGroupLargerThanTheLaneAndGoOn() {
        OpsPoster poster = pool.poster();
        append(poster, 5, 5, 5, 5, 5, 5, 5, 5);
        assertFull(ProxyResult.INVALID_USAGE, poster, 5, "opCount 5 is larger than the lane");
        append(poster, 6, 6);
        poster.post();
        assertEquals(List.of(6L, 6L), fetchedOpCounts(ALL));
    }

    @Test
    void shouldDriveTheRuntimeWhileTheLaneIsFull() {
        create(FullPolicy.BLOCK, Duration.ofSeconds(30));
        OpsPoster poster = pool.poster();
        poster.driver(this::fetchAndComplete);
        for (int i = 0; i < 10 * CAPACITY; i++) {
            poster.append(i);
            poster.post();
        }
        fetchAndComplete();
        assertEquals(0, poster.outstanding());
        assertEquals(0, pool.outstanding());
    }

    @Test
    void shouldTakeTheRoomThereIsRatherThanTimeOut() {
        create(FullPolicy.CALLBACK, Duration.ZERO);
        OpsPoster poster = pool.poster();
        append(poster, 1, 2, 3, 4, 5, 6, 7, 8);
        poster.post();
        fetchedOpCounts(ALL);
        int[] calls = new int[1];
        poster.onFull(waitedNs -> {
            calls[0]++;
            fetcher.complete(tickets.removeFirst());
            return true;
        });
        append(poster, 9);
        assertEquals(1, calls[0], "one slot is less than is worth waiting for, but it is one");
        append(poster, 10);
        assertEquals(2, calls[0]);
    }
}
