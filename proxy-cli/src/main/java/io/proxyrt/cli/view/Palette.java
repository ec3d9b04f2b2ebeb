/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.view;

import java.util.regex.Pattern;

/**
 * Colours of a terminal.
 *
 * @param isOn whether there are any
 */
public record Palette(boolean isOn) {
    private static final Pattern CODE = Pattern.compile("\u001b\\[[\\d;]*m");

    /**
     * Something is wrong.
     *
     * @param text to show
     * @return in red, if there are colours
     */
    public String wrong(String text) {
        return paint(31, text);
    }

    /**
     * Something may be wrong.
     *
     * @param text to show
     * @return in yellow, if there are colours
     */
    public String doubtful(String text) {
        return paint(33, text);
    }

    /** How many columns of a terminal a text takes. */
    static int width(String text) {
        return CODE.matcher(text).replaceAll("").length();
    }

    private String paint(int colour, String text) {
        return isOn && !text.isEmpty() ? "\u001b[" + colour + "m" + text + "\u001b[0m" : text;
    }
}
