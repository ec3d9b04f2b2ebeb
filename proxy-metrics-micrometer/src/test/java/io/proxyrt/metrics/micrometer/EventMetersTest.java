/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.metrics.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.Counter;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventMetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @TempDir
    Path directory;

    @Test
    void shouldTimeWhatFlightRecorderHears() throws Exception {
        AtomicLong ops = new AtomicLong();
        try (EventMeters meters = new EventMeters()) {
            meters.bindTo(registry);
            TwoRanks.run(directory, comm -> ops.set(comm.proxy().counters().get(Counter.OPS_COMPLETED)));
        }
        Timer calls = registry.get("proxyrt.collective").tags("rank", "0", "function", "ALL_REDUCE", "failed", "false")
                .timer();
        assertEquals(TwoRanks.CALLS, calls.count());
        assertTrue(calls.totalTime(TimeUnit.NANOSECONDS) > 0);
        assertEquals(ops.get(), registry.get("proxyrt.op").tags("rank", "0", "transport", "NET", "result", "SUCCESS")
                .timers().stream().mapToLong(Timer::count).sum());
        assertTrue(registry.get("proxyrt.rpc.call").tags("type", "CONNECT", "result", "SUCCESS").timers().stream()
                .mapToLong(Timer::count).sum() >= 4);
        assertTrue(registry.find("proxyrt.errors").counters().isEmpty());
    }

    @Test
    void shouldCountWhatFails() throws Exception {
        try (EventMeters meters = new EventMeters()) {
            meters.bindTo(registry);
            ProxyException failure = new ProxyException(ProxyResult.REMOTE_ERROR, "for a test");
            assertThrows(ProxyException.class, () -> TwoRanks.run(directory,
                    comm -> comm.proxy().asyncResult().fail(failure)));
        }
        assertTrue(registry.get("proxyrt.errors").tags("rank", "0", "result", "REMOTE_ERROR").counter().count() >= 1);
    }
}
