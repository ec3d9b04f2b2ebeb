/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import io.proxyrt.bench.process.BenchException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rows of the table that {@code proxyrt perf} prints, as lines of values. */
final class PerfLines {
    /** Size, count, type, reduction, root; then time, algbw, busbw and #wrong, out of place and in place. */
    private static final Pattern ROW = Pattern.compile("\\s*(\\d+)\\s+\\d+\\s+\\S+\\s+\\S+\\s+-?\\d+"
            + "\\s+(\\S+)\\s+\\S+\\s+\\S+\\s+0\\s+(\\S+)\\s+\\S+\\s+\\S+\\s+0\\s*");

    private PerfLines() {
    }

    /**
     * Takes the table apart.
     *
     * @throws BenchException if there is no row without wrong elements
     */
    static List<String> values(List<String> printed) {
        List<String> values = new ArrayList<>();
        for (String line : printed) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                values.add("R\t" + row.group(1) + "\tout_us\t" + row.group(2));
                values.add("R\t" + row.group(1) + "\tin_us\t" + row.group(3));
            }
        }
        if (values.isEmpty()) {
            throw new BenchException("proxyrt perf printed no row: " + String.join(System.lineSeparator(), printed));
        }
        return values;
    }
}
