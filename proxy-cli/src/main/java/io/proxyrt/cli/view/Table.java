/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.view;

import java.io.PrintWriter;
import java.util.List;

/**
 * Lays out rows of a label, aligned left, and cells of equal width, aligned right. A cell that is wider moves the rest;
 * colours take no room.
 *
 * @param labelWidth of the labels
 * @param cellWidth  of the cells, the space between them included
 */
public record Table(int labelWidth, int cellWidth) {
    private static final Table LINES = new Table(22, 0);

    /**
     * One row.
     *
     * @param label of the row
     * @param cells of the row
     * @return without an end of line
     */
    public String row(String label, List<String> cells) {
        StringBuilder row = new StringBuilder(label).append(" ".repeat(Math.max(0, labelWidth - Palette.width(label))));
        for (String cell : cells) {
            row.append(" ".repeat(Math.max(1, cellWidth - Palette.width(cell)))).append(cell);
        }
        return row.toString();
    }

    /**
     * Prints a name, and beside it what there is to say.
     *
     * @param out  where to print
     * @param name what it is about
     * @param text for people
     */
    public static void line(PrintWriter out, String name, String text) {
        out.println(LINES.row(name, List.of(text)));
    }
}
