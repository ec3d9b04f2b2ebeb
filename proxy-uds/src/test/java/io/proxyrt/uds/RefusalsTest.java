/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RefusalsTest {
    private final Refusals refusals = new Refusals(0);

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
