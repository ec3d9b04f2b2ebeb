/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OpsPoolKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Ops in flight are named whole, in whatever order they end, whatever the kind of pool. */
@ParameterizedClass
@EnumSource(OpsPoolKind.class)
class OpsInFlightConformanceTest extends OpsPoolFixture {
    private static final int ROUNDS = 40 * OpBlock.OPS;
    /** If each op in flight keeps one, and each lane has one to copy to. */
    private static final int MOST_BLOCKS = 2 * CAPACITY + 2;

    OpsInFlightConformanceTest(OpsPoolKind kind) {
        super(kind);
    }

    @Test
    void shouldNameAnOpThatStaysWhileOthersComeAndGo() {
        OpsPoster poster = pool.poster();
        post(poster, 1);
        fetchedOpCounts(ALL);
        int stuck = tickets.removeFirst();
        for (int number = 2; number < ROUNDS; number++) {
            post(poster, number);
            fetchAndComplete();
        }
        fetcher.publishInFlight();
        assertEquals(List.of(1L), numbers());
        assertTrue(fetcher.isInFlight(stuck));
        fetcher.complete(stuck);
        assertFalse(fetcher.isInFlight(stuck));
    }

    @Test
    void shouldNameTheOpsThatAreLeftWhenOthersEndInAnyOrder() {
        List<OpsPoster> posters = List.of(pool.poster(), pool.poster());
        Random random = new Random(kind.ordinal());
        Map<Long, Integer> inFlight = new HashMap<>();
        for (int number = 1; number < ROUNDS; number++) {
            OpsPoster poster = posters.get(random.nextInt(posters.size()));
            if (poster.room() == 0) {
                endOne(inFlight, random);
            }
            if (poster.room() > 0) {
                post(poster, number);
                fetcher.fetch(op -> inFlight.put(op.opCount(), op.ticket()), ALL);
            }
            inFlight.values().forEach(ticket -> assertTrue(ticket >>> OpBlock.SHIFT < MOST_BLOCKS,
                    () -> "a block is not used again: ticket " + ticket));
            fetcher.publishInFlight();
            assertEquals(new ArrayList<>(new TreeSet<>(inFlight.keySet())), numbers());
            assertEquals(inFlight.size(), fetcher.inFlight());
        }
        inFlight.values().forEach(fetcher::complete);
    }

    private void endOne(Map<Long, Integer> inFlight, Random random) {
        List<Long> numbers = new ArrayList<>(inFlight.keySet());
        fetcher.complete(inFlight.remove(numbers.get(random.nextInt(numbers.size()))));
    }

    private static void post(OpsPoster poster, long number) {
        poster.append(number).connection(number).peer((int) number).channelId((int) number);
        poster.post();
    }

    /** Of the ops that the mapped file names, ascending; each must be whole. */
    private List<Long> numbers() {
        List<Long> numbers = new ArrayList<>();
        for (OpInFlight op : pool.inFlight()) {
            assertEquals(op.opCount(), op.connection());
            assertEquals(op.opCount(), op.peer());
            assertEquals(op.opCount(), op.channelId());
            numbers.add(op.opCount());
        }
        return numbers.stream().sorted().toList();
    }
}
