/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.MemoryShare;
import io.proxyrt.core.counters.MemoryUse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The memory of a runtime's connections, one line each. */
final class MemoryTable {
    private static final Comparator<MemoryShare> ORDER = Comparator.comparing(MemoryShare::transport)
            .thenComparingInt(MemoryShare::peer).thenComparing(MemoryShare::direction)
            .thenComparingLong(MemoryShare::connection);

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
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-9s %6s %-5s %12s", "transport", "peer",
                "", "connection"));
        for (MemoryUse use : MemoryUse.values()) {
            line.append(String.format(Locale.ROOT, " %10s", use.label()));
        }
        return line.append(String.format(Locale.ROOT, " %10s", "total")).toString();
    }

    private static String line(MemoryShare share) {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-9s %6d %-5s %12s", share.transport(),
                share.peer(), share.direction().name().toLowerCase(Locale.ROOT),
                Long.toHexString(share.connection())));
        long total = 0;
        for (MemoryUse use : MemoryUse.values()) {
            line.append(String.format(Locale.ROOT, " %10s", StatTable.amount(share.bytes(use))));
            total += share.bytes(use);
        }
        return line.append(String.format(Locale.ROOT, " %10s", StatTable.amount(total))).toString();
    }
}
