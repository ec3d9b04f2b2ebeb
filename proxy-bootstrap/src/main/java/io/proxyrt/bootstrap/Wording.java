/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** How ranks, times and the bytes of unauthenticated peers read in messages. */
final class Wording {
    private static final int MAX_RANKS = 16;
    private static final int MILLIS = 1000;
    private static final char FIRST_PRINTABLE = ' ';
    private static final char LAST_PRINTABLE = '~';

    private Wording() {
    }

    /** {@code rank 3} or {@code ranks 1, 3}. */
    static String ranks(int[] ranks) {
        return (ranks.length == 1 ? "rank " : "ranks ") + list(ranks);
    }

    /** {@code 1, 3}, {@code none}, or the first 16 and how many more. */
    static String list(int[] ranks) {
        if (ranks.length == 0) {
            return "none";
        }
        final String first = IntStream.of(ranks).limit(MAX_RANKS).mapToObj(Integer::toString)
                .collect(Collectors.joining(", "));
        return ranks.length <= MAX_RANKS ? first : first + " and " + (ranks.length - MAX_RANKS) + " more";
    }

    /** {@code 30 s} or {@code 1500 ms}. */
    static String millis(long millis) {
        return millis % MILLIS == 0 ? millis / MILLIS + " s" : millis + " ms";
    }

    static String duration(Duration duration) {
        return millis(Deadline.millis(duration));
    }

    /** Bytes in quotes: ASCII as it is, the rest as hexadecimal escapes. */
    static String printable(byte[] bytes) {
        final StringBuilder text = new StringBuilder("\"");
        for (final byte b : bytes) {
            if (b >= FIRST_PRINTABLE && b <= LAST_PRINTABLE && b != '"' && b != '\\') {
                text.append((char) b);
            } else {
                text.append(String.format("\\x%02x", b));
            }
        }
        return text.append('"').toString();
    }
}
