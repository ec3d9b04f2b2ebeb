/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.collectives.msccl.AlgorithmsFuzz;
import io.proxyrt.core.runtime.ServiceFuzz;
import io.proxyrt.core.service.message.MessagesFuzz;
import io.proxyrt.rpc.ClientFuzz;
import io.proxyrt.rpc.SessionFuzz;
import io.proxyrt.testkit.Extent;
import io.proxyrt.uds.UdsFuzz;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs Jazzer on each target in a JVM of its own, for a few seconds or, with {@code -Dtests=long}, for ten minutes. It
 * begins with the target's seeds and what it found worth keeping before; what it finds wrong is left in the folder.
 */
@Tag(Extent.ONLY_FULL)
class FuzzTest {
    private static final long SEED = 20_261_122;
    private static final Pattern DONE = Pattern.compile("Done (\\d+) runs in (\\d+) second");
    private static final Pattern COVERAGE = Pattern.compile("DONE +cov: (\\d+)");

    private final boolean isLong = Extent.asked() == Extent.LONG;
    private final Path directory = Path.of(System.getProperty("fuzz.directory"));

    @Test
    void shouldDecodeNothingWrongAtTheService() throws IOException, InterruptedException {
        fuzz(SessionFuzz.class, SessionFuzz.seeds());
    }

    @Test
    void shouldTrustNoServiceThatProvesNothing() throws IOException, InterruptedException {
        fuzz(ClientFuzz.class, ClientFuzz.seeds());
    }

    @Test
    void shouldLeaveNoDescriptorOpenAtTheUdsThread() throws IOException, InterruptedException {
        fuzz(UdsFuzz.class, UdsFuzz.seeds());
    }

    @Test
    void shouldKeepTheStatesOfConnections() throws IOException, InterruptedException {
        fuzz(ServiceFuzz.class, ServiceFuzz.seeds());
    }

    @Test
    void shouldUnderstandMessagesOrRefuseThem() throws IOException, InterruptedException {
        fuzz(MessagesFuzz.class, MessagesFuzz.seeds());
    }

    @Test
    void shouldRehearseAlgorithmsOfFilesOrRefuseThem() throws IOException, InterruptedException {
        fuzz(AlgorithmsFuzz.class, AlgorithmsFuzz.seeds());
    }

    private void fuzz(Class<?> target, List<byte[]> seeds) throws IOException, InterruptedException {
        Path own = directory.resolve(target.getSimpleName());
        Path corpus = Files.createDirectories(own.resolve("corpus"));
        Path given = Files.createDirectories(own.resolve("seeds"));
        for (int i = 0; i < seeds.size(); i++) {
            Files.write(given.resolve("seed-" + i), seeds.get(i));
        }
        Path log = own.resolve("log.txt");
        Duration time = isLong ? Duration.ofMinutes(10) : Duration.ofSeconds(4);
        Process jazzer = new ProcessBuilder(command(target, own, time, List.of(corpus, given)))
                .directory(own.toFile()).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            assertTrue(jazzer.waitFor(time.plusMinutes(3)), "Jazzer does not end; " + log);
        } finally {
            jazzer.destroyForcibly().waitFor();
        }
        String output = Files.readString(log);
        assertEquals(0, jazzer.exitValue(), output);
        assertFalse(output.contains("WARNING: "), output);
        Matcher done = found(DONE, output);
        assertTrue(Long.parseLong(done.group(1)) > seeds.size(), output);
        System.out.printf("fuzz: %-12s %,10d inputs in %s s, %s edges%n", target.getSimpleName(),
                Long.parseLong(done.group(1)), done.group(2), found(COVERAGE, output).group(1));
    }

    private static Matcher found(Pattern pattern, String output) {
        Matcher matcher = pattern.matcher(output);
        assertTrue(matcher.find(), output);
        return matcher;
    }

    private static List<String> command(Class<?> target, Path own, Duration time, List<Path> corpora) {
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea", "-Xmx1g",
                "-Xshare:off", "-XX:+UseSerialGC", "-XX:+EnableDynamicAgentLoading",
                "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + own, "-classpath", System.getProperty("java.class.path"),
                "com.code_intelligence.jazzer.Jazzer", "--target_class=" + target.getName(),
                "--instrumentation_includes=io.proxyrt.**", "--custom_hook_includes=io.proxyrt.**",
                "--reproducer_path=" + own, "-artifact_prefix=" + own + File.separator, "-seed=" + SEED,
                "-max_total_time=" + time.toSeconds(), "-timeout=30", "-rss_limit_mb=4096",
                corpora.getFirst().toString(), corpora.getLast().toString());
    }
}
