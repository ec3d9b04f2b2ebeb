/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.process.BenchException;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.Graphics2D;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** SVG that charts are drawn on. Text becomes outlines, so that a viewer needs no font. */
final class Canvas {
    static final Color INK = new Color(0x24292f);
    static final Color OURS = new Color(0x0969da);
    static final Color C = new Color(0xcf222e);
    static final Color OTHER = new Color(0x8c959f);
    static final List<Color> SHADES = colors(0x0969da, 0x54aeff, 0x0a3069, 0x80ccff);
    static final List<Color> TOLD_APART = colors(0xbf8700, 0x2da44e, 0x8250df, 0xe16f24, 0x6e7781, 0xbf3989, 0x1b7c83,
            0x7d4e00);
    /** For what stands in a bar. */
    static final Font SMALL = new Font(Font.SANS_SERIF, Font.PLAIN, 9);

    private static final String SVG = "http://www.w3.org/2000/svg";
    private static final Font FONT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);

    private final Document document;
    private final SVGGraphics2D graphics;
    private final String title;

    /** A chart that paints itself. */
    interface Picture {
        void paint(Graphics2D graphics, int width, int height);
    }

    static {
        System.setProperty("java.awt.headless", "true");
    }

    Canvas(String title, int width, int height) {
        this.title = title;
        try {
            document = DocumentBuilderFactory.newInstance().newDocumentBuilder().getDOMImplementation()
                    .createDocument(SVG, "svg", null);
        } catch (ParserConfigurationException e) {
            throw new BenchException("the JDK's XML parser cannot be had", e);
        }
        SVGGeneratorContext context = SVGGeneratorContext.createDefault(document);
        context.setComment(null);
        context.setPrecision(1);
        graphics = new SVGGraphics2D(context, false);
        graphics.setSVGCanvasSize(new Dimension(width, height));
        graphics.setPaint(Color.WHITE);
        graphics.fillRect(0, 0, width, height);
    }

    /** What all charts have in common. */
    static void style(AxesChartStyler style) {
        style.setPlotGridLinesColor(new Color(0xd0d7de)).setPlotGridLinesStroke(new BasicStroke(1))
                .setAxisTickLabelsFont(FONT).setAxisTickLabelsColor(INK)
                .setAxisTitleFont(FONT)
                .setBaseFont(FONT).setChartBackgroundColor(Color.WHITE).setChartFontColor(INK)
                .setChartTitleFont(FONT.deriveFont(Font.BOLD, 14)).setChartTitleBoxVisible(false)
                .setPlotBorderVisible(false).setPlotBackgroundColor(Color.WHITE).setLegendFont(FONT)
                .setLegendBorderColor(Color.WHITE).setLegendPosition(Styler.LegendPosition.OutsideE).setMarkerSize(5);
    }

    void draw(Picture chart, int left, int top, int width, int height) {
        Graphics2D place = (Graphics2D) graphics.create(left, top, width, height);
        chart.paint(place, width, height);
        place.dispose();
    }

    String svg() {
        Element root = graphics.getRoot();
        Element name = document.createElementNS(SVG, "title");
        name.setTextContent(title);
        root.insertBefore(name, root.getFirstChild());
        StringWriter text = new StringWriter();
        try {
            graphics.stream(root, text, true, false);
        } catch (IOException e) {
            throw new BenchException("cannot make SVG of the plot \"" + title + '"', e);
        }
        return text.toString();
    }

    private static List<Color> colors(int... values) {
        return Arrays.stream(values).mapToObj(Color::new).toList();
    }
}
