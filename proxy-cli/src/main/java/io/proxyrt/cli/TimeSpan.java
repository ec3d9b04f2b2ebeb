/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a time: a whole number with ms, s, m, h or d. */
final class TimeSpan implements ITypeConverter<Duration> {
    /** Fits in nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

    @Override
    public Duration convert(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new TypeConversionException("'" + text + "' is not a time: a whole number with ms, s, m, h or d, "
                    + "such as 10s or 8h");
        }
        long number = Long.parseLong(form.group(1));
        Duration time = switch (form.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
        if (time.compareTo(LONGEST) > 0) {
            throw new TypeConversionException("'" + text + "' is too long a time: at most " + LONGEST.toDays() + "d");
        }
        return time;
    }
}
