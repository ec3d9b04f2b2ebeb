/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Help whose lines end between words, as wide as there is room for. Picocli also breaks them within an option's name.
 * Lines that begin with blanks, such as examples, stay as they are.
 */
final class HelpText extends Help {
    /** Picocli lays out no narrower help, and lines that are longer are hard to read. */
    private static final int LEAST_COLUMNS = 55;
    private static final int MOST_COLUMNS = 100;

    private final int width;

    private HelpText(CommandSpec spec, ColorScheme colours, int width) {
        super(spec, colours);
        this.width = width;
    }

    /** For a terminal, or something else, with so many columns. */
    static Help of(CommandSpec spec, ColorScheme colours, int columns) {
        int width = Math.clamp(columns, LEAST_COLUMNS, MOST_COLUMNS);
        spec.usageMessage().width(width);
        return new HelpText(spec, colours, width);
    }

    @Override
    public String description(Object... parameters) {
        return text(commandSpec().usageMessage().description());
    }

    @Override
    public String footer(Object... parameters) {
        return text(commandSpec().usageMessage().footer());
    }

    private String text(String... paragraphs) {
        return Stream.of(paragraphs).flatMap(paragraph -> lines(paragraph).stream())
                .collect(Collectors.joining("%n".formatted(), "", "%n".formatted()));
    }

    private List<String> lines(String paragraph) {
        if (paragraph.length() < width || paragraph.startsWith(" ")) {
            return List.of(paragraph);
        }
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : paragraph.split(" ")) {
            if (!line.isEmpty() && line.length() + 1 + word.length() >= width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
