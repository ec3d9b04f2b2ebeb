/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A table in Markdown, described by its rows and columns. Cells are figures or texts.
 *
 * @param <R> what a row is of
 */
public final class Table<R> {
    private final List<R> rows;
    private final List<String> headers = new ArrayList<>();
    private final List<Function<R, ?>> cells = new ArrayList<>();

    private Table(Collection<R> rows) {
        this.rows = List.copyOf(rows);
    }

    /**
     * A table with a first column.
     *
     * @param <R>    what a row is of
     * @param header of the first column
     * @param rows   in order
     * @param name   what the first column says of a row
     * @return to be given more columns
     */
    public static <R> Table<R> of(String header, Collection<R> rows, Function<R, String> name) {
        return new Table<>(rows).column(header, name);
    }

    /**
     * A table of rows that have little in common.
     *
     * @param headers of its columns
     * @param rows    with a cell for each
     * @return complete
     */
    public static Table<List<?>> ofRows(List<String> headers, Collection<List<?>> rows) {
        Table<List<?>> table = new Table<>(rows);
        for (int i = 0; i < headers.size(); i++) {
            int at = i;
            table.column(headers.get(i), row -> row.get(at));
        }
        return table;
    }

    /**
     * Adds a column.
     *
     * @param header of it
     * @param cell   a number, a statistic or a text
     * @return this
     */
    public Table<R> column(String header, Function<R, ?> cell) {
        headers.add(header);
        cells.add(cell);
        return this;
    }

    /**
     * Adds a column for each contender or scenario, ours in bold.
     *
     * @param names of them
     * @param cell  of a row and a name
     * @return this
     */
    public Table<R> columns(Collection<String> names, BiFunction<R, String, ?> cell) {
        names.forEach(name -> column(Names.bold(name), row -> cell.apply(row, name)));
        return this;
    }

    /**
     * Adds a column for each of several figures of one thing, which the first header names.
     *
     * @param what    they are of
     * @param figures such as percentiles
     * @param cell    of a row and a figure
     * @return this
     */
    public Table<R> figures(String what, List<String> figures, BiFunction<R, String, ?> cell) {
        figures.forEach(figure -> column(figure.equals(figures.getFirst()) ? what + ": " + figure : figure,
                row -> cell.apply(row, figure)));
        return this;
    }

    /** In Markdown; none without a row. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        if (!rows.isEmpty()) {
            lines.add(line(headers));
            lines.add("|" + "---|".repeat(headers.size()));
        }
        rows.forEach(row -> lines.add(line(cells.stream().map(cell -> Figures.text(cell.apply(row))).toList())));
        return lines;
    }

    private static String line(List<String> cells) {
        return "| " + String.join(" | ", cells.stream().map(cell -> cell.replace("|", "\\|")).toList()) + " |";
    }
}
