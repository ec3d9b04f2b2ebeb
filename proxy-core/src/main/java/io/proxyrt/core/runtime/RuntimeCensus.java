/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Counts the runtimes of this user, once for all runtimes of the process. A look costs a time stamp; it counts when
 * folders came or went, and now and then, since a process that dies leaves its folder. Any thread.
 */
final class RuntimeCensus {
    /** Those that runtimes have. */
    private static final Map<String, WeakReference<RuntimeCensus>> BY_PLACE = new HashMap<>();
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(900);
    private static final long COUNT_NS = TimeUnit.SECONDS.toNanos(10);

    private final ProxyConfig config;
    private final LongSupplier clock;
    private long lookedNs;
    private long countedNs;
    private String stamps = "";
    private int alive;

    RuntimeCensus(ProxyConfig config, LongSupplier clock) {
        this.config = config;
        this.clock = clock;
        this.lookedNs = clock.getAsLong() - LOOK_NS;
        this.countedNs = lookedNs;
    }

    /** Of those that are where this configuration's are. */
    static RuntimeCensus of(ProxyConfig config) {
        String place = RuntimeDirectory.place(config);
        synchronized (BY_PLACE) {
            BY_PLACE.values().removeIf(census -> census.refersTo(null));
            WeakReference<RuntimeCensus> known = BY_PLACE.get(place);
            RuntimeCensus census = known == null ? null : known.get();
            if (census == null) {
                census = new RuntimeCensus(config, System::nanoTime);
                BY_PLACE.put(place, new WeakReference<>(census));
            }
            return census;
        }
    }

    /** How many live, as of a second ago at most; ten, if processes died. */
    synchronized int alive() {
        long now = clock.getAsLong();
        if (now - lookedNs >= LOOK_NS) {
            lookedNs = now;
            look(now);
        }
        return alive;
    }

    private void look(long now) {
        String seen = stamps(RuntimeDirectory.bases(config));
        if (!seen.equals(stamps) || now - countedNs >= COUNT_NS) {
            alive = (int) RuntimeDirectory.list(config).stream().filter(RuntimeDirectory.Entry::isAlive).count();
            stamps = seen;
            countedNs = now;
        }
    }

    /** Read before it counts, so that what changes meanwhile is counted the next time. */
    private static String stamps(List<Path> bases) {
        StringBuilder stamps = new StringBuilder();
        for (Path base : bases) {
            stamps.append(base).append(' ').append(stamp(base)).append(' ');
        }
        return stamps.toString();
    }

    private static String stamp(Path base) {
        try {
            return Files.getLastModifiedTime(base).toString();
        } catch (IOException _) {
            return "gone";
        }
    }
}
