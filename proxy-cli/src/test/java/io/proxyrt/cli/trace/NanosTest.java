/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class NanosTest {
    private static final long MANY = 2_200_000_000_000_000_000L;

    @Test
    void shouldKeepWhatAClockMayTell() {
        assertEquals(1_700_000_000_123_456_789L, Nanos.of(Instant.ofEpochSecond(1_700_000_000, 123_456_789)));
        assertEquals(86_400_000_000_001L, Nanos.of(Duration.ofDays(1).plusNanos(1)));
        assertEquals(5_000_000, Nanos.ofMillis(5));
        assertEquals(3, Nanos.plus(5, -2));
    }

    @Test
    void shouldLetNoSumWrapWhateverAFileClaims() {
        assertEquals(MANY, Nanos.of(Instant.MAX));
        assertEquals(0, Nanos.of(Instant.MIN));
        assertEquals(MANY, Nanos.of(Duration.ofSeconds(Long.MAX_VALUE)));
        assertEquals(0, Nanos.of(Duration.ofSeconds(Long.MIN_VALUE)));
        assertEquals(0, Nanos.ofMillis(Long.MIN_VALUE));
        assertTrue(Nanos.ofMillis(Long.MAX_VALUE) > 0);
        for (long span : List.of(Long.MIN_VALUE, -MANY, -1L, 0L, 1L, MANY, Long.MAX_VALUE)) {
            long sum = Nanos.plus(MANY, span);
            assertTrue(sum >= 0 && sum <= MANY, span + " made " + sum);
            assertEquals(Math.clamp(span, 0, MANY), Nanos.plus(0, span));
        }
    }
}
