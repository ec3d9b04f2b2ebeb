/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Numbers, bytes and times as users write them. */
final class OptionText {
    private static final String UNITS = "KMG";
    /** Longer than any process lives; twice as much still fits in nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private OptionText() {
    }

    /** With K, M or G for powers of 1024, if any. */
    static long number(String text) {
        int unit = text.isEmpty() ? -1 : UNITS.indexOf(Character.toUpperCase(text.charAt(text.length() - 1)));
        try {
            return unit < 0 ? Long.decode(text)
                    : Math.multiplyExact(Long.decode(text.substring(0, text.length() - 1)), 1L << 10 * (unit + 1));
        } catch (ArithmeticException | NumberFormatException e) {
            throw new IllegalArgumentException("not a number", e);
        }
    }

    /** By the largest unit that leaves no rest. */
    static String bytes(long value) {
        for (int unit = UNITS.length(); unit > 0; unit--) {
            if (value != 0 && value % (1L << 10 * unit) == 0) {
                return (value >> 10 * unit) + UNITS.substring(unit - 1, unit);
            }
        }
        return Long.toString(value);
    }

    /** At most {@link #LONGEST}. */
    static Duration duration(String text) {
        Duration value = anyDuration(text);
        if (value.isNegative()) {
            throw new IllegalArgumentException("must not be negative");
        }
        return value.compareTo(LONGEST) < 0 ? value : LONGEST;
    }

    private static Duration anyDuration(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.startsWith("p")) {
            return iso(text);
        }
        if (lower.endsWith("us")) {
            return Duration.of(number(lower.substring(0, lower.length() - 2)), ChronoUnit.MICROS);
        }
        if (lower.endsWith("ms")) {
            return Duration.ofMillis(number(lower.substring(0, lower.length() - 2)));
        }
        if (lower.endsWith("s")) {
            return Duration.ofSeconds(number(lower.substring(0, lower.length() - 1)));
        }
        return lower.endsWith("m") ? minutes(number(lower.substring(0, lower.length() - 1)))
                : Duration.ofMillis(number(lower));
    }

    private static Duration minutes(long number) {
        try {
            return Duration.ofMinutes(number);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("more than a time can be", e);
        }
    }

    /** By the largest unit that leaves no rest, up to seconds. */
    static String duration(Duration value) {
        int nanos = value.getNano();
        if (nanos == 0) {
            return value.toSeconds() + "s";
        }
        boolean isMillis = nanos % 1_000_000 == 0;
        boolean isShort = value.toSeconds() < Integer.MAX_VALUE && nanos % 1000 == 0;
        return isMillis ? value.toMillis() + "ms" : isShort ? value.toNanos() / 1000 + "us" : value.toString();
    }

    private static Duration iso(String text) {
        try {
            return Duration.parse(text);
        } catch (java.time.format.DateTimeParseException e) {
            throw new IllegalArgumentException("not a duration", e);
        }
    }
}
