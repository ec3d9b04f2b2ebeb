/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.collectives.bootstrap.BootstrapConfig;
import io.proxyrt.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole jobs whose ranks share memory, when one of their processes comes to harm. */
@Timeout(180)
class ShmJobTest {
    private static final BootstrapConfig DEFAULTS = BootstrapConfig.defaults();
    private static final int CHANNELS = 16;
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
            kill(job, victim, "died");
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
            kill(job, 1, "died");
            assertEquals("same", answer(job.rank(0), "compare"));
            job.replace(1);
            job.rehearse();
            assertEquals(List.of(), segments());
        }
    }

    private ChildJob job(int nRanks, String... options) throws IOException {
        Files.createDirectories(folder.resolve("segments"));
        return new ChildJob(nRanks, folder.resolve("runtimes"), Stream.concat(Stream.of(options),
                Stream.of("shm.directory=" + folder.resolve("segments"))).toArray(String[]::new));
    }

    private static void kill(ChildJob job, int victim, String how) throws IOException {
        long startNs = System.nanoTime();
        job.rank(victim).signal("KILL");
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
