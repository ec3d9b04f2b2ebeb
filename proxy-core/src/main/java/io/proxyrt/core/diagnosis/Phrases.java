/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Words for ranks and times. */
final class Phrases {
    private static final int MOST = 16;

    private Phrases() {
    }

    /** Such as {@code rank 3}, or {@code ranks 0, 1 and 3}. */
    static String ranks(Collection<Integer> ranks) {
        return ranks.size() == 1 ? "rank " + ranks.iterator().next()
                : "ranks " + list(ranks.stream().map(Object::toString).toList());
    }

    /** Such as {@code rank 3 (pid 4711)}. */
    static String processes(List<RankObservation> ranks) {
        List<String> names = ranks.stream().map(rank -> rank.rank() + " (pid " + rank.pid() + ")").toList();
        return (ranks.size() == 1 ? "rank " : "ranks ") + list(names);
    }

    private static String list(List<String> all) {
        if (all.size() > MOST) {
            return String.join(", ", all.subList(0, MOST)) + " and " + (all.size() - MOST) + " more";
        }
        StringBuilder text = new StringBuilder();
        for (Iterator<String> each = all.iterator(); each.hasNext();) {
            String one = each.next();
            text.append(text.isEmpty() ? "" : each.hasNext() ? ", " : " and ").append(one);
        }
        return text.toString();
    }

    static String pids(List<RankObservation> ranks) {
        return ranks.stream().map(rank -> Long.toString(rank.pid())).distinct().collect(Collectors.joining(" "));
    }

    static String verb(Collection<?> subjects, String one, String many) {
        return subjects.size() == 1 ? one : many;
    }

    static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.1f s", Math.max(0, time.toMillis()) / 1000.0);
    }
}
