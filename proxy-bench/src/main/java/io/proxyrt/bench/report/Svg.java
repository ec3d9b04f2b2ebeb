/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import java.util.Locale;

/**
 * A picture as SVG, on white so that it reads on any page. Charting libraries draw with AWT, whose fonts a server may
 * lack, or are under the LGPL; a few shapes are all that is needed.
 */
final class Svg {
    static final String INK = "#24292f";
    static final String PALE = "#d0d7de";
    static final String MUTED = "#57606a";
    private static final String FONT = "Helvetica, Arial, sans-serif";

    /** Where a text stands relative to its point. */
    enum Anchor {
        START, MIDDLE, END
    }

    private final StringBuilder body = new StringBuilder();
    private final int width;
    private final int height;

    Svg(int width, int height, String title) {
        this.width = width;
        this.height = height;
        add("<title>%s</title>", escape(title));
        add("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>", width, height);
        add("<text x=\"20\" y=\"28\" font-size=\"17\" font-weight=\"bold\" fill=\"%s\">%s</text>", INK,
                escape(title));
    }

    void text(double x, double y, Anchor anchor, int size, String color, String text) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">%s</text>", x, y,
                anchor.name().toLowerCase(Locale.ROOT), size, color, escape(text));
    }

    void bold(double x, double y, Anchor anchor, int size, String text) {
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" font-weight=\"bold\" fill=\"%s\">%s"
                + "</text>", x, y, anchor.name().toLowerCase(Locale.ROOT), size, INK, escape(text));
    }

    /** Text that runs upwards. */
    void upwards(double x, double y, int size, String text) {
        add("<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\" font-size=\"%d\""
                + " fill=\"%s\">%s</text>", x, y, size, MUTED, escape(text));
    }

    void rectangle(double x, double y, double width, double height, String color) {
        add("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>", x, y, Math.max(0, width),
                height, color);
    }

    void line(double x1, double y1, double x2, double y2, String color, double thickness) {
        add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>", x1, y1, x2,
                y2, color, thickness);
    }

    /** Points as x, y, x, y. */
    void polyline(double[] points, String color, double thickness, boolean isDashed) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < points.length; i += 2) {
            text.append(String.format(Locale.ROOT, "%.1f,%.1f ", points[i], points[i + 1]));
        }
        add("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" stroke-linejoin=\"round\"%s/>",
                text.toString().strip(), color, thickness, isDashed ? " stroke-dasharray=\"6 4\"" : "");
    }

    void dot(double x, double y, double radius, String color) {
        add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>", x, y, radius, color);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, """
                <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" \
                font-family="%3$s">
                %4$s</svg>
                """, width, height, FONT, body);
    }

    static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }

    private void add(String format, Object... arguments) {
        body.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }
}
