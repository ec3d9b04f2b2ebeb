/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Noise;
import io.proxyrt.bench.run.Stat;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What else went on while the figures were taken, and what to make of it. */
record Disturbance(List<Noise> noise) {
    private static final String DISTURBED = """
            **The machine was not left alone:** other programs took up to %s %% of a CPU, in %d of %d groups more than
            %d %%. Times of those groups, above all percentiles beyond the median, are theirs as much as the contenders'
            own.
            """;
    private static final int QUIET_PERCENT = 10;

    /** What to make of the figures if the machine was not left alone; else empty. */
    String warning() {
        long disturbed = noise.stream().filter(n -> n.others() > QUIET_PERCENT).count();
        double most = noise.stream().mapToDouble(Noise::others).filter(v -> !Double.isNaN(v)).max().orElse(0);
        return disturbed == 0 ? ""
                : DISTURBED.formatted(Figures.format(most), disturbed, noise.size(), QUIET_PERCENT);
    }

    Table<String> table() {
        return Table.of("group", noise.stream().map(Noise::group).distinct().toList(), group -> group)
                .column("cache line to the other CPU and back, ns: before", group -> over(group, Noise::c2cBefore))
                .column("after", group -> over(group, Noise::c2cAfter))
                .column("CPUs in each round", this::placements)
                .column("CPU of other programs, % of one CPU", group -> over(group, Noise::others));
    }

    /** How the CPUs lay while figures were measured; one word if it was the same all the time. */
    static String placement(List<Noise> noise) {
        return noise.isEmpty() ? "" : "CPUs: " + words(noise) + "; a cache line went there and back in "
                + Figures.text(exchange(noise)) + " ns.";
    }

    /** What a cache line took to the other CPU and back, before groups and after them, in nanoseconds. */
    static Stat exchange(List<Noise> noise) {
        return Stat.of(noise.stream().flatMap(n -> Stream.of(n.c2cBefore(), n.c2cAfter())).filter(ns -> !ns.isNaN())
                .toList());
    }

    static String words(List<Noise> noise) {
        return String.join(", then ", noise.stream().map(n -> n.placement().name()).distinct().toList());
    }

    private String placements(String group) {
        return noise.stream().filter(n -> n.group().equals(group))
                .map(n -> n.placement().name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(", "));
    }

    private Stat over(String group, ToDoubleFunction<Noise> value) {
        return Stat.of(noise.stream().filter(n -> n.group().equals(group)).map(value::applyAsDouble)
                .filter(v -> !v.isNaN()).toList());
    }
}
