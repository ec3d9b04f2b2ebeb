/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RefusalsTest {
    private final Refusals refusals = new Refusals(LoggerFactory.getLogger(RefusalsTest.class), "a test refuses");

    @Test
    void shouldCountAllButLogOnlySoManyAtOnce() {
        for (int i = 0; i < 1000; i++) {
            refusals.add("peer", "knocks", 5);
        }

        assertEquals(1000, refusals.count());
        assertEquals(10, refusals.logged());
        assertEquals("peer: knocks", refusals.last());
    }

    @Test
    void shouldLogAgainAfterAWhile() {
        for (int i = 0; i < 12; i++) {
            refusals.add("peer", "knocks", i);
        }

        refusals.add("peer", "knocks again", TimeUnit.SECONDS.toNanos(11));

        assertEquals(11, refusals.logged());
    }
}
