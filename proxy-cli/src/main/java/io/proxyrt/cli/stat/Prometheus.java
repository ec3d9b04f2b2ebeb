/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import io.proxyrt.cli.stat.RuntimeView.Health;
import io.proxyrt.core.counters.ConnectionTraffic;
import io.proxyrt.core.counters.Counter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Runtimes in the text format of Prometheus, such as a collector of text files takes: a family for each counter, its
 * samples by job, rank and process.
 */
final class Prometheus {
    private static final String PREFIX = "proxyrt_";
    private static final double MILLIS = 1000;

    private final Map<String, List<String>> families = new LinkedHashMap<>();

    private Prometheus() {
    }

    /** The text; empty if there are no runtimes. */
    static String text(List<RuntimeView> views) {
        Prometheus metrics = new Prometheus();
        views.forEach(metrics::add);
        StringBuilder text = new StringBuilder();
        metrics.families.values().forEach(lines -> lines.forEach(line -> text.append(line).append('\n')));
        return text.toString();
    }

    private void add(RuntimeView view) {
        String labels = "job=\"" + escaped(view.job()) + "\",rank=\"" + view.rank() + "\",pid=\"" + view.pid() + '"';
        gauge("up", "1 if the progress agent was at work in the last seconds, else 0", labels,
                view.health().state() == Health.State.RUNNING ? 1 : 0);
        if (view.health().ageMs() >= 0) {
            gauge("heartbeat_age_seconds", "since the progress agent was last known to be at work", labels,
                    view.health().ageMs() / MILLIS);
        }
        gauge("ranks", "of the job", labels, view.nRanks());
        view.counters().forEach((label, value) -> add(label, value, labels));
        connections("ops", "that ended on the connection", view, labels, ConnectionTraffic::ops);
        connections("bytes", "that ops of the connection have moved", view, labels, ConnectionTraffic::bytes);
        connections("steps", "that ops of the connection have done", view, labels, ConnectionTraffic::steps);
    }

    private void add(String label, RuntimeView.Value value, String labels) {
        String name = label.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_");
        if (value.kind() == Counter.Kind.TOTAL) {
            sample(name + "_total", "counter", label, labels, value.value());
        } else {
            gauge(name, label, labels, value.value());
        }
    }

    private void connections(String what, String help, RuntimeView view, String labels,
            ToLongFunction<ConnectionTraffic> amount) {
        for (ConnectionTraffic traffic : view.traffic()) {
            sample("connection_" + what + "_total", "counter", what + ' ' + help, labels + ",transport=\""
                    + escaped(traffic.transport()) + "\",peer=\"" + traffic.peer() + "\",direction=\""
                    + traffic.direction().name().toLowerCase(Locale.ROOT) + "\",connection=\""
                    + Long.toHexString(traffic.connection()) + '"', amount.applyAsLong(traffic));
        }
    }

    private void gauge(String name, String help, String labels, double value) {
        sample(name, "gauge", help, labels, value);
    }

    private void sample(String name, String type, String help, String labels, double value) {
        List<String> lines = families.computeIfAbsent(name, any -> new ArrayList<>(List.of(
                "# HELP " + PREFIX + name + ' ' + escaped(help), "# TYPE " + PREFIX + name + ' ' + type)));
        String number = Math.rint(value) == value ? Long.toString((long) value) : Double.toString(value);
        lines.add(PREFIX + name + '{' + labels + "} " + number);
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
