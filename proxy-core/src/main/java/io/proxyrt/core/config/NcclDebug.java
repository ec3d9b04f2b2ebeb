/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

import io.proxyrt.core.Subsystem;
import io.proxyrt.core.platform.HostName;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What {@code NCCL_DEBUG}, {@code NCCL_DEBUG_SUBSYS} and {@code NCCL_DEBUG_FILE} ask for, as levels of loggers. SLF4J
 * cannot set levels, so the program that brings its backend applies them there: for every entry of {@link #levels()},
 * set that logger to that level, before a runtime is made. Nothing here is applied by itself. Immutable.
 *
 * @param levels   by logger name, for {@link Subsystem#ROOT} and every {@link Subsystem}; empty if {@code NCCL_DEBUG}
 *                 is not set
 * @param file     where to log to, with {@code %h} and {@code %p} replaced by host and process; empty: where the
 *                 backend does
 * @param warnings what was not understood and is passed over, as sentences for people
 */
public record NcclDebug(Map<String, Level> levels, String file, List<String> warnings) {
    /** Logs the version of the runtime, which NCCL tells at WARN and even at VERSION. */
    public static final String VERSION_PART = "version";

    private static final Set<Subsystem> DEFAULT = EnumSet.of(Subsystem.INIT, Subsystem.BOOTSTRAP, Subsystem.ENV);
    private static final String ALL = "ALL";
    private static final Pattern PLACEHOLDER = Pattern.compile("%[%hp]");

    /** How much a logger tells, by the names of Logback, Log4j and slf4j-simple. */
    public enum Level {
        /** Nothing. */
        OFF,
        /** What ended a job, and bugs. */
        ERROR,
        /** And what is not as it should be. */
        WARN,
        /** And what there is and is used. */
        INFO,
        /** And everything else. */
        TRACE
    }

    /** NCCL's levels, in its order: those of the subsystems that are chosen, and of the others. */
    private enum Asked {
        NONE(Level.OFF, Level.OFF),
        ERROR(Level.ERROR, Level.ERROR),
        VERSION(Level.ERROR, Level.ERROR),
        WARN(Level.WARN, Level.WARN),
        INFO(Level.INFO, Level.WARN),
        ABORT(Level.INFO, Level.WARN),
        TRACE(Level.TRACE, Level.WARN);

        private final Level chosen;
        private final Level other;

        Asked(Level chosen, Level other) {
            this.chosen = chosen;
            this.other = other;
        }
    }

    /** Copies what is mutable. */
    public NcclDebug {
        levels = Collections.unmodifiableMap(new LinkedHashMap<>(levels));
        warnings = List.copyOf(warnings);
    }

    /**
     * Reads {@link CoreOptions#DEBUG}, {@link CoreOptions#DEBUG_SUBSYS} and {@link CoreOptions#DEBUG_FILE}. Throws
     * nothing for their values.
     *
     * @param config such as that of the environment, {@code ProxyConfig.builder().build()}
     * @return what they ask for
     */
    public static NcclDebug of(ProxyConfig config) {
        String text = config.get(CoreOptions.DEBUG);
        if (text.isEmpty()) {
            return new NcclDebug(Map.of(), "", List.of());
        }
        Asked asked = find(Asked.values(), text);
        if (asked == null) {
            return new NcclDebug(Map.of(), "", List.of(unknown(CoreOptions.DEBUG, text, Asked.values())));
        }
        List<String> warnings = new ArrayList<>();
        Map<String, Level> levels = levels(asked, subsystems(config.get(CoreOptions.DEBUG_SUBSYS), warnings));
        String file = asked.compareTo(Asked.VERSION) > 0 ? config.get(CoreOptions.DEBUG_FILE) : "";
        return new NcclDebug(levels, PLACEHOLDER.matcher(file).replaceAll(NcclDebug::replacement), warnings);
    }

    private static Map<String, Level> levels(Asked asked, Set<Subsystem> chosen) {
        Map<String, Level> levels = new LinkedHashMap<>();
        levels.put(Subsystem.ROOT, asked.other);
        for (Subsystem subsystem : Subsystem.values()) {
            levels.put(subsystem.loggerName(), chosen.contains(subsystem) ? asked.chosen : asked.other);
        }
        levels.put(Subsystem.INIT.loggerName() + "." + VERSION_PART,
                asked.compareTo(Asked.VERSION) < 0 ? asked.other : Level.INFO);
        return levels;
    }

    /** A list of names; or all but those that follow a {@code ^}. */
    private static Set<Subsystem> subsystems(String text, List<String> warnings) {
        if (text.isEmpty()) {
            return DEFAULT;
        }
        boolean isInverted = text.startsWith("^");
        EnumSet<Subsystem> named = EnumSet.noneOf(Subsystem.class);
        for (String name : text.substring(isInverted ? 1 : 0).split(",")) {
            Subsystem subsystem = find(Subsystem.values(), name);
            if (subsystem != null) {
                named.add(subsystem);
            } else if (name.strip().equalsIgnoreCase(ALL)) {
                named.addAll(EnumSet.allOf(Subsystem.class));
            } else if (!name.isBlank()) {
                warnings.add(unknown(CoreOptions.DEBUG_SUBSYS, name, Subsystem.values()) + ", " + ALL);
            }
        }
        return isInverted ? EnumSet.complementOf(named) : named;
    }

    private static <E extends Enum<E>> E find(E[] values, String name) {
        return Arrays.stream(values).filter(value -> value.name().equalsIgnoreCase(name.strip())).findFirst()
                .orElse(null);
    }

    private static String unknown(Option<?> option, String text, Enum<?>... known) {
        return option.alias() + " has '" + text + "', which is passed over: there are "
                + Arrays.stream(known).map(Enum::name).collect(Collectors.joining(", "));
    }

    private static String replacement(MatchResult placeholder) {
        return Matcher.quoteReplacement(switch (placeholder.group().charAt(1)) {
            case 'h' -> HostName.get();
            case 'p' -> Long.toString(ProcessHandle.current().pid());
            default -> "%";
        });
    }
}
