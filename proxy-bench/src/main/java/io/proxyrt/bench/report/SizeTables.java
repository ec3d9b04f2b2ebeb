/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.MessagePlan;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Stat;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Tables with a row for each size of a message and a column for each contender. */
abstract class SizeTables {
    static final double NS_PER_US = 1000;
    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB");

    final Results results;

    SizeTables(Results results) {
        this.results = results;
    }

    /** Sizes in bytes, the least first. */
    static List<String> bySize(List<String> sizes) {
        return sizes.stream().sorted(Comparator.comparingLong(Long::parseLong)).toList();
    }

    /** A size for people, exact if it is a power of two. */
    static String size(String bytes) {
        long number = Long.parseLong(bytes);
        int unit = 0;
        while (number >= 1024 && number % 1024 == 0 && unit < UNITS.size() - 1) {
            number /= 1024;
            unit++;
        }
        return number + " " + UNITS.get(unit);
    }

    static String[] header(String unit, List<String> contenders, List<String> more) {
        List<String> header = new ArrayList<>(List.of(unit));
        contenders.forEach(contender -> header.add(Palette.isOurs(contender) ? "**" + contender + "**" : contender));
        header.addAll(more);
        return header.toArray(String[]::new);
    }

    final List<String> row(String size, List<String> contenders, String experiment, String metric, double units) {
        List<String> row = new ArrayList<>(List.of(size(size)));
        contenders.forEach(contender ->
                row.add(Figures.format(stat(experiment, size, contender, metric).dividedBy(units))));
        return row;
    }

    /** Ours over a peer's; NaN if one is missing. */
    final double ratio(String experiment, String size, String metric, String peer) {
        return results.ratio(experiment, size, metric, MessagePlan.OURS, peer).median();
    }

    final Stat stat(String experiment, String size, String contender, String metric) {
        return results.stat(experiment, size, contender, metric);
    }
}
