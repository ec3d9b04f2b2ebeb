/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Stat;
import java.util.List;

/** Panels of horizontal bars, each with its name, its value, and a thin line from the least to the most. */
final class BarChart {
    private static final int LABEL = 160;
    private static final int BAR = 250;
    private static final int VALUE = 70;
    private static final int ROW = 20;
    private static final int TOP = 54;
    private static final int HEADING = 28;
    private static final int GAP = 20;
    private static final int MARGIN = 20;

    private final String title;
    private final String unit;
    private final int columns;
    private final List<Panel> panels;

    /** One contender's value. */
    record Bar(String name, Stat stat) {
    }

    /** Bars that share a scale, from 0 to the longest. */
    record Panel(String title, List<Bar> bars) {
        double longest() {
            return bars.stream().mapToDouble(bar -> bar.stat().max()).max().orElse(1);
        }
    }

    BarChart(String title, String unit, int columns, List<Panel> panels) {
        this.title = title;
        this.unit = unit;
        this.columns = columns;
        this.panels = panels;
    }

    String draw() {
        int rows = panels.stream().mapToInt(panel -> panel.bars().size()).max().orElse(0);
        int panelHeight = HEADING + rows * ROW + GAP;
        int panelRows = (panels.size() + columns - 1) / columns;
        int panelWidth = LABEL + BAR + VALUE + GAP;
        Svg svg = new Svg(2 * MARGIN + columns * panelWidth, TOP + panelRows * panelHeight, title + " (" + unit + ")");
        for (int i = 0; i < panels.size(); i++) {
            draw(svg, panels.get(i), MARGIN + i % columns * panelWidth, TOP + i / columns * panelHeight);
        }
        return svg.toString();
    }

    private static void draw(Svg svg, Panel panel, double left, double top) {
        svg.bold(left, top + 14, Svg.Anchor.START, 13, panel.title());
        double scale = BAR / panel.longest();
        double x = left + LABEL;
        double y = top + HEADING;
        svg.line(x, y - 2, x, y + panel.bars().size() * ROW, Svg.MUTED, 1);
        for (Bar bar : panel.bars()) {
            String color = Palette.bar(bar.name());
            Stat stat = bar.stat();
            double middle = y + ROW / 2.0 - 1;
            if (Palette.isOurs(bar.name())) {
                svg.bold(x - 8, middle + 4, Svg.Anchor.END, 12, bar.name());
            } else {
                svg.text(x - 8, middle + 4, Svg.Anchor.END, 12, Svg.INK, bar.name());
            }
            svg.rectangle(x, y + 2, stat.median() * scale, ROW - 6, color);
            svg.line(x + stat.min() * scale, middle, x + stat.max() * scale, middle, Svg.INK, 1.2);
            svg.text(x + stat.max() * scale + 6, middle + 4, Svg.Anchor.START, 12, Svg.INK,
                    Figures.format(stat.median()));
            y += ROW;
        }
    }
}
