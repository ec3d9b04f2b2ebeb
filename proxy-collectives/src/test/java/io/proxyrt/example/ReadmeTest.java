/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadmeTest {
    private static final Path MODULE = Path.of(System.getProperty("basedir", "."));

    @Test
    void shouldShowTheExampleThatIsCompiledHere() throws Exception {
        String readme = Files.readString(MODULE.resolve("../README.md"));
        String source = Files.readString(MODULE.resolve("src/test/java/io/proxyrt/example/TwoRanks.java"));
        String example = source.substring(source.indexOf("public final class"));
        assertTrue(readme.contains("```java\n" + example + "```"), "README.md and TwoRanks.java differ");
    }

    @Test
    void shouldPrintWhatTheReadmePromises() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream stdout = System.out;
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            TwoRanks.main(new String[0]);
        } finally {
            System.setOut(stdout);
        }
        assertEquals(List.of("rank 0 has 3.0", "rank 1 has 3.0"),
                out.toString(StandardCharsets.UTF_8).lines().sorted().toList());
    }

    @Test
    void shouldStayShort() throws Exception {
        assertTrue(Files.readAllLines(MODULE.resolve("../README.md")).size() <= 150);
    }
}
