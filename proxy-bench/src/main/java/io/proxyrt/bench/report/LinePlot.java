/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Experiment;
import java.awt.BasicStroke;
import java.awt.Color;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A line for each contender over the cells of an experiment, with a logarithmic scale of values. */
public final class LinePlot implements Plot {
    private static final int WIDTH = 840;
    private static final int HEIGHT = 460;
    private static final float BOLD = 3;
    private static final float THIN = 1.6f;

    private final XYChart chart;
    private final Axis axis;
    private final List<String> cells;
    private int ours;
    private int others;
    private boolean hasC;

    /** Where a cell stands on the horizontal axis. */
    public enum Axis {
        /** By the twos that a size has. */
        BYTES("bytes of a message", Axis::twos, place -> Sizes.format(Long.toString(1L << (int) place))),
        /** By the nines that a percentile has. */
        PERCENTILES("percentile", cell -> -Math.log10(1 - Double.parseDouble(cell) / 100),
                place -> String.format(Locale.ROOT, "%." + Math.max(0, (int) place - 2) + "f",
                        100 * (1 - Math.pow(10, -place)))),
        /** By the twos that a number of ops has. */
        OPS("active ops", Axis::twos, place -> Long.toString(1L << (int) place));

        private final String title;
        private final ToDoubleFunction<String> place;
        private final DoubleFunction<String> label;

        Axis(String title, ToDoubleFunction<String> place, DoubleFunction<String> label) {
            this.title = title;
            this.place = place;
            this.label = label;
        }

        private static double twos(String cell) {
            return Math.log(Double.parseDouble(cell)) / Math.log(2);
        }

        private String label(double place) {
            return place == Math.rint(place) ? label.apply(place) : "";
        }
    }

    /**
     * An empty plot.
     *
     * @param title of it
     * @param unit  of the values
     * @param axis  of the cells
     * @param cells in order; fewer than two make no line
     */
    public LinePlot(String title, String unit, Axis axis, List<String> cells) {
        this.axis = axis;
        this.cells = cells;
        this.chart = new XYChartBuilder().title(title).xAxisTitle(axis.title).yAxisTitle(unit).build();
        XYStyler style = chart.getStyler();
        Canvas.style(style);
        style.setYAxisLogarithmic(true).setYAxisLogarithmicDecadeOnly(true)
                .setYAxisTickLabelsFormattingFunction(Figures::format)
                .setXAxisTickLabelsFormattingFunction(axis::label);
    }

    /**
     * A line for each contender by the size of a message.
     *
     * @param title      of the plot
     * @param unit       of the values
     * @param experiment by size
     * @param contenders in order
     * @param value      of a size and a contender
     * @return complete
     */
    public static LinePlot bySize(String title, String unit, Experiment experiment, List<String> contenders,
            BiFunction<String, String, Double> value) {
        LinePlot plot = new LinePlot(title, unit, Axis.BYTES, Sizes.sorted(experiment.scenarios()));
        contenders.forEach(contender -> plot.line(contender, size -> value.apply(size, contender)));
        return plot;
    }

    /**
     * Adds a line, if it has a point. Colours follow from the name: ours are blue, the first in C is red.
     *
     * @param contender whose it is
     * @param value     of a cell; no point if it is not positive
     * @return this
     */
    public LinePlot line(String contender, Function<String, Double> value) {
        XYSeries line = add(contender, value);
        if (line == null) {
            return this;
        }
        boolean isOurs = Names.isOurs(contender);
        boolean isC = !isOurs && !hasC && Names.isInC(contender);
        Color color = isOurs ? Canvas.SHADES.get(ours++ % Canvas.SHADES.size())
                : isC ? Canvas.C : Canvas.TOLD_APART.get(others++ % Canvas.TOLD_APART.size());
        hasC |= isC;
        line.setLineWidth(isOurs ? BOLD : THIN).setLineColor(color);
        line.setMarkerColor(color).setMarker(SeriesMarkers.CIRCLE);
        return this;
    }

    /**
     * Adds a dashed line to hold others against.
     *
     * @param name  of it
     * @param value of a cell
     * @return this
     */
    public LinePlot reference(String name, Function<String, Double> value) {
        XYSeries line = add(name, value);
        if (line != null) {
            line.setLineStyle(new BasicStroke(THIN, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1,
                    new float[] {6, 4}, 0)).setLineColor(Canvas.OTHER);
            line.setMarker(SeriesMarkers.NONE);
        }
        return this;
    }

    private XYSeries add(String name, Function<String, Double> value) {
        List<String> measured = cells.stream().filter(cell -> value.apply(cell) > 0).toList();
        return measured.isEmpty() ? null : chart.addSeries(name,
                measured.stream().map(axis.place::applyAsDouble).toList(), measured.stream().map(value).toList());
    }

    @Override
    public boolean isEmpty() {
        return cells.size() < 2 || chart.getSeriesCollection().isEmpty();
    }

    @Override
    public String draw() {
        Canvas canvas = new Canvas(chart.getTitle(), WIDTH, HEIGHT);
        canvas.draw(chart::paint, 0, 0, WIDTH, HEIGHT);
        return canvas.svg();
    }
}
