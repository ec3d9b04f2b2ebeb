/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.testkit.ChildJvm;
import io.proxyrt.testkit.Extent;
import io.proxyrt.testkit.TwoHosts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two ranks on two hosts, whose cable is slow, cut, or wrong. The figures go to docs/transports.md. */
class TwoHostsTest {
    private static final String PORTS = "31000-31099";
    /** Those of the bootstrap, too. */
    private static final String ALL_PORTS = "1-65535";
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private final List<PerfProcess> ranks = new ArrayList<>();
    @TempDir
    private Path folder;
    private TwoHosts hosts;

    @BeforeAll
    static void requireHosts() {
        String whyNot = TwoHosts.whyNot();
        assumeTrue(whyNot.isEmpty(), whyNot);
    }

    @BeforeEach
    void open() throws IOException {
        hosts = new TwoHosts();
    }

    @AfterEach
    void close() {
        ranks.forEach(PerfProcess::close);
        hosts.close();
    }

    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldFillASlowCableThatIsNarrowerOnOneSide() throws Exception {
        hosts.limit(200, 100);
        hosts.mtu(1, 1280);
        start("perf", "sendrecv", "-b", "1M", "-e", "2M", "-n", "5", "-w", "1", "--jit-warmup", "0");
        assertEndsWell();

        List<String[]> rows = ranks.getFirst().out().stream().filter(line -> !line.startsWith("#"))
                .map(line -> line.strip().split("\\s+")).toList();
        for (String[] row : rows) {
            double mbits = Long.parseLong(row[0]) * 8 / Double.parseDouble(row[5]);
            assertTrue(mbits > 20 && mbits < 220, String.join(" ", row));
            assertEquals("0", row[8], String.join(" ", row));
            report("200 Mb/s, up to 100 ms in the queue, MTU 1500 and 1280: %s MiB each way at %.0f Mb/s",
                    Long.parseLong(row[0]) >> 20, mbits);
        }
        assertEquals(2, rows.size());
    }

    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldGoOnAfterACutOfTwoSeconds() throws Exception {
        soak("--duration", "8s", "--max-bytes", "1M");
        goThrough(2000, hosts::cut, "cut for %.2f s: resumed %.2f s after it was mended");
    }

    @Test
    void shouldResumeConnectionsThatWereReset() throws Exception {
        soak("--duration", "8s", "--max-bytes", "1M", "--set", "net.socket.ports=" + PORTS, "--set",
                "net.socket.resume=20s");
        goThrough(1000, () -> hosts.reset(PORTS),
                "all connections reset for %.2f s: resumed %.2f s after that");
    }

    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldOutliveAResetOfEverythingThatAJobHasOpen() throws Exception {
        soak("--duration", "8s", "--max-bytes", "1M", "--set", "net.socket.resume=20s");
        goThrough(500, () -> hosts.reset(ALL_PORTS),
                "all of TCP reset for %.2f s, the bootstrap's links included: resumed %.2f s after that");
    }

    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldNameThePeerWhenAResetLastsLongerThanConnectionsMayTakeToComeBack() throws Exception {
        soak("--duration", "60s", "--max-bytes", "1M", "--set", "net.socket.resume=1s");
        awaitRounds(5);
        hosts.reset(ALL_PORTS);
        for (int rank = 0; rank < 2; rank++) {
            assertEquals(1, ranks.get(rank).await(PATIENCE), ranks.get(rank)::toString);
            String reason = ranks.get(rank).err().getLast();
            assertTrue(reason.contains("rank " + (1 - rank)), reason);
            report("all of TCP reset for longer than net.socket.resume: rank %d: %s", rank, reason);
        }
    }

    /** Rank 1 reads what it was sent when its acknowledgements are lost: rank 0's end has nothing to send again. */
    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldResumeConnectionsOfWhichOneEndAloneWasTold() throws Exception {
        soak("--duration", "8s", "--max-bytes", "16K", "--set", "net.socket.ports=" + PORTS, "--set",
                "net.socket.resume=20s");
        goThrough(1000, () -> {
            stopWithSomethingToRead();
            hosts.resetHalf(0, PORTS);
            awaitArrival();
            signal("CONT");
        }, "one end of each connection reset for %.2f s: resumed %.2f s after that");
    }

