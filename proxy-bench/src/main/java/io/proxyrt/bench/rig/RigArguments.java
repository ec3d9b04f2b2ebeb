/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.agent.thread.CpuLatency;
import io.proxyrt.core.config.ProxyConfig;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What a rig is told, as {@code key=value} words. */
final class RigArguments {
    private final Map<String, String> values = new HashMap<>();

    RigArguments(List<String> words) {
        for (String word : words) {
            int equals = word.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("expected key=value, not " + word);
            }
            values.put(word.substring(0, equals), word.substring(equals + 1));
        }
    }

    /** All of them, for another process. */
    List<String> words() {
        return words(values);
    }

    static List<String> words(Map<String, String> values) {
        return values.entrySet().stream().map(entry -> entry.getKey() + '=' + entry.getValue()).sorted().toList();
    }

    String text(String key) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("say " + key + "=...");
        }
        return value;
    }

    /** Options of the runtime, whose keys have a dot; the caller's. */
    Map<String, String> options() {
        Map<String, String> options = new TreeMap<>(values);
        options.keySet().removeIf(key -> key.indexOf('.') < 0);
        return options;
    }

    /** Of a runtime with these options, whatever the environment says. */
    static ProxyConfig.Builder config(Map<String, String> options) {
        return set(ProxyConfig.builder().environment(Map.of()), options);
    }

    static ProxyConfig.Builder set(ProxyConfig.Builder config, Map<String, String> options) {
        options.forEach(config::set);
        return config;
    }

    /** How fast CPUs are to wake while the rig measures, as the runtime's option says; null if as the system likes. */
    CpuLatency cpuLatency() {
        String us = values.get("cpu.latency");
        return us == null ? null : CpuLatency.limit(CpuLatency.DEVICE, Integer.parseInt(us));
    }

    boolean isTrue(String key) {
        return Boolean.parseBoolean(text(key));
    }

    int number(String key) {
        return Integer.parseInt(text(key));
    }

    /** Bytes of messages. */
    List<Long> sizes() {
        return Arrays.stream(text("sizes").split(",")).map(Long::valueOf).toList();
    }

    /** Bytes of the longest message. */
    long mostBytes() {
        return sizes().stream().mapToLong(Long::longValue).max().orElseThrow();
    }

    long nanos(String key) {
        return (long) (Double.parseDouble(text(key)) * 1e9);
    }

    Wait await() {
        return Wait.valueOf(text("wait").toUpperCase(Locale.ROOT));
    }
}
