/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What the pages name exists: classes, commands with their options, other pages and their sections. */
class DocsTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", ".")).toAbsolutePath().resolveSibling("");
    private static final Pattern TYPE = Pattern.compile("\\b(?:class|interface|record|enum) ([A-Z]\\w*)");
    private static final Pattern FENCED = Pattern.compile("(?m)^```.*?^```$", Pattern.DOTALL);
    private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
    /** Two humps or more: one alone may be a word. */
    private static final Pattern NAME =
            Pattern.compile("([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+)(?:[.#](\\w+))?(?:\\(.*\\))?");
    private static final Pattern COMMAND = Pattern.compile("\\./proxyrt( [^`\n|#]*)?");
    private static final Pattern LINK = Pattern.compile("]\\(([^):\\s]*)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
    private static final List<String> JAVA = List.of("java.lang.", "java.lang.foreign.", "java.lang.invoke.",
            "java.lang.management.", "java.nio.", "java.nio.file.", "java.util.", "java.util.concurrent.",
            "java.util.concurrent.locks.");

    private static final Map<Path, String> PAGES = new TreeMap<>();
    private static final Map<String, String> SOURCES = new TreeMap<>();

    private static String script;

    @BeforeAll
    static void read() throws IOException {
        script = Files.readString(ROOT.resolve("proxyrt"));
        for (Path folder : List.of(ROOT, ROOT.resolve("docs"), ROOT.resolve("docs/performance"),
                ROOT.resolve("docs/performance/epyc"), ROOT.resolve("docs/performance/xeon"))) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path page : files.filter(file -> file.toString().endsWith(".md")).toList()) {
                    PAGES.put(page, Files.readString(page));
                }
            }
        }
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path sources : modules.map(module -> module.resolve("src")).filter(Files::isDirectory).toList()) {
                readSources(sources);
            }
        }
        assertTrue(PAGES.size() > 10 && SOURCES.size() > 500, PAGES.keySet() + ", types: " + SOURCES.size());
    }

    private static void readSources(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
                String source = Files.readString(file);
                TYPE.matcher(source).results().forEach(type -> SOURCES.merge(type.group(1), source, String::concat));
            }
        }
    }

    @Test
    void shouldNameClassesThatExist() {
        List<String> wrong = new ArrayList<>();
        PAGES.forEach((page, text) -> CODE.matcher(FENCED.matcher(text).replaceAll("")).results()
                .map(code -> NAME.matcher(code.group(1)))
                .filter(name -> name.matches() && !exists(name.toMatchResult()))
                .forEach(name -> wrong.add(page.getFileName() + ": " + name.group())));
        assertEquals(List.of(), wrong);
    }

    private static boolean exists(MatchResult name) {
        String source = SOURCES.getOrDefault(name.group(1), SOURCES.get(name.group(1) + "Benchmark"));
        if (source == null) {
            return "java".equals(name.group(2)) || JAVA.stream().anyMatch(prefix -> isLoadable(prefix + name.group(1)));
        }
        return name.group(2) == null || Pattern.compile("\\b" + name.group(2) + "\\b").matcher(source).find();
    }

    private static boolean isLoadable(String name) {
        try {
            Class.forName(name, false, ClassLoader.getSystemClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    @Test
    void shouldShowCommandsThatExist() {
        List<String> wrong = new ArrayList<>();
        PAGES.forEach((page, text) -> COMMAND.matcher(text).results().map(MatchResult::group)
                .filter(command -> !isCommand(command.split("\\s+")))
                .forEach(command -> wrong.add(page.getFileName() + ": " + command)));
        assertEquals(List.of(), wrong);
    }

    /** Descends to the subcommand, and asks it for all options. Bench is another program, and aot is the script's. */
    private static boolean isCommand(String... words) {
        CommandLine command = ProxyRt.commandLine();
        for (int i = 1; i < words.length; i++) {
            String word = words[i].replaceAll("=.*|[,.;:)]+$", "");
            if (word.equals("bench")) {
                return isBench(words.length > i + 1 ? words[i + 1] : "--help");
            }
            if (i == 1 && script.contains("\"${1:-}\" = " + word + " ]")) {
                return true;
            }
            CommandLine sub = command.getSubcommands().get(word);
            if (sub != null) {
                command = sub;
            } else if (i == 1 || word.matches("-+[a-z].*") && command.getCommandSpec().findOption(word) == null) {
                return false;
            }
        }
        return true;
    }

    private static boolean isBench(String what) {
        return what.startsWith("-") || SOURCES.get("BenchCommand").contains('"' + what + '"')
                || SOURCES.values().stream().anyMatch(source -> source.contains("name = \"" + what + '"'));
    }

    @Test
    void shouldLinkToPagesAndSectionsThatExist() {
        List<String> wrong = new ArrayList<>();
        PAGES.forEach((page, text) -> LINK.matcher(FENCED.matcher(text).replaceAll("")).results()
                .map(link -> link.group(1)).filter(link -> !leadsSomewhere(page, link))
                .forEach(link -> wrong.add(page.getFileName() + ": " + link)));
        assertEquals(List.of(), wrong);
    }

    private static boolean leadsSomewhere(Path page, String link) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        return Files.exists(target) && (parts.length == 1 || anchors(PAGES.get(target)).contains(parts[1]));
    }

    private static Set<String> anchors(String text) {
        Set<String> anchors = new HashSet<>();
        HEADING.matcher(FENCED.matcher(text).replaceAll("")).results()
                .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
                .forEach(anchor -> anchors.add(anchors.contains(anchor) ? anchor + "-1" : anchor));
        return anchors;
    }
}
