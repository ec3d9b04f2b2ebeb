/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Stat;
import java.awt.Color;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.style.CategoryStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Panels of bars, the best first, each bar with its value and a whisker to the least and the most. */
public final class BarPlot implements Plot {
    private static final int COLUMNS = 2;
    private static final int WIDTH = 560;
    private static final int HEIGHT = 330;

    private final String title;
    private final String unit;
    private final boolean isLessBetter;
    private final List<Panel> panels = new ArrayList<>();

    private record Bar(String name, Stat stat) {
    }

    private record Panel(String title, List<Bar> bars) {
        List<String> names() {
            return bars.stream().map(Bar::name).toList();
        }

        List<Double> of(Function<Bar, Double> value) {
            return bars.stream().map(value).toList();
        }
    }

    /**
     * An empty plot.
     *
     * @param title        of it
     * @param unit         of the values
     * @param isLessBetter whether the shortest bar is the best
     */
    public BarPlot(String title, String unit, boolean isLessBetter) {
        this.title = title;
        this.unit = unit;
        this.isLessBetter = isLessBetter;
    }

    /**
     * Adds bars that share a scale.
     *
     * @param name       of the panel
     * @param contenders of which those that were not measured are left out
     * @param stat       of a contender
     * @return this
     */
    public BarPlot panel(String name, Collection<String> contenders, Function<String, Stat> stat) {
        Comparator<Bar> order = Comparator.comparingDouble(bar -> bar.stat().median());
        panels.add(new Panel(name, contenders.stream().map(contender -> new Bar(contender, stat.apply(contender)))
                .filter(bar -> bar.stat().isMeasured()).sorted(isLessBetter ? order : order.reversed()).toList()));
        return this;
    }

    @Override
    public boolean isEmpty() {
        return panels.stream().allMatch(panel -> panel.bars().isEmpty());
    }

    @Override
    public String draw() {
        List<Panel> drawn = panels.stream().filter(panel -> !panel.bars().isEmpty()).toList();
        int rows = (drawn.size() + COLUMNS - 1) / COLUMNS;
        Canvas canvas = new Canvas(title, COLUMNS * WIDTH, rows * HEIGHT);
        for (int i = 0; i < drawn.size(); i++) {
            canvas.draw(chart(drawn.get(i))::paint, i % COLUMNS * WIDTH, i / COLUMNS * HEIGHT, WIDTH, HEIGHT);
        }
        return canvas.svg();
    }

    /** Series overlap: the bars of each colour, and what is only there for its whiskers. */
    private CategoryChart chart(Panel panel) {
        CategoryChart chart = new CategoryChartBuilder().title(panel.title()).yAxisTitle(unit).build();
        CategoryStyler style = chart.getStyler();
        Canvas.style(style);
        style.setOverlapped(true).setLabelsVisible(true).setLabelsFont(Canvas.SMALL).setAvailableSpaceFill(0.85)
                .setPlotGridVerticalLinesVisible(false).setXAxisLabelRotation(45).setXAxisTickMarkSpacingHint(1)
                .setYAxisTickLabelsFormattingFunction(Figures::format).setErrorBarsColor(Canvas.INK)
                .setLegendVisible(false);
        for (Color color : List.of(Canvas.OURS, Canvas.C, Canvas.OTHER)) {
            List<Double> medians = panel.of(bar -> color.equals(color(bar.name())) ? bar.stat().median() : null);
            chart.addSeries(color.toString(), panel.names(), medians).setFillColor(color);
        }
        chart.addSeries("range", panel.names(), panel.of(bar -> (bar.stat().max() + bar.stat().min()) / 2),
                panel.of(bar -> (bar.stat().max() - bar.stat().min()) / 2))
                .setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Scatter).setMarker(SeriesMarkers.NONE);
        return chart;
    }

    private static Color color(String contender) {
        return Names.isOurs(contender) ? Canvas.OURS : Names.isInC(contender) ? Canvas.C : Canvas.OTHER;
    }
}
