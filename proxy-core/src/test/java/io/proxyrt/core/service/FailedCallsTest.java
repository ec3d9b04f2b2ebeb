/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class FailedCallsTest {
    private final FailedCalls failures = new FailedCalls(0);

    @Test
    void shouldLogTheFirstOfAFloodOnly() {
        for (int i = 0; i < 1000; i++) {
            failures.add("SETUP", "nonsense", i);
        }
        assertEquals(FailedCalls.BURST, failures.logged());
    }

    @Test
    void shouldLogAgainOnceTheWindowIsOver() {
        for (int i = 0; i < 1000; i++) {
            failures.add("SETUP", "nonsense", 5);
        }
        failures.add("SETUP", "nonsense", 6 + FailedCalls.WINDOW_NS);
        assertEquals(FailedCalls.BURST + 1, failures.logged());
    }
}