    /** Ten minutes of it: {@code -Dweather=600 -Dweather.seed=…}. */
    @ParameterizedTest
    @CsvSource({"0, 1, 0, invoker", "1, 2, 1, dedicated"})
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    @Tag(Extent.ONLY_FULL)
    void shouldOutliveAnyWeather(int threads, int sockets, int checksum, String threading) throws Exception {
        int seconds = Integer.getInteger("weather", 10);
        long seed = Long.getLong("weather.seed", 3);
        soak("--duration", seconds + "s", "--max-bytes", "200K", "--set", "net.socket.ports=" + PORTS,
                "--set", "net.socket.resume=20s", "--set", "net.socket.threads=" + threads,
                "--set", "net.socket.sockets.per.thread=" + sockets, "--set", "net.socket.checksum=" + checksum,
                "--set", "threading=" + threading);
        awaitRounds(5);
        Random random = new Random(seed);
        int storms = 0;
        for (long startNs = System.nanoTime(); System.nanoTime() - startNs < seconds * 1_000_000_000L; storms++) {
            storm(random);
            Thread.sleep(random.nextInt(20, 1200));
            hosts.mend();
            Thread.sleep(random.nextInt(20, 1200));
        }
        assertEndsWell();

        assertTrue(ranks.getFirst().out().getLast().startsWith("# Nothing wrong"), ranks.getFirst()::toString);
        report("%d storms in %d s, seed %d: %s", storms, seconds, seed, ranks.getFirst().out().getLast());
    }

    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldFailInTimeAndNameThePeerWhenTheCableStaysCut() throws Exception {
        soak("--duration", "60s", "--max-bytes", "1M", "--set", "coll.silence.timeout=5s");
        awaitRounds(5);
        hosts.cut();
        long cutNs = System.nanoTime();
        for (int rank = 0; rank < 2; rank++) {
            assertEquals(1, ranks.get(rank).await(PATIENCE), ranks.get(rank)::toString);
            // The root is with rank 0, so rank 1 misses that.
            String peer = rank == 0 ? "rank 1 (pid" : hosts.address(0);
            assertTrue(ranks.get(rank).err().getLast().contains(peer), ranks.get(rank)::toString);
            report("cut for good: rank %d ended after %.2f s: %s", rank, (System.nanoTime() - cutNs) / 1e9,
                    ranks.get(rank).err().getLast());
        }
    }

    /**
     * Cut among the timed operations of the only row, which take minutes: between rows, and behind the operation that
     * comes before the timed ones, a rank that has sent and received all has nothing that stands still.
     */
    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldFailSoonerWithADeadlineOnStandingData() throws Exception {
        hosts.limit(1000, 50);
        start("perf", "sendrecv", "-b", "64M", "-e", "64M", "-n", "1000", "-w", "0", "-c", "0",
                "--jit-warmup", "0", "--set", "net.socket.timeout=1s");
        awaitTraffic(96 << 20);
        hosts.cut();
        long cutNs = System.nanoTime();
        for (int rank = 0; rank < 2; rank++) {
            assertEquals(1, ranks.get(rank).await(PATIENCE), ranks.get(rank)::toString);
            String reason = ranks.get(rank).err().getLast();
            assertTrue(reason.contains("rank " + (1 - rank) + " at " + hosts.address(1 - rank)), reason);
            assertTrue(reason.contains("stood still for 1000 ms"), reason);
            report("cut for good, net.socket.timeout=1s: rank %d ended after %.2f s: %s", rank,
                    (System.nanoTime() - cutNs) / 1e9, reason);
        }
    }

    /** Something done to the cable. */
    @FunctionalInterface
    private interface Outage {
        void begin() throws IOException;
    }

