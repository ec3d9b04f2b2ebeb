/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.BenchException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A page in Markdown, of sections with a text, a plot and a table, and the files that belong to it. */
final class Page {
    private final String name;
    private final Map<String, String> plots;
    private final List<String> lines;

    /** A page with a head; plots are by file name. */
    Page(String name, List<String> head, Map<String, String> plots) {
        this.name = name;
        this.plots = plots;
        this.lines = new ArrayList<>(head);
    }

    /** Adds a section. Title and text may be empty, the plot null; one that was not drawn is left out. */
    void section(String title, String text, Table table, String plot) {
        if (!title.isEmpty()) {
            lines.add("");
            lines.add("## " + title);
        }
        if (!text.isEmpty()) {
            lines.add("");
            lines.addAll(text.strip().lines().toList());
        }
        if (plot != null && plots.containsKey(plot)) {
            lines.add("");
            lines.add("![" + title + "](" + plot + ")");
        }
        lines.add("");
        lines.addAll(table.lines());
    }

    List<String> lines() {
        return lines;
    }

    /** Writes the page, its plots, and all values. */
    void write(Path directory, List<String> csv) {
        try {
            for (Map.Entry<String, String> plot : plots.entrySet()) {
                Files.writeString(directory.resolve(plot.getKey()), plot.getValue());
            }
            Files.write(directory.resolve(name + ".csv"), csv);
            Files.write(directory.resolve(name + ".md"), lines);
        } catch (IOException e) {
            throw new BenchException("cannot write the report into " + directory + "; give another folder with --out",
                    e);
        }
    }
}
