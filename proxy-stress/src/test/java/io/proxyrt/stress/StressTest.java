/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs all jcstress tests in JVMs of their own, briefly or, with {@code -Dstress=long}, for long. jcstress calls a run
 * good in which tests were skipped; here each has to pass.
 */
class StressTest {
    private static final Pattern RESULTS = Pattern.compile(
            "\\(Results: (\\d+) planned; (\\d+) passed, \\d+ failed, \\d+ soft errs, \\d+ hard errs\\)");
    private static final String UNSAFE = "--sun-misc-unsafe-memory-access=allow";
    private static final Duration DEADLINE = Duration.ofMinutes(60);

    private final boolean isLong = System.getProperty("stress").equals("long");
    private final Path directory = Path.of(System.getProperty("stress.directory"));

    @Test
    @Timeout(value = 61, unit = TimeUnit.MINUTES)
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
        assertEquals(0, process.exitValue(), output);
        int passed = passed(output);
        System.out.println("jcstress: " + passed + " runs of tests passed in "
                + Duration.ofNanos(System.nanoTime() - start).toSeconds() + " s; " + log);
    }

    private static int passed(String output) {
        Matcher results = RESULTS.matcher(output);
        int planned = 0;
        int passed = 0;
        while (results.find()) {
            planned = Integer.parseInt(results.group(1));
            passed = Integer.parseInt(results.group(2));
        }
        assertTrue(planned > 0, output);
        assertEquals(planned, passed, output);
        assertFalse(output.contains("WARNING"), output);
        return passed;
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC", UNSAFE,
                "--enable-native-access=ALL-UNNAMED", "-classpath", System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main", "-v", "-r", directory.resolve("report").toString() + File.separator));
        command.addAll(isLong ? List.of("-m", "default", "-jvmArgsPrepend", UNSAFE)
                : List.of("-jvmArgs", UNSAFE, "-af", "NONE", "-sc", "false", "-f", "1", "-fsm", "1", "-iters", "1",
                        "-time", "800"));
        return command;
    }
}
