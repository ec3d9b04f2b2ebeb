/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A table in Markdown. */
final class Table {
    private final List<String> lines = new ArrayList<>();
    private final int columns;

    Table(List<String> header) {
        this.columns = header.size();
        row(header);
        lines.add("|" + "---|".repeat(columns));
    }

    Table(String... header) {
        this(Arrays.asList(header));
    }

    void row(String... cells) {
        row(Arrays.asList(cells));
    }

    void row(List<String> cells) {
        if (cells.size() != columns) {
            throw new IllegalArgumentException(cells.size() + " cells in a row of " + columns);
        }
        lines.add("| " + String.join(" | ", cells.stream().map(cell -> cell.replace("|", "\\|")).toList()) + " |");
    }

    List<String> lines() {
        return lines;
    }
}
