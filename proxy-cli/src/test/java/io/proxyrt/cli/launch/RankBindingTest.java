/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.platform.Platform;
import io.proxyrt.testkit.Extent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RankBindingTest {
    private static final Pattern RANK = Pattern.compile("#  Rank .* invoker threading(?: on CPUs? ([-\\d ]+))?, .*");

    @TempDir
    private Path folder;

    private final Platform platform = Platform.find();
    private final BitSet cpus = platform.processCpus();

    @Test
    void shouldGiveRanksACpuEachInTurnWhereThereAreMoreRanks() throws Exception {
        int count = cpus.cardinality();
        for (int rank = 0; rank <= count; rank++) {
            BitSet expected = new BitSet();
            expected.set(cpus.stream().skip(rank % count).findFirst().orElseThrow());
            assertEquals(expected, cpusOf(rank, count + 1), "rank " + rank);
        }
    }

    @Test
    void shouldGiveEachRankAnEqualShareWhereThereAreCpusEnough() {
        BitSet ten = new BitSet();
        ten.set(2, 12);
        assertEquals("[{2, 3, 4}, {5, 6, 7}, {8, 9, 10}]", IntStream.range(0, 3)
                .mapToObj(rank -> RankBinding.share(ten, rank, 3).toString()).toList().toString());
        assertEquals("[{2}, {11}, {2}]", IntStream.of(0, 9, 10)
                .mapToObj(rank -> RankBinding.share(ten, rank, 11).toString()).toList().toString());
    }

    @ParameterizedTest
    @CsvSource({"2, 3, true, true", "2, 3, false, false", "2, 2, true, false", "16, 16, true, true",
        "16, 16, false, false", "3, 2, true, true", "3, 2, false, false", "4, 2, false, true"})
    void shouldBindWhereItHelped(int cpuCount, int ranks, boolean isDriver, boolean isBound) {
        assertEquals(isBound, RankBinding.isWorthIt(cpuCount, ranks, isDriver));
    }

    @Test
    void shouldLeaveARankAloneThatIsAloneOrWouldHaveOneCpuForManyThreads() throws Exception {
        assertEquals(cpus, cpusOf(0, 1));
        assertEquals(cpus, cpusOf(0, cpus.cardinality() + 1, false));
    }

    @ParameterizedTest
    @CsvSource({"--check=1, true", "--in-process, true", "--unbound, false", "--set=cpuset=0-9999, false"})
    @Tag(Extent.ONLY_FULL)
    void shouldBindTheRanksThatTheCommandStarts(String option, boolean isBound) throws Exception {
        Assumptions.assumeTrue(cpus.cardinality() > 1, "there is one CPU");
        List<String> two = cpus.stream().limit(2).mapToObj(String::valueOf).toList();
        try (PerfProcess perf = new PerfProcess(List.of("taskset", "-c", String.join(",", two)), folder, Map.of(),
                "perf", "all_reduce", "--ranks", "3", "-b", "8", "-e", "8", "--jit-warmup", "0", option)) {
            assertEquals(0, perf.await(Duration.ofMinutes(1)), perf::toString);
            List<String> expected = isBound ? List.of(two.get(0), two.get(1), two.get(0)) : List.of("", "", "");
            assertEquals(expected, boundTo(perf.out()), perf::toString);
        }
    }

    /** Its compilers and collectors, too: they would wake beside another rank. */
    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldBindEveryThreadOfARanksProcess() throws Exception {
        Assumptions.assumeTrue(cpus.cardinality() > 1, "there is one CPU");
        List<String> two = cpus.stream().limit(2).mapToObj(String::valueOf).toList();
        try (PerfProcess perf = new PerfProcess(List.of("taskset", "-c", String.join(",", two)), folder, Map.of(),
                "soak", "--ranks", "3", "--duration", "60s")) {
            List<ProcessHandle> ranks = perf.ranks(3);
            for (int rank = 0; rank < 3; rank++) {
                assertEquals(Set.of(two.get(rank % 2)), cpusOfThreads(ranks.get(rank).pid()), "rank " + rank);
            }
        }
    }

    private static Set<String> cpusOfThreads(long pid) throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            return threads.map(RankBindingTest::allowed).flatMap(Optional::stream).collect(Collectors.toSet());
        }
    }

    /** Empty if the thread has ended meanwhile. */
    private static Optional<String> allowed(Path thread) {
        try (Stream<String> lines = Files.lines(thread.resolve("status"))) {
            return lines.filter(line -> line.startsWith("Cpus_allowed_list:")).map(line -> line.split("\\s+")[1])
                    .findFirst();
        } catch (IOException | UncheckedIOException e) {
            return Optional.empty();
        }
    }

    private static List<String> boundTo(List<String> lines) {
        List<String> numbers = new ArrayList<>();
        lines.stream().map(RANK::matcher).filter(rank -> rank.matches())
                .forEach(rank -> numbers.add(isOne(rank.group(1)) ? rank.group(1) : ""));
        return numbers;
    }

    private static boolean isOne(String cpus) {
        return cpus != null && cpus.matches("\\d+");
    }

    private BitSet cpusOf(int rank, int ranks) throws Exception {
        return cpusOf(rank, ranks, true);
    }

    /** On a thread of its own, for the binding stays. */
    private BitSet cpusOf(int rank, int ranks, boolean isDriver) throws Exception {
        FutureTask<BitSet> bound = new FutureTask<>(() -> {
            RankBinding.of(ranks, isDriver).bind(rank);
            assertEquals(platform.threadCpus().equals(platform.processCpus()), RankBinding.describe().isEmpty());
            return platform.threadCpus();
        });
        Thread.ofPlatform().start(bound);
        return bound.get(10, TimeUnit.SECONDS);
    }
}
