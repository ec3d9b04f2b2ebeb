/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.collectives.Algorithm;
import io.proxyrt.collectives.TuningProfile;
import io.proxyrt.collectives.TuningTable;
import io.proxyrt.core.ProxyException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What came of it: a line for each function, and the file. */
public final class TuneReport {
    private static final String ROW = "%-9s  %-14s  %5s  %s";

    private static final double NOISE = 0.1;
    private static final double PERCENT = 100;

    private final PrintStream out;

    /**
     * Prints.
     *
     * @param out where to
     */
    public TuneReport(PrintStream out) {
        this.out = out;
    }

    /** What the columns are. */
    public void title() {
        print(ROW, "transport", "function", "ranks", "algorithm up to bytes of a call, of a part where there are any");
    }

    /** How much times differ from round to round, if that is much, of a time. */
    void noise(double noise) {
        if (noise > NOISE) {
            print("# times differ by %.0f %% from round to round, on a busy machine: what wins little is left out",
                    noise * PERCENT);
        }
    }

    /** Puts tables into a file, beside those of this machine that it has, and prints them. */
    void keep(List<TuningTable> tables, Path file) {
        read(file).with(tables).write(file);
        tables.forEach(table -> print(ROW, table.transport(), table.function().name().toLowerCase(Locale.ROOT),
                table.ranks(), table.ranges().stream().map(TuneReport::text).collect(Collectors.joining(", "))));
    }

    private TuningProfile read(Path file) {
        String here = TuningProfile.thisMachine();
        TuningProfile empty = new TuningProfile(here, List.of());
        if (!Files.exists(file)) {
            return empty;
        }
        try {
            TuningProfile before = TuningProfile.read(file);
            if (before.machine().equals(here)) {
                return before;
            }
            print("# %s was of another machine, %s, and is replaced", file, before.machine());
        } catch (ProxyException e) {
            print("# what was there is replaced: %s", e.getMessage());
        }
        return empty;
    }

    private static String text(TuningTable.Range range) {
        return label(range.algorithm()) + (range.upToBytes() == Long.MAX_VALUE ? "" : " " + range.upToBytes());
    }

    private static String label(Algorithm algorithm) {
        return algorithm.name().toLowerCase(Locale.ROOT);
    }

    private void print(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
        out.flush();
    }
}