    /** A soak stands still during an outage, then goes on, and ends well. */
    private void goThrough(long outageMs, Outage outage, String report) throws Exception {
        awaitRounds(5);
        long beforeNs = System.nanoTime();
        outage.begin();
        // The outage is as long as it is; nothing is awaited by this.
        Thread.sleep(outageMs / 2);
        long standing = rounds();
        Thread.sleep(outageMs / 2);
        assertEquals(standing, rounds(), "traffic went on without the cable");
        hosts.mend();
        long mendedNs = System.nanoTime();
        awaitRounds(standing + 2);
        long resumedNs = System.nanoTime();
        assertEndsWell();

        assertTrue(ranks.getFirst().out().getLast().startsWith("# Nothing wrong"), ranks.getFirst()::toString);
        report(report, (mendedNs - beforeNs) / 1e9, (resumedNs - mendedNs) / 1e9);
    }

    /** Of data, or of all that the job has open. */
    private void storm(Random random) throws IOException {
        String ports = random.nextBoolean() ? PORTS : ALL_PORTS;
        switch (random.nextInt(4)) {
            case 0 -> hosts.lose(ports);
            case 1 -> hosts.reset(ports);
            default -> hosts.resetHalf(random.nextInt(2), ports);
        }
    }

    private void soak(String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of("soak", "--seed", "11", "--interval", "50ms"));
        words.addAll(List.of(arguments));
        start(words.toArray(String[]::new));
    }

    private void start(String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.addAll(List.of("--rendezvous", hosts.address(0) + ":29500", "--set", "net.socket.ifname=cable"));
        for (int rank = 0; rank < 2; rank++) {
            ranks.add(new PerfProcess(hosts.prefix(rank), folder.resolve("host" + rank),
                    Map.of("PROXYRT_RANK", Integer.toString(rank), "PROXYRT_NRANKS", "2",
                            "NCCL_HOSTID", "host " + rank, "PROXYRT_SECRET", "of these two"),
                    words.toArray(String[]::new)));
        }
    }

    private void assertEndsWell() throws InterruptedException {
        for (PerfProcess rank : ranks) {
            assertEquals(0, rank.await(PATIENCE), () -> ranks.get(0) + "\n" + ranks.get(1));
        }
    }

    private void awaitTraffic(long bytes) throws IOException {
        long deadlineNs = System.nanoTime() + PATIENCE.toNanos();
        for (long before = hosts.sent(0); hosts.sent(0) - before < bytes;) {
            assertTrue(System.nanoTime() - deadlineNs < 0, ranks.getFirst()::toString);
        }
    }

    /** Stops rank 1 when it has not read all that rank 0 has sent. */
    private void stopWithSomethingToRead() throws IOException {
        long deadlineNs = System.nanoTime() + PATIENCE.toNanos();
        signal("STOP");
        while (hosts.unread(1, PORTS) == 0) {
            assertTrue(System.nanoTime() - deadlineNs < 0, ranks.getFirst()::toString);
            signal("CONT");
            signal("STOP");
        }
    }

    private void signal(String name) throws IOException {
        ChildJvm.signal(ranks.get(1).process().pid(), name);
    }

    /** Waits until all that rank 0 has sent is with rank 1. */
    private void awaitArrival() throws IOException {
        long deadlineNs = System.nanoTime() + PATIENCE.toNanos();
        while (hosts.unacknowledged(0) > 0) {
            assertTrue(System.nanoTime() - deadlineNs < 0, ranks.getFirst()::toString);
        }
    }

    private void awaitRounds(long least) throws InterruptedException {
        ranks.getFirst().awaitOut(lines -> rounds(lines) >= least);
    }

    private long rounds() {
        return rounds(ranks.getFirst().out());
    }

    private static long rounds(List<String> lines) {
        return lines.stream().filter(line -> !line.startsWith("#")).reduce((first, last) -> last)
                .map(line -> Long.parseLong(line.strip().split("\\s+")[1])).orElse(0L);
    }

    private static void report(String format, Object... values) {
        System.out.println("TwoHostsTest: " + String.format(Locale.ROOT, format, values));
    }
}
