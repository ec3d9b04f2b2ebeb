/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which package of this module knows which: from the imports, as constants leave no trace in classes. */
class PackagesBenchTest {
    private static final Path SOURCES = Path.of("src/main/java/io/proxyrt/bench");
    private static final Pattern IMPORT = Pattern.compile("import (?:static )?io\\.proxyrt\\.bench\\.([a-z]+)\\..*;");

    @Test
    void shouldHaveNoCycleOfPackages() throws IOException {
        Map<String, Set<String>> known = new TreeMap<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
                known.computeIfAbsent(file.getParent().getFileName().toString(), name -> new TreeSet<>())
                        .addAll(imports(file));
            }
        }
        assertTrue(known.keySet().containsAll(List.of("contender", "report", "rig", "run", "suite")), known::toString);
        while (known.values().removeIf(Set::isEmpty)) {
            Set<String> left = new HashSet<>(known.keySet());
            known.values().forEach(names -> names.retainAll(left));
        }
        assertEquals(Map.of(), known, "each of these packages is known by one that it knows");
    }

    private static Set<String> imports(Path file) throws IOException {
        Set<String> packages = new HashSet<>();
        Files.readAllLines(file).stream().map(IMPORT::matcher).filter(line -> line.matches())
                .forEach(line -> packages.add(line.group(1)));
        return packages;
    }
}
