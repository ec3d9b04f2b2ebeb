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
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

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
    private final Map<Meter, MeterRegistry> meters = new ConcurrentHashMap<>();

    /**
     * Meters of a runtime.
     *
     * @param proxy stays the caller's; once it is closed, meters keep their last values
     */
    public CounterMeters(ProxyState proxy) {
        this.proxy = Objects.requireNonNull(proxy, "proxy");
        this.tags = Tags.of("job", proxy.counters().job(), "rank", Integer.toString(proxy.rank()));
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Counters counters = proxy.counters();
        for (Counter counter : Counter.values()) {
            String name = name(counter);
            keep(registry, counter.kind() == Counter.Kind.TOTAL
                    ? FunctionCounter.builder(name, counters, from -> from.get(counter)).tags(tags)
                            .description(counter.label()).register(registry)
                    : Gauge.builder(name, counters, from -> from.get(counter)).tags(tags)
                            .description(counter.label()).register(registry));
        }
        keep(registry, Gauge.builder("proxyrt.healthy", proxy, CounterMeters::health).tags(tags)
                .description("1 if nothing is wrong with the runtime, else 0").register(registry));
    }

    private void keep(MeterRegistry registry, Meter meter) {
        meters.put(meter, registry);
    }

    private static int health(ProxyState proxy) {
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
        meters.forEach((meter, registry) -> registry.remove(meter));
        meters.clear();
    }
}
