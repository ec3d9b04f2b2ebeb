/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OpsLaneTest {
    private static final int CAPACITY = 4;

    private final ProxyConfig config = ProxyConfig.builder().environment(Map.of())
            .set(CoreOptions.OPS_POOL, OpsPoolKind.LANES).set(CoreOptions.LANES, 1)
            .set(CoreOptions.LANE_CAPACITY, CAPACITY).build();
    private final MemorySegment memory = Arena.ofAuto().allocate(OpsPool.bytes(config), 128);
    private final OpsPool pool = OpsPool.create(memory, () -> { }, 0, config,
            MappedDoorbell.ofProxy(memory, Platform.find()));
    private final OpsLane lane = new OpsLane(memory, 0, CAPACITY);
    private final OpsFetcher fetcher = pool.fetcher();
    private final List<Long> fetched = new ArrayList<>();

    @Test
    void shouldGoOnAfterAPosterThatDiedBetweenItsTwoStores() {
        OpsPoster first = pool.poster();
        post(first, 1, 1);
        lane.posted(0);
        lane.release();
        assertEquals(2, lane.posted());
        OpsPoster second = pool.poster();
        post(second, 2);
        post(second, 3);
        fetch();
        post(second, 4);
        fetch();
        assertEquals(List.of(1L, 1L, 2L, 3L, 4L), fetched);
        pool.audit();
    }

    @Test
    void shouldSeeManyBatchesAtOnceAndEndWithTheOneThatIsLongEnough() {
        OpsPoster poster = pool.poster();
        post(poster, 1);
        post(poster, 2, 2);
        post(poster, 3);
        assertEquals(1, lane.publishedAfter(0, 1));
        assertEquals(3, lane.publishedAfter(0, 2));
        assertEquals(4, lane.publishedAfter(0, CAPACITY));
        assertEquals(4, lane.publishedAfter(0, 2 * CAPACITY));
    }

    @Test
    void shouldNotTakeABatchOfTheLapBeforeForANewOne() {
        OpsPoster poster = pool.poster();
        for (int lap = 0; lap < 3; lap++) {
            post(poster, lap, lap, lap, lap);
            assertEquals(CAPACITY * (lap + 1), lane.publishedAfter(CAPACITY * lap, 2 * CAPACITY));
            fetch();
            poster.append(lap);
            assertEquals(CAPACITY * (lap + 1), lane.posted());
            assertEquals(CAPACITY * (lap + 1), lane.publishedAfter(CAPACITY * (lap + 1), CAPACITY));
            poster.close();
            poster = pool.poster();
        }
        assertEquals(3 * CAPACITY, fetched.size());
    }

    private static void post(OpsPoster poster, long... opCounts) {
        for (long opCount : opCounts) {
            poster.append(opCount);
        }
        poster.post();
    }

    private void fetch() {
        fetcher.fetch(op -> {
            fetched.add(op.opCount());
            fetcher.complete(op.ticket());
        }, CAPACITY);
    }
}
