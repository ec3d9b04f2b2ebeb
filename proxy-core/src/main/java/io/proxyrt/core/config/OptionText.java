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

    static Duration duration(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        Duration value;
        if (lower.startsWith("p")) {
            value = iso(text);
        } else if (lower.endsWith("us")) {
            value = Duration.of(number(lower.substring(0, lower.length() - 2)), ChronoUnit.MICROS);
        } else if (lower.endsWith("ms")) {
            value = Duration.ofMillis(number(lower.substring(0, lower.length() - 2)));
        } else if (lower.endsWith("s")) {
            value = Duration.ofSeconds(number(lower.substring(0, lower.length() - 1)));
        } else if (lower.endsWith("m")) {
            value = Duration.ofMinutes(number(lower.substring(0, lower.length() - 1)));
        } else {
            value = Duration.ofMillis(number(lower));
        }
        if (value.isNegative()) {
            throw new IllegalArgumentException("must not be negative");
        }
        return value;
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
