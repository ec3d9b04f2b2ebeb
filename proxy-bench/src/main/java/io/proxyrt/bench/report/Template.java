/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.process.BenchException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page in Markdown with names in braces. A name on a line of its own stands for a table, a plot or a paragraph, and
 * goes with the blank line above it if there is none; others stand for a text. A section whose tables are all empty is
 * left out.
 */
final class Template {
    private static final Pattern NAME = Pattern.compile("\\{([^{}]+)}");
    private static final String SECTION = "## ";

    private final Map<String, List<String>> blocks = new HashMap<>();
    private final Map<String, String> pictures = new HashMap<>();
    private final Set<String> tables = new HashSet<>();

    Template text(String name, String text) {
        blocks.put(name, text.strip().lines().toList());
        return this;
    }

    Template table(String name, Table<?> table) {
        return table(name, table, "");
    }

    /** With a line below it, if it has a row. */
    Template table(String name, Table<?> table, String caption) {
        List<String> lines = new ArrayList<>(table.lines());
        if (!lines.isEmpty() && !caption.isEmpty()) {
            lines.addAll(List.of("", caption));
        }
        blocks.put(name, lines);
        tables.add(name);
        return this;
    }

    /** A plot of that file; the title of its section describes it. */
    Template picture(String file, boolean isDrawn) {
        blocks.put(file, List.of());
        if (isDrawn) {
            pictures.put(file, "![%s](" + file + ")");
        }
        return this;
    }

    List<String> fill(Class<?> owner, String resource) {
        List<String> lines = new ArrayList<>();
        List<String> section = new ArrayList<>();
        for (String line : read(owner, resource)) {
            if (line.startsWith(SECTION)) {
                addTo(lines, section);
                section.clear();
            }
            section.add(line);
        }
        addTo(lines, section);
        return lines.reversed().stream().dropWhile(String::isEmpty).toList().reversed();
    }

    private static List<String> read(Class<?> owner, String resource) {
        try (InputStream in = owner.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void addTo(List<String> lines, List<String> section) {
        List<String> wanted = section.stream().map(Template::nameOf).filter(tables::contains).toList();
        if (!wanted.isEmpty() && wanted.stream().allMatch(name -> blocks.get(name).isEmpty())) {
            return;
        }
        for (String line : section) {
            String name = nameOf(line);
            List<String> filled = name.isEmpty() ? List.of(inline(line)) : block(name, section.getFirst());
            if (filled.isEmpty()) {
                lines.removeLast();
            }
            lines.addAll(filled);
        }
    }

    /** The name that a line consists of; else empty. */
    private static String nameOf(String line) {
        Matcher whole = NAME.matcher(line);
        return whole.matches() ? whole.group(1) : "";
    }

    private List<String> block(String name, String heading) {
        return pictures.containsKey(name)
                ? List.of(pictures.get(name).formatted(heading.substring(SECTION.length()))) : block(name);
    }

    private String inline(String line) {
        return NAME.matcher(line).replaceAll(name -> Matcher.quoteReplacement(String.join(" ", block(name.group(1)))));
    }

    /** The lines of a table, or of a text. */
    List<String> block(String name) {
        List<String> block = blocks.get(name);
        if (block == null) {
            throw new BenchException("the page names \"" + name + "\", and the benchmark has nothing of that name");
        }
        return block;
    }
}
