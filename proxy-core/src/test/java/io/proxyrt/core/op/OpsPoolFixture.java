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
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A small pool of one kind, and what tests do with it; after each test its books are checked. */
abstract class OpsPoolFixture {
    static final int CAPACITY = 8;
    static final int ALL = Integer.MAX_VALUE;

    @TempDir
    Path directory;

    final OpsPoolKind kind;
    final Deque<Integer> tickets = new ArrayDeque<>();
    OpsPool pool;
    OpsFetcher fetcher;

    OpsPoolFixture(OpsPoolKind kind) {
        this.kind = kind;
    }

    @BeforeEach
    void createPool() {
        create(FullPolicy.BLOCK, Duration.ZERO);
    }

    @AfterEach
    void shouldBalance() {
        pool.audit();
        fetchedOpCounts(ALL);
        completeAll();
        assertEquals(0, pool.outstanding());
        fetcher.publishInFlight();
        assertEquals(List.of(), pool.inFlight());
        assertEquals(0, fetcher.inFlight());
        pool.close();
        pool.close();
    }

    static void assertFull(ProxyResult result, OpsPoster poster, long opCount, String text) {
        ProxyException full = assertThrows(ProxyException.class, () -> poster.append(opCount));
        assertEquals(result, full.result());
        assertTrue(full.getMessage().contains(text), full.getMessage());
    }

    final void create(FullPolicy policy, Duration postTimeout) {
        if (pool != null) {
            pool.close();
        }
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.OPS_POOL, kind)
                .set(CoreOptions.LANES, 2).set(CoreOptions.LANE_CAPACITY, CAPACITY)
                .set(CoreOptions.FULL_POLICY, policy).set(CoreOptions.POST_TIMEOUT, postTimeout).build();
        pool = OpsPool.create(directory.resolve("ops"), 3, config);
        fetcher = pool.fetcher();
    }

    final void fetchAndComplete() {
        fetcher.fetch(op -> fetcher.complete(op.ticket()), ALL);
    }

    final void completeAll() {
        while (!tickets.isEmpty()) {
            fetcher.complete(tickets.removeFirst());
        }
    }

    static void append(OpsPoster poster, long... opCounts) {
        for (long opCount : opCounts) {
            poster.append(opCount);
        }
    }

    final List<Long> fetchedOpCounts(int maxGroups) {
        List<Long> opCounts = new ArrayList<>();
        fetcher.fetch(op -> {
            opCounts.add(op.opCount());
            tickets.add(op.ticket());
        }, maxGroups);
        return opCounts;
    }
}
