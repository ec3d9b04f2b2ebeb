/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;

/**
 * One setting: its property, RCCL's name for it, its default and its limits. Declared once, as a constant; immutable.
 *
 * @param <T> the type of its values
 */
public final class Option<T> {
    private static final String PREFIX = "proxyrt.";

    private final String key;
    private final String alias;
    private final T defaultValue;
    private final Function<String, T> parser;
    private final String description;
    private final boolean isSecret;

    private Option(String key, String alias, T defaultValue, Function<String, T> parser, String description) {
        this(key, alias, defaultValue, parser, description, false);
    }

    private Option(String key, String alias, T defaultValue, Function<String, T> parser, String description,
            boolean isSecret) {
        this.key = PREFIX + key;
        this.alias = alias;
        this.defaultValue = defaultValue;
        this.parser = parser;
        this.description = description;
        this.isSecret = isSecret;
    }

    /**
     * A whole number within limits.
     *
     * @param key          property name behind {@code proxyrt.}
     * @param alias        environment name of RCCL or NCCL, or empty
     * @param defaultValue when nothing is set
     * @param min          least value allowed
     * @param max          greatest value allowed
     * @param description  one line for people, with the unit
     * @return the option
     */
    public static Option<Integer> ofInt(
            String key, String alias, int defaultValue, int min, int max, String description) {
        return new Option<>(key, alias, defaultValue, text -> {
            int value = (int) number(text);
            if (value != number(text) || value < min || value > max) {
                throw new IllegalArgumentException("must be in " + min + ".." + max);
            }
            return value;
        }, description);
    }

    /**
     * A number of bytes; K, M and G stand for powers of 1024.
     *
     * @param key          property name behind {@code proxyrt.}
     * @param alias        environment name of RCCL or NCCL, or empty
     * @param defaultValue when nothing is set
     * @param min          least value allowed
     * @param max          greatest value allowed
     * @param description  one line for people
     * @return the option
     */
    public static Option<Long> ofBytes(
            String key, String alias, long defaultValue, long min, long max, String description) {
        return new Option<>(key, alias, defaultValue, text -> {
            long value = number(text);
            if (value < min || value > max) {
                throw new IllegalArgumentException("must be in " + min + ".." + max + " bytes");
            }
            return value;
        }, description);
    }

    /**
     * A span of time: {@code 250ms}, {@code 10s}, {@code 2m}, or ISO-8601; a bare number is milliseconds.
     *
     * @param key          property name behind {@code proxyrt.}
     * @param alias        environment name of RCCL or NCCL, or empty
     * @param defaultValue when nothing is set
     * @param description  one line for people
     * @return the option
     */
    public static Option<Duration> ofDuration(String key, String alias, Duration defaultValue, String description) {
        return new Option<>(key, alias, defaultValue, Option::duration, description);
    }

    /**
     * One of a few names; case does not matter, and {@code -} stands for {@code _}.
     *
     * @param <E>          the enum
     * @param key          property name behind {@code proxyrt.}
     * @param alias        environment name of RCCL or NCCL, or empty
     * @param defaultValue when nothing is set
     * @param description  one line for people
     * @return the option
     */
    public static <E extends Enum<E>> Option<E> ofEnum(String key, String alias, E defaultValue, String description) {
        Class<E> type = defaultValue.getDeclaringClass();
        return new Option<>(key, alias, defaultValue, text -> {
            String name = text.toUpperCase(Locale.ROOT).replace('-', '_');
            return Arrays.stream(type.getEnumConstants()).filter(e -> e.name().equals(name)).findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "must be one of " + Arrays.toString(type.getEnumConstants()).toLowerCase(Locale.ROOT)));
        }, description);
    }

    /**
     * Yes or no: {@code true} or {@code 1}, {@code false} or {@code 0}.
     *
     * @param key          property name behind {@code proxyrt.}
     * @param alias        environment name of RCCL or NCCL, or empty
     * @param defaultValue when nothing is set
     * @param description  one line for people
     * @return the option
     */
    public static Option<Boolean> ofBoolean(String key, String alias, boolean defaultValue, String description) {
        return new Option<>(key, alias, defaultValue, text -> switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "1" -> true;
            case "false", "0" -> false;
            default -> throw new IllegalArgumentException("must be true or false, 1 or 0");
        }, description);
    }

    /**
     * Free text.
     *
     * @param key          property name behind {@code proxyrt.}
     * @param alias        environment name of RCCL or NCCL, or empty
     * @param defaultValue when nothing is set
     * @param description  one line for people
     * @return the option
     */
    public static Option<String> ofString(String key, String alias, String defaultValue, String description) {
        return new Option<>(key, alias, defaultValue, Function.identity(), description);
    }

    /**
     * Free text that is secret: it shows in no message and no listing.
     *
     * @param key         property name behind {@code proxyrt.}
     * @param description one line for people
     * @return the option, empty by default
     */
    public static Option<String> ofSecret(String key, String description) {
        return new Option<>(key, "", "", Function.identity(), description, true);
    }

    /**
     * The property's name.
     *
     * @return with its prefix
     */
    public String key() {
        return key;
    }

    /**
     * RCCL's or NCCL's environment name.
     *
     * @return empty if they have none
     */
    public String alias() {
        return alias;
    }

    /**
     * The environment name that follows from the key.
     *
     * @return such as {@code PROXYRT_THREADING}
     */
    public String environmentName() {
        return key.toUpperCase(Locale.ROOT).replace('.', '_');
    }

    /**
     * The value when nothing is set.
     *
     * @return never null
     */
    public T defaultValue() {
        return defaultValue;
    }

    /**
     * Whether its value must not be shown.
     *
     * @return true for {@link #ofSecret}
     */
    public boolean isSecret() {
        return isSecret;
    }

    /**
     * What it is for.
     *
     * @return one line
     */
    public String description() {
        return description;
    }

    /**
     * Reads a value.
     *
     * @param text   as a user wrote it
     * @param source where, for the message
     * @return the value
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} with the reason
     */
    public T parse(String text, String source) {
        try {
            return parser.apply(text.strip());
        } catch (IllegalArgumentException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    key + " (from " + source + ") is '" + (isSecret ? "(secret)" : text) + "': " + e.getMessage(), e);
        }
    }

    @Override
    public String toString() {
        return key;
    }

    private static long number(String text) {
        int unit = text.isEmpty() ? -1 : "KMG".indexOf(Character.toUpperCase(text.charAt(text.length() - 1)));
        try {
            return unit < 0 ? Long.decode(text)
                    : Math.multiplyExact(Long.decode(text.substring(0, text.length() - 1)), 1L << 10 * (unit + 1));
        } catch (ArithmeticException | NumberFormatException e) {
            throw new IllegalArgumentException("not a number", e);
        }
    }

    private static Duration duration(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        Duration value;
        if (lower.startsWith("p")) {
            value = iso(text);
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

    private static Duration iso(String text) {
        try {
            return Duration.parse(text);
        } catch (java.time.format.DateTimeParseException e) {
            throw new IllegalArgumentException("not a duration", e);
        }
    }
}
