/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.testkit.Extent;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs all jcstress tests in JVMs of their own, briefly or, with {@code -Dtests=long}, for long. jcstress calls a run
 * good in which tests were skipped; here each has to pass.
 */
@Tag(Extent.ONLY_FULL)
class StressTest {
    private static final Pattern RESULTS = Pattern.compile(
            "\\(Results: (\\d+) planned; (\\d+) passed, \\d+ failed, \\d+ soft errs, \\d+ hard errs\\)");
    private static final Duration DEADLINE = Duration.ofMinutes(60);

    private final boolean isLong = Extent.asked() == Extent.LONG;
    private final Path directory = Path.of(System.getProperty("stress.directory"));

    @Test
    void shouldSeeNothingForbidden() throws IOException, InterruptedException {
        Files.createDirectories(directory);
        Path log = directory.resolve("log.txt");
        long start = System.nanoTime();
        Process process = new ProcessBuilder(command()).directory(directory.toFile()).redirectErrorStream(true)
                .redirectOutput(log.toFile()).start();
        try {
            assertTrue(process.waitFor(DEADLINE), "jcstress takes longer than " + DEADLINE);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        String output = Files.readString(log);
        String verdict = output.substring(Math.max(0, output.indexOf("RUN RESULTS")));
        assertEquals(0, process.exitValue(), verdict);
        assertFalse(output.contains("WARNING"), output);
        int passed = passed(output, verdict);
        System.out.println("jcstress: " + passed + " runs without anything forbidden, in "
                + Duration.ofNanos(System.nanoTime() - start).toSeconds() + " s; " + log);
    }

    private static int passed(String output, String verdict) {
        Matcher results = RESULTS.matcher(output);
        int planned = 0;
        int passed = 0;
        while (results.find()) {
            planned = Integer.parseInt(results.group(1));
            passed = Integer.parseInt(results.group(2));
        }
        assertTrue(planned > 0, verdict);
        assertEquals(planned, passed, verdict);
        return passed;
    }

    private List<String> command() {
        // Its JVMs get the options of this one.
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED",
                "-classpath", System.getProperty("java.class.path"), "org.openjdk.jcstress.Main",
                "-v", "-r", directory.resolve("report").toString() + File.separator));
        command.addAll(List.of("-sc", "false", "-f", "1", "-fsm", "1"));
        // Long: as interpreted, by each compiler, and by C2 with its own randomness. Short: as JVMs run it by default.
        command.addAll(isLong ? List.of("-iters", "3", "-time", "1000")
                : List.of("-iters", "1", "-time", "300", "-af", "NONE", "-jvmArgs", "-XX:+UseSerialGC"));
        return command;
    }
}
