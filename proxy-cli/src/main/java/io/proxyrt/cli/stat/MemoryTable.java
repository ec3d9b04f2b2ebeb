/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import io.proxyrt.cli.view.Table;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.MemoryShare;
import io.proxyrt.core.counters.MemoryUse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The memory of a runtime's connections, one line each. */
final class MemoryTable {
    private static final Comparator<MemoryShare> ORDER = Comparator.comparing(MemoryShare::transport)
            .thenComparingInt(MemoryShare::peer).thenComparing(MemoryShare::direction)
            .thenComparingLong(MemoryShare::connection);

    private static final Table TABLE = new Table(35, 11);

    private MemoryTable() {
    }

    /** A heading, the connections by transport and peer, and how many the file had no room for; empty if none. */
    static List<String> lines(RuntimeView view) {
        if (view.memory().isEmpty()) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        lines.add("rank " + view.rank() + ": bytes of memory by connection");
        lines.add(heading());
        view.memory().stream().sorted(ORDER).forEach(share -> lines.add(line(share)));
        RuntimeView.Value accounts = view.counters().get(Counter.MEMORY_ACCOUNTS.label());
        long unlisted = accounts == null ? 0 : accounts.value() - view.memory().size();
        if (unlisted > 0) {
            lines.add("and " + unlisted + " for which the file has no room; the sums above have them");
        }
        lines.add("");
        return lines;
    }

    private static String heading() {
        return row("transport", "peer", "", "connection",
                Stream.concat(Arrays.stream(MemoryUse.values()).map(MemoryUse::label), Stream.of("total")).toList());
    }

    private static String line(MemoryShare share) {
        LongStream bytes = Arrays.stream(MemoryUse.values()).mapToLong(share::bytes);
        long total = Arrays.stream(MemoryUse.values()).mapToLong(share::bytes).sum();
        return row(share.transport(), Integer.toString(share.peer()), share.direction().name().toLowerCase(Locale.ROOT),
                Long.toHexString(share.connection()),
                LongStream.concat(bytes, LongStream.of(total)).mapToObj(StatTable::amount).toList());
    }

    /** A line of a table of connections. */
    static String row(String transport, String peer, String direction, String connection, List<String> amounts) {
        return TABLE.row(String.format(Locale.ROOT, "%-9s %6s %-5s %12s", transport, peer, direction, connection),
                amounts);
    }
}
