/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.bench.run.Stat;
import java.awt.Color;
import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

class PlotBenchTest {
    private static final Map<String, Stat> STATS = Map.of("lanes", new Stat(2, 1, 4, 3), "c-mutex",
            new Stat(5, 5, 5, 3), "a <b> & \"c\"", new Stat(1, 1, 1, 1), "idle", Stat.NONE);

    @Test
    void shouldKeepThreeDigits() {
        assertEquals("1,235", Figures.format(1234.5));
        assertEquals("12.3", Figures.format(12.345));
        assertEquals("0.00123", Figures.format(0.001234));
        assertEquals("0", Figures.format(0.0001));
        assertEquals("–", Figures.format(Double.NaN));
        assertEquals("2 [1..3]", Figures.format(Stat.of(List.of(1.0, 2.0, 3.0))));
    }

    @Test
    void shouldNameSizesExactly() {
        assertEquals("8 B", Sizes.format("8"));
        assertEquals("1025 B", Sizes.format("1025"));
        assertEquals("64 MiB", Sizes.format("67108864"));
    }

    @Test
    void shouldDrawBarsInTheColoursOfTheirSides() throws Exception {
        BarPlot plot = new BarPlot("Some <bars>", "ns", true).panel("empty", List.of("idle"), STATS::get);
        assertTrue(plot.isEmpty());
        String svg = draw(plot.panel("full", STATS.keySet(), STATS::get));
        assertTrue(hasFill(svg, Canvas.OURS) && hasFill(svg, Canvas.C) && hasFill(svg, Canvas.OTHER), svg);
        assertEquals("Some <bars>", title(svg));
    }

    @Test
    void shouldDrawEveryOneOfOursInAShadeOfItsOwn() throws Exception {
        LinePlot plot = new LinePlot("Lines", "µs", LinePlot.Axis.BYTES, List.of("8", "64"));
        assertTrue(plot.line("proxyrt-idle", size -> Double.NaN).isEmpty());
        plot.line("proxyrt-ll", size -> 200.0).line("proxyrt-ll128", size -> 210.0).line("c-memcpy", size -> 1.0)
                .line("c-other", size -> 2.0).reference("bound", size -> 3.0);
        assertFalse(plot.isEmpty());
        String svg = draw(plot);
        for (Color color : List.of(Canvas.SHADES.get(0), Canvas.SHADES.get(1), Canvas.C, Canvas.TOLD_APART.get(0))) {
            assertTrue(hasFill(svg, color), () -> color + " is not in " + svg);
        }
        assertFalse(hasFill(svg, Canvas.SHADES.get(2)), svg);
    }

    @Test
    void shouldDrawNoLineOfOnePoint() {
        assertTrue(new LinePlot("Lines", "µs", LinePlot.Axis.OPS, List.of("8")).line("proxyrt", ops -> 1.0).isEmpty());
    }

    private static String draw(Plot plot) {
        assumeTrue(hasFont(), "there is no font, or no fontconfig");
        return plot.draw();
    }

    private static boolean hasFont() {
        try {
            new Font(Font.SANS_SERIF, Font.PLAIN, 12).createGlyphVector(new FontRenderContext(null, true, true), "x")
                    .getOutline();
            return true;
        } catch (RuntimeException | Error e) {
            return false;
        }
    }

    private static boolean hasFill(String svg, Color color) {
        return svg.contains("fill:rgb(" + color.getRed() + ',' + color.getGreen() + ',' + color.getBlue() + ')');
    }

    private static String title(String svg) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        Element root = factory.newDocumentBuilder().parse(new InputSource(new StringReader(svg)))
                .getDocumentElement();
        return root.getElementsByTagName("title").item(0).getTextContent();
    }
}
