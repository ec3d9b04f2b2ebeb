/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Subsystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a job logs when the environment asks for it as NCCL's users do. */
class NcclDebugJobTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Pattern LOGGED = Pattern.compile(
            "(\\[rank \\d+] )?[\\d:.]+ \\[[^]]+] (INFO|DEBUG|TRACE|WARN|ERROR) (proxyrt\\.[a-z0-9.]+) - (.*)");
    @TempDir
    private Path folder;
    @TempDir
    private Path logs;

    private PerfProcess perf(Map<String, String> environment, String... more) throws IOException {
        String[] common = {"perf", "all_reduce", "-b", "8", "-e", "8", "-n", "1", "-w", "0", "--jit-warmup", "0"};
        return new PerfProcess(folder, environment, Stream.of(common, more).flatMap(Arrays::stream)
                .toArray(String[]::new));
    }

    private static long count(List<String> lines, String part) {
        return lines.stream().filter(line -> line.contains(part)).count();
    }

    private static void assertOnce(PerfProcess perf, String... parts) {
        for (String part : parts) {
            assertEquals(1, count(perf.err(), part), () -> part + "\n" + perf);
        }
    }

    @Test
    void shouldTellOfEveryRankWhatNcclTells() throws Exception {
        try (PerfProcess perf = perf(Map.of("NCCL_DEBUG", "INFO"), "--in-process", "--ranks", "4")) {
            assertEquals(0, perf.await(PATIENCE), perf::toString);
            assertOnce(perf, "proxyrt.init.version - rank 0: proxyrt ", "rank 0: all-reduce by ",
                    "rank 0: CollNet is not used: proxyrt.coll.collnet.enable is 0");
            for (int rank = 0; rank < 4; rank++) {
                assertOnce(perf, "proxyrt.init - rank " + rank + " of 4: host ",
                        "proxyrt.env - rank " + rank + ": settings: ",
                        "proxyrt.init - rank " + rank + " uses network Socket: ",
                        "rank " + rank + ": 1 channel, each a ring: " + (rank + 3) % 4 + " -> " + rank + " -> "
                                + (rank + 1) % 4 + ", from the one via SHM, to the other via SHM",
                        "rank " + rank + ": SHM", "rank " + rank + " of 4 is ready",
                        "rank " + rank + " has ended its runtime");
            }
            assertTrue(perf.err().stream().map(LOGGED::matcher)
                    .allMatch(line -> line.matches() && line.group(4).startsWith("rank ")), perf::toString);
            assertEquals(0, count(perf.out(), " INFO "), perf::toString);
        }
    }

    @Test
    void shouldTellWhatIsOfTheSubsystemsThatAreAskedFor() throws Exception {
        try (PerfProcess perf = perf(Map.of("NCCL_DEBUG", "INFO", "NCCL_DEBUG_SUBSYS", "NET,GRAPH"), "--in-process",
                "--ranks", "2", "--transport", "NET")) {
            assertEquals(0, perf.await(PATIENCE), perf::toString);
            assertOnce(perf, "proxyrt.init.version - ", "proxyrt.net - rank 1 uses network ",
                    "proxyrt.graph - rank 1: 1 channel, ", "proxyrt.net - rank 1: NET for rank 0");
            assertTrue(perf.err().stream().allMatch(line -> line.contains(" proxyrt.init.version - ")
                    || line.contains(" proxyrt.net - ") || line.contains(" proxyrt.net.collnet - ")
                    || line.contains(" proxyrt.graph - ")), perf::toString);
        }
    }

    @Test
    void shouldReachTheProcessesOfTheRanks() throws Exception {
        try (PerfProcess perf = perf(Map.of("NCCL_DEBUG", "TRACE", "NCCL_DEBUG_SUBSYS", "ALL"), "--ranks", "2")) {
            assertEquals(0, perf.await(PATIENCE), perf::toString);
            for (int rank = 0; rank < 2; rank++) {
                assertOnce(perf, "proxyrt.init - rank " + rank + " of 2: host ");
                String prefix = "[rank " + rank + "] ";
                assertTrue(perf.err().stream().anyMatch(line -> line.startsWith(prefix)), perf::toString);
            }
            List<String> names = Stream.of(Subsystem.values()).map(Subsystem::loggerName).toList();
            assertTrue(perf.err().stream().map(LOGGED::matcher).filter(line -> line.matches())
                    .allMatch(line -> names.stream().anyMatch(line.group(3)::startsWith)), perf::toString);
        }
    }

    @Test
    void shouldLogToAFileOfEachProcess() throws Exception {
        Map<String, String> environment = Map.of("NCCL_DEBUG", "INFO", "NCCL_DEBUG_FILE", logs + "/job-%p.log");
        try (PerfProcess perf = perf(environment, "--ranks", "2")) {
            assertEquals(0, perf.await(PATIENCE), perf::toString);
            assertEquals(List.of(), perf.err());
            for (ProcessIdAndRank rank : ranks(perf)) {
                String log = Files.readString(logs.resolve("job-" + rank.pid + ".log"));
                assertTrue(log.contains("rank " + rank.rank + " of 2: host "), log);
                assertTrue(!log.contains("rank " + (1 - rank.rank) + " of 2: host "), log);
            }
        }
    }

    private record ProcessIdAndRank(int rank, long pid) {
    }

    private static List<ProcessIdAndRank> ranks(PerfProcess perf) {
        List<ProcessIdAndRank> ranks = perf.out().stream().filter(line -> line.startsWith("#  Rank "))
                .map(line -> line.split(" +"))
                .map(words -> new ProcessIdAndRank(Integer.parseInt(words[2]), Long.parseLong(words[4]))).toList();
        assertEquals(2, ranks.size(), perf::toString);
        return ranks;
    }

    @Test
    void shouldSayOnceWhatItDoesNotUnderstand() throws Exception {
        try (PerfProcess perf = perf(Map.of("NCCL_DEBUG", "LOUD"), "--ranks", "2")) {
            assertEquals(0, perf.await(PATIENCE), perf::toString);
            assertEquals(1, perf.err().size(), perf::toString);
            assertTrue(perf.err().getFirst().startsWith("proxyrt: NCCL_DEBUG has 'LOUD'"), perf::toString);
        }
    }
}
