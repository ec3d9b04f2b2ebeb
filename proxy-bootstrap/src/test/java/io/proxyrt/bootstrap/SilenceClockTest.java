/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SilenceClockTest {
    private final SilenceClock clock = new SilenceClock(10, Long.MAX_VALUE - 2);

    @Test
    void shouldFollowTheMachineAcrossItsOverflow() {
        clock.advance(Long.MIN_VALUE + 2);

        assertEquals(5, clock.awakeNs());
    }

    @Test
    void shouldCountALongSleepAsOneStep() {
        clock.advance(Long.MIN_VALUE + 1_000_000);
        clock.advance(Long.MIN_VALUE + 1_000_003);

        assertEquals(13, clock.awakeNs());
    }
}
