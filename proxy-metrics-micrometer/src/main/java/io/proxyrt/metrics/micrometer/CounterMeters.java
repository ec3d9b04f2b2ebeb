/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.metrics.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.runtime.ProxyState;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The {@linkplain Counter counters} of a runtime as meters: {@code proxyrt.} and the counter's label, with points for
 * what is neither letter nor digit, such as {@code proxyrt.ops.fetched}. A registry of Prometheus so has them by the
 * names of {@code proxyrt stat --prometheus}. {@code proxyrt.healthy} is 1 if nothing is wrong with the runtime, else
 * 0. Tags are {@code job} and {@code rank}. They are read when a registry asks, and cost the runtime nothing. Any
 * thread.
 */
public final class CounterMeters implements MeterBinder, AutoCloseable {
    private final ProxyState proxy;
    private final Tags tags;
    private final Queue<Kept> meters = new ConcurrentLinkedQueue<>();

    /**
     * Meters of a runtime.
     *
     * @param proxy stays the caller's; once it is closed, meters keep their last values. They hold it until this is
     *              closed, or their registry is gone
     */
    public CounterMeters(ProxyState proxy) {
        this.proxy = Objects.requireNonNull(proxy, "proxy");
        this.tags = Tags.of("job", proxy.counters().job(), "rank", Integer.toString(proxy.rank()));
    }

    /** Meters of several registries are equal if their ids are. */
    private record Kept(MeterRegistry registry, Meter meter) {
    }

    /** Registries hold what they read weakly, and the functions that read it for good. */
    @Override
    public void bindTo(MeterRegistry registry) {
        Counters counters = proxy.counters();
        for (Counter counter : Counter.values()) {
            String name = name(counter);
            keep(registry, counter.kind() == Counter.Kind.TOTAL
                    ? FunctionCounter.builder(name, counters, _ -> counters.get(counter)).tags(tags)
                            .description(counter.label()).register(registry)
                    : Gauge.builder(name, counters, _ -> counters.get(counter)).tags(tags)
                            .description(counter.label()).register(registry));
        }
        keep(registry, Gauge.builder("proxyrt.healthy", proxy, _ -> health()).tags(tags)
                .description("1 if nothing is wrong with the runtime, else 0").register(registry));
    }

    private void keep(MeterRegistry registry, Meter meter) {
        meters.add(new Kept(registry, meter));
    }

    private int health() {
        try {
            return proxy.health(Duration.ZERO).isHealthy() ? 1 : 0;
        } catch (ProxyException _) {
            // It is closed.
            return 0;
        }
    }

    static String name(Counter counter) {
        return "proxyrt." + counter.label().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", ".");
    }

    /** Takes the meters out of their registries. Idempotent. */
    @Override
    public void close() {
        for (Kept kept = meters.poll(); kept != null; kept = meters.poll()) {
            kept.registry.remove(kept.meter);
        }
    }
}
