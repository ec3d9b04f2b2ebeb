/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.metrics.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.runtime.ProxyState;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CounterMetersTest {
    private static final long LIMIT_NS = Duration.ofMinutes(1).toNanos();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @TempDir
    Path directory;

    @Test
    void shouldHaveWhatTheRuntimeCounts() throws Exception {
        TwoRanks.run(directory, comm -> {
            ProxyState proxy = comm.proxy();
            try (CounterMeters meters = new CounterMeters(proxy)) {
                meters.bindTo(registry);
                Counters counters = proxy.counters();
                long ops = counters.get(Counter.OPS_COMPLETED);
                assertTrue(ops >= TwoRanks.CALLS, () -> ops + " ops");
                assertEquals(ops, counter("proxyrt.ops.completed").count());
                assertEquals(counters.get(Counter.NET_BACK_PRESSURE), counter("proxyrt.net.back.pressure").count());
                assertEquals(counters.get(Counter.CONNECTIONS), gauge("proxyrt.connections").value());
                assertEquals(1, gauge("proxyrt.healthy").value());
                assertEquals(Counter.values().length + 1, registry.getMeters().size());
                assertEquals(List.of(Tag.of("job", counters.job()), Tag.of("rank", "0")),
                        counter("proxyrt.isend").getId().getTags());
            }
            assertEquals(List.of(), registry.getMeters());
        });
    }

    @Test
    void shouldKeepTheLastValuesOfOneThatIsClosed() throws Exception {
        ProxyState[] closed = new ProxyState[1];
        TwoRanks.run(directory, comm -> {
            closed[0] = comm.proxy();
            new CounterMeters(comm.proxy()).bindTo(registry);
        });
        assertEquals(closed[0].counters().get(Counter.OPS_COMPLETED), counter("proxyrt.ops.completed").count());
        assertTrue(counter("proxyrt.ops.completed").count() > 0);
        assertEquals(0, gauge("proxyrt.healthy").value());
    }

    /** Nothing else has it, or its meters. */
    @Test
    void shouldKeepTheLastValuesOfOneThatIsForgotten() throws Exception {
        TwoRanks.run(directory, comm -> new CounterMeters(comm.proxy()).bindTo(registry));
        collectGarbage();
        assertTrue(counter("proxyrt.ops.completed").count() > 0);
        assertTrue(gauge("proxyrt.connections").value() >= 0);
        assertEquals(0, gauge("proxyrt.healthy").value());
    }

    @Test
    void shouldLeaveEachRegistry() throws Exception {
        SimpleMeterRegistry other = new SimpleMeterRegistry();
        TwoRanks.run(directory, comm -> {
            try (CounterMeters meters = new CounterMeters(comm.proxy())) {
                meters.bindTo(registry);
                meters.bindTo(other);
                assertEquals(registry.getMeters().size(), other.getMeters().size());
            }
            assertEquals(List.of(), registry.getMeters());
            assertEquals(List.of(), other.getMeters());
        });
    }

    private static void collectGarbage() {
        WeakReference<Object> garbage = new WeakReference<>(new Object());
        long startNs = System.nanoTime();
        while (garbage.get() != null) {
            assertTrue(System.nanoTime() - startNs < LIMIT_NS, "no collection");
            System.gc();
        }
    }

    private FunctionCounter counter(String name) {
        return registry.get(name).functionCounter();
    }

    private Gauge gauge(String name) {
        return registry.get(name).gauge();
    }
}
