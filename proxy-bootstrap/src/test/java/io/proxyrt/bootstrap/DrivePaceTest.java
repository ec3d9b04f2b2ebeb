/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DrivePaceTest {
    private final DrivePace pace = new DrivePace();

    private long pauseMicros(int ranks) {
        final long[] pauseNs = {pace.pauseNs()};
        if (ranks > 0) {
            pace.during(() -> pauseNs[0] = TimeUnit.MICROSECONDS.toNanos(pauseMicros(ranks - 1)));
        }
        return TimeUnit.NANOSECONDS.toMicros(pauseNs[0]);
    }

    @Test
    void shouldPauseLongerTheMoreRanksTheProcessHas() {
        assertEquals(100, pauseMicros(0));
        assertEquals(100, pauseMicros(5));
        assertEquals(120, pauseMicros(6));
        assertEquals(2560, pauseMicros(128));
        assertEquals(20_000, pauseMicros(1024));
    }

    @Test
    void shouldForgetRanksThatHaveEnded() {
        assertEquals(1280, pauseMicros(64));
        pace.during(() -> assertThrows(IllegalStateException.class, () -> pace.during(() -> {
            throw new IllegalStateException("it ends so");
        })));

        assertEquals(100, pauseMicros(0));
        assertEquals(120, pauseMicros(6));
    }
}
