/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapConfig;
import io.proxyrt.testkit.ChildJvm;
import io.proxyrt.testkit.Extent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole jobs one rank of which dies, or leaves in the midst of it: all others name it, the neighbours and the rest. */
@Tag(Extent.SCALED)
class DepartureTest {
    /** Ends hangs: without a word, survivors would wait half a minute and name no rank. */
    private static final Duration BOUND = Duration.ofSeconds(15);
    private static final int RANKS = 4;

    @TempDir
    private Path folder;

    static Stream<Arguments> matrix() {
        List<List<String>> ways = List.of(List.of("SHM"), List.of("SHM", "shm.use.memcpy=1", "shm.memcpy.mode=3"),
                List.of("P2P", "p2p.host=1"), List.of("SHM", "coll.algo=tree"), List.of("NET", "coll.transport=NET"),
                List.of("NET", "coll.transport=NET", "coll.algo=tree"));
        return Extent.sample(9, Stream.concat(
                Stream.of("exit", "halt").map(fate -> Arguments.of(ways.getFirst(), fate)),
                ways.stream().flatMap(way -> Stream.of("kill", "throw", "exhaust")
                        .map(fate -> Arguments.of(way, fate)))));
    }

    @ParameterizedTest
    @MethodSource("matrix")
    void shouldNameAtAllRanksWhoIsGone(List<String> way, String fate) throws IOException {
        int victim = 2;
        try (ChildJob job = new ChildJob(way.getFirst(), RANKS, folder, Stream.concat(way.stream().skip(1),
                Stream.of("threading=dedicated")).toArray(String[]::new))) {
            job.join(BootstrapConfig.defaults());
            long startNs;
            if (fate.equals("kill")) {
                job.run();
                startNs = System.nanoTime();
                job.rank(victim).signal("KILL");
            } else {
                startNs = System.nanoTime();
                job.run(victim, fate);
            }
            for (ChildJvm survivor : job.others(victim)) {
                String line = survivor.line();
                assertTrue(line.startsWith("failed REMOTE_ERROR rank ") && line.contains("rank " + victim + " (pid "
                        + job.rank(victim).pid()), line);
            }
            Duration took = Duration.ofNanos(System.nanoTime() - startNs);
            assertTrue(took.compareTo(BOUND) < 0, "survivors were told after " + took);
            job.others(victim).forEach(survivor -> survivor.tell("close"));
            job.others(victim).forEach(survivor -> assertEquals("closed", survivor.line()));
        }
    }
}
