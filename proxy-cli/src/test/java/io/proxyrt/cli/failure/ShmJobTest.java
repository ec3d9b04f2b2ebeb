/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.bootstrap.BootstrapConfig;
import io.proxyrt.testkit.ChildJvm;
import io.proxyrt.testkit.Extent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole jobs whose ranks share memory, when one of their processes comes to harm. */
@Tag(Extent.ONLY_FULL)
class ShmJobTest {
    private static final BootstrapConfig DEFAULTS = BootstrapConfig.defaults();
    private static final BootstrapConfig HASTY = DEFAULTS.withHeartbeat(Duration.ofMillis(100), Duration.ofSeconds(2));
    private static final int CHANNELS = 16;
    /** Who may read what this user may, the classes. */
    private static final String OTHER_USER = "setpriv --reuid 65534 --clear-groups --inh-caps +dac_read_search "
            + "--ambient-caps +dac_read_search";
    private static final long BOUND_NS = TimeUnit.SECONDS.toNanos(10);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"2,0,memfd", "2,1,file", "4,2,memfd"})
    void shouldNameTheRankThatIsKilledWhileItRunsAndGiveEverythingBack(int nRanks, int victim, String segment)
            throws IOException {
        try (ChildJob job = job(nRanks, "shm.segment=" + segment)) {
            job.rehearse();
            job.join(DEFAULTS);
            job.run();
            fail(job, victim, "KILL", "died");
            assertNothingIsLeft(job, victim);
        }
    }

    @ParameterizedTest
    @CsvSource({"4,file", "32,memfd"})
    void shouldNameTheRankThatIsKilledWhileItGetsConnected(int connections, String segment) throws IOException {
        try (ChildJob job = job(2, "shm.segment=" + segment, "coll.channels=" + CHANNELS)) {
            job.rehearse();
            job.beginToJoin(DEFAULTS);
            job.awaitConnections(1, connections);
            fail(job, 1, "KILL", "died");
            assertEquals("same", answer(job.rank(0), "compare"));
            job.replace(1);
            job.rehearse();
            assertEquals(List.of(), segments());
        }
    }

    @Test
    void shouldCloseWhenAnotherIsKilledWhileAllClose() throws IOException {
        try (ChildJob job = job(2, "shm.segment=file")) {
            job.rehearse();
            job.join(DEFAULTS);
            job.tellAll("reduce", "reduced");
            job.rank(1).tell("close");
            job.rank(1).signal("KILL");
            long startNs = System.nanoTime();
            assertNothingIsLeft(job, 1);
            assertTrue(System.nanoTime() - startNs < BOUND_NS);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNameTheRankThatIsStoppedForTooLong(boolean isRunning) throws IOException {
        try (ChildJob job = job(2, "coll.channels=" + CHANNELS, "coll.silence.timeout=2s")) {
            job.rehearse();
            if (isRunning) {
                job.join(HASTY);
                job.run();
            } else {
                job.beginToJoin(HASTY);
                job.awaitConnections(1, 2 * CHANNELS);
            }
            fail(job, 1, "STOP", "died: silent for");
            if (isRunning) {
                assertEquals("closed", answer(job.rank(0), "close"));
            }
            assertEquals("same", answer(job.rank(0), "compare"));
        }
    }

    @Test
    void shouldSayAtEveryRankWhatToDoWhereThereIsNoRoomForSegments() throws Exception {
        try (ChildJob job = job(2, "shm.segment=file"); SmallFolder _ = new SmallFolder(folder.resolve("segments"))) {
            job.beginToJoin(DEFAULTS);
            for (ChildJvm rank : job.others(-1)) {
                String line = rank.line();
                assertTrue(line.startsWith("failed ") && line.contains("give it more space")
                        && line.contains(folder.resolve("segments").toString()), line);
            }
            assertEquals(List.of(), segments());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", OTHER_USER})
    void shouldGiveNoSegmentToAnUnauthenticatedProcess(String prefix) throws IOException {
        assumeTrue(prefix.isEmpty() || "root".equals(System.getProperty("user.name")), "takes another user");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        try (ChildJob job = job(2, "threading=dedicated")) {
            job.join(DEFAULTS);
            try (ChildJvm peer = new ChildJvm(Stream.of(prefix.split(" ")).filter(word -> !word.isEmpty()).toList(),
                    UnauthenticatedPeer.class, answer(job.rank(0), "uds"), folder.resolve("peer").toString())) {
                String line = peer.line();
                assertTrue(line.startsWith("refused REMOTE_ERROR "), line);
                assertTrue(prefix.isEmpty() || line.contains("user 65534 is not admitted"), line);
            }
            job.tellAll("reduce", "reduced");
            job.tellAll("close", "closed");
        }
    }

    private ChildJob job(int nRanks, String... options) throws IOException {
        Files.createDirectories(folder.resolve("segments"));
        return new ChildJob("SHM", nRanks, folder.resolve("runtimes"), Stream.concat(Stream.of(options),
                Stream.of("shm.directory=" + folder.resolve("segments"))).toArray(String[]::new));
    }

    /** Does harm to a rank, and expects all others to name it soon. */
    private static void fail(ChildJob job, int victim, String signal, String how) throws IOException {
        long startNs = System.nanoTime();
        job.rank(victim).signal(signal);
        for (ChildJvm survivor : job.others(victim)) {
            String line = survivor.line();
            assertTrue(line.startsWith("failed REMOTE_ERROR rank ") && line.contains("rank " + victim + " (pid "
                    + job.rank(victim).pid()) && line.contains(how), line);
        }
        assertTrue(System.nanoTime() - startNs < BOUND_NS, "survivors were told after "
                + Duration.ofNanos(System.nanoTime() - startNs));
    }

    private void assertNothingIsLeft(ChildJob job, int victim) throws IOException {
        for (ChildJvm survivor : job.others(victim)) {
            assertEquals("closed", answer(survivor, "close"));
            assertEquals("same", answer(survivor, "compare"));
        }
        assertEquals(List.of(), segments());
    }

    private static String answer(ChildJvm rank, String command) {
        rank.tell(command);
        return rank.line();
    }

    private List<Path> segments() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("segments"))) {
            return files.toList();
        }
    }
}
