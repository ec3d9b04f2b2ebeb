/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.directory.RuntimeDirectory;

/** A switch's counters in a mapped file, for {@code proxyrt stat}. One thread writes. */
final class SwitchCounters implements AutoCloseable {
    private final RuntimeDirectory directory;
    private final Counters counters;

    private SwitchCounters(RuntimeDirectory directory, Counters counters) {
        this.directory = directory;
        this.counters = counters;
    }

    static SwitchCounters create(SwitchConfig config, String name) {
        final RuntimeDirectory directory = RuntimeDirectory.create(config.settings(), 0);
        try {
            return new SwitchCounters(directory,
                    Counters.create(directory.counters(), name, 0, 1, SwitchCounter.values()));
        } catch (RuntimeException | Error e) {
            directory.close();
            throw e;
        }
    }

    /** Shows what it has counted by now, and that it lives. */
    void publish(AggregationSwitch of) {
        for (SwitchCounter counter : SwitchCounter.values()) {
            counters.set(counter, of.count(counter));
        }
        counters.heartbeat(System.currentTimeMillis());
    }

    @Override
    public void close() {
        try (directory; counters) {
            AggregationSwitch.LOG.debug("{} is removed", directory.path());
        }
    }
}
