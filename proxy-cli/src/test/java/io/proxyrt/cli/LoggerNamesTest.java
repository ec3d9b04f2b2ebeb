/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Subsystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** All loggers have the names of subsystems, and the page on logging tells all of them. */
class LoggerNamesTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", ".")).toAbsolutePath().resolveSibling("");
    private static final Pattern PART = Pattern.compile("Subsystem\\.([A-Z0-9]+)\\.logger\\(\"([a-z.]+)\"\\)");
    private static final Pattern NAME = Pattern.compile("`(proxyrt\\.[a-z0-9.]+)`");

    @Test
    void shouldTakeAllLoggersFromSubsystems() throws IOException {
        List<Path> others = new ArrayList<>();
        for (Path source : sources()) {
            if (Files.readString(source).contains("LoggerFactory")) {
                others.add(source.getFileName());
            }
        }
        assertEquals(List.of(Path.of("Subsystem.java")), others);
    }

    @Test
    void shouldTellAllLoggersOnThePage() throws IOException {
        TreeSet<String> known = Stream.of(Subsystem.values()).map(Subsystem::loggerName)
                .collect(Collectors.toCollection(TreeSet::new));
        known.add("proxyrt.init.version");
        for (Path source : sources()) {
            PART.matcher(Files.readString(source)).results().forEach(part -> known.add(
                    Subsystem.valueOf(part.group(1)).loggerName() + "." + part.group(2)));
        }
        TreeSet<String> told = NAME.matcher(Files.readString(ROOT.resolve("docs/logging.md"))).results()
                .map((MatchResult name) -> name.group(1)).collect(Collectors.toCollection(TreeSet::new));
        assertTrue(told.containsAll(known), "known " + known + ", told " + told);
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path folder : modules.map(module -> module.resolve("src/main/java")).filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(folder)) {
                    files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
                }
            }
        }
        assertTrue(sources.size() > 500, "sources: " + sources.size());
        return sources;
    }
}
