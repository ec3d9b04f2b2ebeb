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
 * One setting: its property, RCCL's name for it, its default and its limits, which ranks have to have the same, and
 * when to touch it. Declared once, as a constant; immutable. {@code docs/configuration.md} is made of all of them.
 *
 * @param <T> the type of its values
 */
public final class Option<T> {
    private static final String PREFIX = "proxyrt.";

    private final String key;
    private final String alias;
    private final T defaultValue;
    private final Format<T> format;
    private final String description;
    private final boolean isSecret;
    private final Scope scope;
    private final String when;

    private Option(String key, String alias, T defaultValue, Format<T> format, String description) {
        this(PREFIX + key, alias, defaultValue, format, description, false, Scope.RANK, "");
    }

    private Option(String key, String alias, T defaultValue, Format<T> format, String description,
            boolean isSecret, Scope scope, String when) {
        this.key = key;
        this.alias = alias;
        this.defaultValue = defaultValue;
        this.format = format;
        this.description = description;
        this.isSecret = isSecret;
        this.scope = scope;
        this.when = when;
    }

    /** Which ranks have to have the same value. */
    public enum Scope {
        /** Each rank has its own. */
        RANK,
        /** All ranks of a host have the same. */
        HOST,
        /** All ranks of a job have the same. */
        JOB
    }

    /**
     * How values are written.
     *
     * @param reader of text; an {@link IllegalArgumentException} of it says what is wrong
     * @param writer of text that the reader takes
     * @param values which there are, for people
     */
    private record Format<T>(Function<String, T> reader, Function<T, String> writer, String values) {
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
        return new Option<>(key, alias, defaultValue, new Format<>(text -> {
            int value = (int) OptionText.number(text);
            if (value != OptionText.number(text) || value < min || value > max) {
                throw new IllegalArgumentException("must be in " + min + ".." + max);
            }
            return value;
        }, Object::toString, min + ".." + max), description);
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
        return new Option<>(key, alias, defaultValue, new Format<>(text -> {
            long value = OptionText.number(text);
            if (value < min || value > max) {
                throw new IllegalArgumentException("must be in " + min + ".." + max + " bytes");
            }
            return value;
        }, OptionText::bytes, "bytes, " + OptionText.bytes(min) + (max == Long.MAX_VALUE ? " or more"
                : ".." + OptionText.bytes(max))), description);
    }

    /**
     * A span of time: {@code 50us}, {@code 250ms}, {@code 10s}, {@code 2m}, or ISO-8601; a bare number is
     * milliseconds. More than 100 years of 365 days are taken for these, which fit in nanoseconds.
     *
     * @param key          property name behind {@code proxyrt.}
     * @param alias        environment name of RCCL or NCCL, or empty
     * @param defaultValue when nothing is set
     * @param description  one line for people
     * @return the option
     */
    public static Option<Duration> ofDuration(String key, String alias, Duration defaultValue, String description) {
        return new Option<>(key, alias, defaultValue,
                new Format<>(OptionText::duration, OptionText::duration, "time"), description);
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
        String values = String.join(", ", Arrays.stream(type.getEnumConstants()).map(Option::lower).toList());
        return new Option<>(key, alias, defaultValue, new Format<>(text -> {
            String name = text.toUpperCase(Locale.ROOT).replace('-', '_');
            return Arrays.stream(type.getEnumConstants()).filter(e -> e.name().equals(name)).findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("must be one of [" + values + "]"));
        }, Option::lower, values), description);
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
        return new Option<>(key, alias, defaultValue, new Format<>(text -> switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "1" -> true;
            case "false", "0" -> false;
            default -> throw new IllegalArgumentException("must be true or false, 1 or 0");
        }, value -> value ? "1" : "0", "0, 1"), description);
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
        return new Option<>(key, alias, defaultValue, text(), description);
    }

    /**
     * A value of a type that reads itself, and whose {@code toString()} gives what it reads.
     *
     * @param <T>          the type
     * @param key          property name behind {@code proxyrt.}
     * @param alias        environment name of RCCL or NCCL, or empty
     * @param defaultValue when nothing is set
     * @param reader       of text; an {@link IllegalArgumentException} of it says what is wrong
     * @param values       which there are, for people
     * @param description  one line for people
     * @return the option
     */
    public static <T> Option<T> of(String key, String alias, T defaultValue, Function<String, T> reader, String values,
            String description) {
        return new Option<>(key, alias, defaultValue, new Format<>(reader, Object::toString, values), description);
    }

    /**
     * Free text that is secret: it shows in no message and no listing.
     *
     * @param key         property name behind {@code proxyrt.}
     * @param description one line for people
     * @return the option, empty by default
     */
    public static Option<String> ofSecret(String key, String description) {
        return new Option<>(PREFIX + key, "", "", text(), description, true, Scope.RANK, "");
    }

    private static Format<String> text() {
        return new Format<>(Function.identity(), Function.identity(), "text");
    }

    /**
     * The same option, but for which ranks have to have the same value.
     *
     * @param whose {@link Scope#RANK} unless this is called
     * @return another option
     */
    public Option<T> scope(Scope whose) {
        return new Option<>(key, alias, defaultValue, format, description, isSecret, whose, when);
    }

    /**
     * The same option, with a word on when to touch it.
     *
     * @param reason one line for people, in which case another value than the default may be better
     * @return another option
     */
    public Option<T> when(String reason) {
        return new Option<>(key, alias, defaultValue, format, description, isSecret, scope, reason);
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
     * Which values there are.
     *
     * @return for people: a range, names, or what it is
     */
    public String values() {
        return format.values();
    }

    /**
     * Which ranks have to have the same value.
     *
     * @return which
     */
    public Scope scope() {
        return scope;
    }

    /**
     * When to touch it.
     *
     * @return one line; empty if it was declared without
     */
    public String when() {
        return when;
    }

    /**
     * Writes a value.
     *
     * @param value to be written
     * @return text from which {@link #parse} reads the same
     */
    public String text(T value) {
        return format.writer().apply(value);
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
            return format.reader().apply(text.strip());
        } catch (IllegalArgumentException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    key + " (from " + source + ") is '" + (isSecret ? "(secret)" : text) + "': " + e.getMessage(), e);
        }
    }

    @Override
    public String toString() {
        return key;
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
