/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import io.proxyrt.core.counters.ConnectionTraffic;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What each connection of a runtime has carried, one line each; remembers the last time for its rates. */
final class TrafficTable {
    private static final Comparator<ConnectionTraffic> ORDER = Comparator.comparing(ConnectionTraffic::transport)
            .thenComparingInt(ConnectionTraffic::peer).thenComparing(ConnectionTraffic::direction)
            .thenComparingLong(ConnectionTraffic::connection);
    private static final double MILLIS = 1000;

    private final Map<Key, ConnectionTraffic> before = new HashMap<>();
    private long beforeMs;

    private record Key(String runtime, long connection, int direction) {
        static Key of(RuntimeView view, ConnectionTraffic traffic) {
            return new Key(view.path().toString(), traffic.connection(), traffic.direction().ordinal());
        }
    }

    /** A heading and the connections of each runtime that has some. */
    List<String> lines(List<RuntimeView> views, long nowMs) {
        List<String> lines = new ArrayList<>();
        for (RuntimeView view : views) {
            if (!view.traffic().isEmpty()) {
                lines.add("rank " + view.rank() + ": what each connection has carried");
                lines.add(MemoryTable.row("transport", "peer", "", "connection",
                        List.of("ops", "bytes", "steps", "bytes/s", "last op")));
                view.traffic().stream().sorted(ORDER).forEach(traffic -> lines.add(line(view, traffic, nowMs)));
                lines.add("");
            }
        }
        before.clear();
        views.forEach(view -> view.traffic().forEach(traffic -> before.put(Key.of(view, traffic), traffic)));
        beforeMs = nowMs;
        return lines;
    }

    private String line(RuntimeView view, ConnectionTraffic traffic, long nowMs) {
        return MemoryTable.row(traffic.transport(), Integer.toString(traffic.peer()),
                traffic.direction().name().toLowerCase(Locale.ROOT), Long.toHexString(traffic.connection()),
                List.of(StatTable.amount(traffic.ops()), StatTable.amount(traffic.bytes()),
                        StatTable.amount(traffic.steps()), rate(before.get(Key.of(view, traffic)), traffic, nowMs),
                        age(traffic, nowMs)));
    }

    private String rate(ConnectionTraffic then, ConnectionTraffic now, long nowMs) {
        return then == null || nowMs <= beforeMs ? ""
                : StatTable.amount((now.bytes() - then.bytes()) * MILLIS / (nowMs - beforeMs));
    }

    private static String age(ConnectionTraffic traffic, long nowMs) {
        return Optional.ofNullable(traffic.ended()).map(ended -> Duration.between(ended, Instant.ofEpochMilli(nowMs)))
                .map(age -> String.format(Locale.ROOT, "%.1f s ago", Math.max(0, age.toMillis()) / MILLIS)).orElse("");
    }
}
