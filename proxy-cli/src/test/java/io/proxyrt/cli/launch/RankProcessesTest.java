/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.testkit.Extent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RankProcessesTest {
    private static final Duration LONG = Duration.ofSeconds(120);
    private static final String[] ENDLESS = {"perf", "all_reduce", "--ranks", "4", "-b", "256K", "-e", "256K", "-n",
        "100000000", "-w", "0", "--jit-warmup", "0", "--set", "buffer.bytes=64K"};
    @TempDir
    private Path folder;

    @Test
    void shouldRunEveryRankInAProcessOfItsOwn() throws Exception {
        try (PerfProcess perf = start(Map.of(), "perf", "all_reduce", "--ranks", "3", "-b", "8", "-e", "64K", "-f",
                "32", "-n", "3", "-w", "1", "--jit-warmup", "10", "-d", "all", "-o", "avg")) {
            assertEquals(0, perf.await(LONG), perf::toString);
            assertEquals(List.of(), perf.err());
            assertEquals(3, perf.out().stream().filter(line -> line.startsWith("#  Rank "))
                    .map(line -> line.split(" +")[4]).distinct().count(), perf::toString);
            assertEquals(3L * DataType.values().length, perf.out().stream()
                    .filter(line -> line.matches(" +\\d.* 0 .* 0")).count(), perf::toString);
            assertTrue(perf.out().contains("# Out of bounds values : 0 OK"), perf::toString);
        }
        assertNothingIsLeft();
    }

    @Test
    void shouldHaveNothingButADocumentOnTheStandardOutput() throws Exception {
        try (PerfProcess perf = start(Map.of(), "perf", "all_reduce", "--ranks", "2", "-b", "8", "-e", "8", "-n", "1",
                "-w", "0", "--jit-warmup", "0", "--json", "-")) {
            assertEquals(0, perf.await(LONG), perf::toString);
            assertEquals("{", perf.out().getFirst(), perf::toString);
            assertEquals("}", perf.out().getLast(), perf::toString);
            assertEquals(1, perf.out().stream().filter(line -> line.contains("\"status\" : \"ok\"")).count(),
                    perf::toString);
            assertTrue(perf.err().contains("[rank 0] # Out of bounds values : 0 OK"), perf::toString);
        }
    }

    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldShowNoSecretAndNoIdInTheArgumentsOfAnyProcess() throws Exception {
        try (PerfProcess perf = start(Map.of("PROXYRT_SECRET", "between the ranks"), ENDLESS)) {
            List<ProcessHandle> ranks = perf.ranks(4);
            String id = Stream.of(proc(ranks.getFirst(), "environ").split("\0"))
                    .filter(variable -> variable.startsWith("PROXYRT_UNIQUE_ID=")).findFirst().orElseThrow();
            assertTrue(id.matches(".*:[0-9a-f]{32}"), "the id came in the environment");
            for (ProcessHandle process : Stream.concat(ranks.stream(), Stream.of(perf.process().toHandle())).toList()) {
                String arguments = proc(process, "cmdline");
                assertTrue(arguments.contains("all_reduce"), arguments);
                assertFalse(arguments.contains("between the ranks"), arguments);
                assertFalse(arguments.contains(id.substring(id.length() - 32)), arguments);
            }
        }
    }

    private static String proc(ProcessHandle process, String file) throws IOException {
        return Files.readString(Path.of("/proc", Long.toString(process.pid()), file));
    }

    @ParameterizedTest
    @CsvSource({"SHM,0", "SHM,2", "NET,2"})
    void shouldNameTheRankThatWasKilledAtEveryOther(String transport, int victim) throws Exception {
        try (PerfProcess perf = start(Map.of("PROXYRT_COLL_TRANSPORT", transport), ENDLESS)) {
            List<ProcessHandle> ranks = perf.ranks(4);
            awaitTraffic(perf);
            if (transport.equals("NET")) {
                awaitSends(4);
            }
            long pid = ranks.get(victim).pid();
            ranks.get(victim).destroyForcibly();

            long start = System.nanoTime();
            for (ProcessHandle rank : ranks) {
                rank.onExit().get(10, TimeUnit.SECONDS);
            }
            assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(10));
            assertNotEquals(0, perf.await(LONG), perf::toString);
            for (int rank : IntStream.range(0, 4).filter(rank -> rank != victim).toArray()) {
                assertTrue(perf.err().stream().anyMatch(line -> line.startsWith("[rank " + rank
                        + "] proxyrt perf: rank " + rank + ": ")
                        && line.contains("rank " + victim + " (pid " + pid)), perf::toString);
                assertTrue(perf.err().stream().anyMatch(line -> line.startsWith("proxyrt perf: rank " + rank + " (pid ")
                        && line.endsWith("failed, with status 1")), perf::toString);
            }
            assertTrue(perf.err().contains("proxyrt perf: rank " + victim + " (pid " + pid
                    + ") was killed by signal 9 (SIGKILL)"), perf::toString);
        }
        assertNothingIsLeft();
    }

    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldTakeItsRanksWithItWhenAskedToEnd() throws Exception {
        try (PerfProcess perf = start(Map.of(), ENDLESS)) {
            List<ProcessHandle> ranks = perf.ranks(4);
            awaitTraffic(perf);
            perf.process().destroy();
            assertEquals(128 + 15, perf.await(LONG), perf::toString);
            assertTrue(ranks.stream().noneMatch(ProcessHandle::isAlive));
            assertEquals(List.of(), perf.err().stream().filter(line -> line.contains("internal error")).toList());
        }
        assertNothingIsLeft();
    }

    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldNotBeOutlivedByItsRanksWhenItIsKilled() throws Exception {
        try (PerfProcess perf = start(Map.of(), ENDLESS)) {
            List<ProcessHandle> ranks = perf.ranks(4);
            awaitTraffic(perf);
            perf.process().destroyForcibly();
            for (ProcessHandle rank : ranks) {
                rank.onExit().get(20, TimeUnit.SECONDS);
            }
        }
        assertNothingIsLeft();
    }

    @Test
    void shouldFailWithOneLineIfARankCannotStart() throws Exception {
        try (PerfProcess perf = start(Map.of(ChildCommand.JAVA_OPTIONS, "-XX:+NoSuchOption"), "perf", "all_reduce",
                "--ranks", "2")) {
            assertEquals(1, perf.await(LONG), perf::toString);
            assertTrue(perf.err().stream().anyMatch(line -> line.contains("NoSuchOption")), perf::toString);
            assertTrue(perf.err().stream().anyMatch(line -> line.matches(
                    "proxyrt perf: rank [01] \\(pid \\d+\\) failed, with status 1")), perf::toString);
        }
        assertNothingIsLeft();
    }

    @Test
    void shouldBeRanksOfALauncherWithOneTable() throws Exception {
        List<PerfProcess> ranks = new ArrayList<>();
        try {
            for (int rank = 0; rank < 2; rank++) {
                ranks.add(start(Map.of("OMPI_COMM_WORLD_RANK", "" + rank, "OMPI_COMM_WORLD_SIZE", "2",
                        "OMPI_COMM_WORLD_LOCAL_RANK", "" + rank, "OMPI_COMM_WORLD_LOCAL_SIZE", "2", "PMIX_NAMESPACE",
                        "test-" + ProcessHandle.current().pid()), "perf", "sendrecv", "-b", "8", "-e", "1K", "-n", "2",
                        "--jit-warmup", "0"));
            }
            for (PerfProcess rank : ranks) {
                assertEquals(0, rank.await(LONG), rank::toString);
                assertEquals(List.of(), rank.err());
            }
            assertTrue(ranks.get(0).out().contains("# Out of bounds values : 0 OK"), () -> ranks.get(0).toString());
            assertEquals(List.of(), ranks.get(1).out());
        } finally {
            ranks.forEach(PerfProcess::close);
        }
        assertNothingIsLeft();
    }

    @Test
    void shouldRefuseRanksThatContradictTheLauncher() throws Exception {
        try (PerfProcess perf = start(Map.of("OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "2"), "perf",
                "all_reduce", "--ranks", "3")) {
            assertEquals(2, perf.await(LONG), perf::toString);
            assertEquals(1, perf.err().size(), perf::toString);
            assertTrue(perf.err().getFirst().contains("--ranks 3, but Open MPI started 2 processes"), perf::toString);
        }
    }

    private PerfProcess start(Map<String, String> environment, String... arguments) throws IOException {
        return new PerfProcess(folder.resolve("runtimes"), environment, arguments);
    }

    /** Until the ranks are at the endless measurement: the titles of its table are printed right before. */
    private static void awaitTraffic(PerfProcess perf) throws InterruptedException {
        perf.awaitOut(lines -> lines.stream().anyMatch(line -> line.contains("(elements)")));
    }

    /** Until every rank has sent a good deal. */
    private void awaitSends(int nRanks) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (RuntimeDirectory.list(folder.resolve("runtimes")).stream().filter(RankProcessesTest::isBusy).count()
                < nRanks) {
            assertTrue(System.nanoTime() - deadline < 0, "no traffic");
            LockSupport.parkNanos(20_000_000);
        }
    }

    private static boolean isBusy(RuntimeDirectory.Entry entry) {
        try (CountersReader reader = CountersReader.open(entry.counters())) {
            return reader.value(Counter.NET_ISENDS.ordinal()) > 100;
        }
    }

    private void assertNothingIsLeft() throws IOException {
        Path runtimes = folder.resolve("runtimes");
        if (Files.exists(runtimes)) {
            try (Stream<Path> files = Files.walk(runtimes)) {
                assertEquals(List.of(runtimes), files.toList());
            }
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertFalse(files.anyMatch(file -> !file.equals(runtimes)));
        }
    }
}
