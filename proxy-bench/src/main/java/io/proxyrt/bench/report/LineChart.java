/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Lines over a scale of the caller's, with a logarithmic scale of values and the legend beside the plot. */
final class LineChart {
    private static final int WIDTH = 560;
    private static final int HEIGHT = 340;
    private static final int LEFT = 90;
    private static final int TOP = 60;
    private static final int BOTTOM = 60;
    private static final int LEGEND = 190;
    private static final int LEGEND_ROW = 20;

    private final String title;
    private final String xLabel;
    private final String yLabel;
    private final List<Tick> ticks;
    private final List<Series> series = new ArrayList<>();
    private double low = Double.MAX_VALUE;
    private double high = Double.MIN_VALUE;

    /** A place on the horizontal axis, in the caller's scale. */
    record Tick(double at, String label) {
    }

    /** A line. Points with values that are no positive numbers are left out. */
    record Series(String name, String color, boolean isBold, boolean isDashed, List<Point> points) {
    }

    /** A value at a place. */
    record Point(double at, double value) {
    }

    LineChart(String title, String xLabel, String yLabel, List<Tick> ticks) {
        this.title = title;
        this.xLabel = xLabel;
        this.yLabel = yLabel;
        this.ticks = ticks;
    }

    void add(Series line) {
        List<Point> points = line.points().stream().filter(point -> point.value() > 0).toList();
        if (!points.isEmpty()) {
            series.add(new Series(line.name(), line.color(), line.isBold(), line.isDashed(), points));
            points.forEach(point -> {
                low = Math.min(low, point.value());
                high = Math.max(high, point.value());
            });
        }
    }

    boolean isEmpty() {
        return series.isEmpty();
    }

    String draw() {
        low = Math.pow(10, Math.floor(Math.log10(low)));
        high = Math.max(low * 10, Math.pow(10, Math.ceil(Math.log10(high))));
        Svg svg = new Svg(LEFT + WIDTH + LEGEND, TOP + HEIGHT + BOTTOM, title);
        drawScales(svg);
        series.stream().sorted(Comparator.comparing(Series::isBold)).forEach(line -> draw(svg, line));
        for (int i = 0; i < series.size(); i++) {
            drawLegend(svg, series.get(i), TOP + 10 + i * LEGEND_ROW);
        }
        return svg.toString();
    }

    private void drawScales(Svg svg) {
        for (double decade = low; decade <= high * 1.001; decade *= 10) {
            svg.line(LEFT, y(decade), LEFT + WIDTH, y(decade), Svg.PALE, 1);
            svg.text(LEFT - 8, y(decade) + 4, Svg.Anchor.END, 12, Svg.INK, Figures.format(decade));
        }
        for (Tick tick : ticks) {
            svg.line(x(tick.at()), TOP, x(tick.at()), TOP + HEIGHT, Svg.PALE, 1);
            svg.text(x(tick.at()), TOP + HEIGHT + 18, Svg.Anchor.MIDDLE, 12, Svg.INK, tick.label());
        }
        svg.line(LEFT, TOP + HEIGHT, LEFT + WIDTH, TOP + HEIGHT, Svg.MUTED, 1);
        svg.line(LEFT, TOP, LEFT, TOP + HEIGHT, Svg.MUTED, 1);
        svg.text(LEFT + WIDTH / 2.0, TOP + HEIGHT + 42, Svg.Anchor.MIDDLE, 13, Svg.MUTED, xLabel);
        svg.upwards(24, TOP + HEIGHT / 2.0, 13, yLabel);
    }

    private void draw(Svg svg, Series line) {
        double[] points = new double[2 * line.points().size()];
        for (int i = 0; i < line.points().size(); i++) {
            Point point = line.points().get(i);
            points[2 * i] = x(point.at());
            points[2 * i + 1] = y(point.value());
        }
        svg.polyline(points, line.color(), line.isBold() ? 3 : 1.6, line.isDashed());
        for (int i = 0; i < points.length && !line.isDashed(); i += 2) {
            svg.dot(points[i], points[i + 1], line.isBold() ? 4 : 2.2, line.color());
        }
    }

    private static void drawLegend(Svg svg, Series line, double y) {
        double left = LEFT + WIDTH + 20.0;
        svg.polyline(new double[] {left, y, left + 26, y}, line.color(), line.isBold() ? 3 : 1.6, line.isDashed());
        if (line.isBold()) {
            svg.bold(left + 34, y + 4, Svg.Anchor.START, 12, line.name());
        } else {
            svg.text(left + 34, y + 4, Svg.Anchor.START, 12, Svg.INK, line.name());
        }
    }

    private double x(double at) {
        double first = ticks.getFirst().at();
        return LEFT + WIDTH * (at - first) / (ticks.getLast().at() - first);
    }

    private double y(double value) {
        return TOP + HEIGHT * (1 - Math.log10(value / low) / Math.log10(high / low));
    }
}
