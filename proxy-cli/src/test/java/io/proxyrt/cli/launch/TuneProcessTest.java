/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.collectives.TuningProfile;
import io.proxyrt.collectives.TuningTable;
import io.proxyrt.testkit.Extent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A profile from its measurement to a runtime that goes by it, in processes. */
@Tag(Extent.ONLY_FULL)
class TuneProcessTest {
    private static final Duration LONG = Duration.ofSeconds(240);

    @TempDir
    private Path folder;

    @Test
    void shouldMeasureAProfileThatRuntimesFind() throws Exception {
        Map<String, String> home = Map.of("XDG_CONFIG_HOME", folder.toString());
        try (PerfProcess tune = new PerfProcess(folder.resolve("runtimes"), home, "tune", "--ranks", "2,3",
                "--transport", "shm,net", "--seconds", "4")) {
            assertEquals(0, tune.await(LONG), tune::toString);
            assertEquals(20, tune.out().stream().filter(line -> line.matches("(SHM|NET)  .* [23]  .*")).count(),
                    tune::toString);
        }
        TuningProfile profile = TuningProfile.read(folder.resolve("proxyrt").resolve("tuning.profile"));
        Map<String, Set<Integer>> ranks = profile.tables().stream().collect(Collectors.groupingBy(
                TuningTable::transport, Collectors.mapping(TuningTable::ranks, Collectors.toSet())));
        assertEquals(Map.of("SHM", Set.of(2, 3), "NET", Set.of(2, 3)), ranks);
        requirePerf(home, true);
        requirePerf(Map.of("XDG_CONFIG_HOME", folder.toString(), "PROXYRT_COLL_TUNING_PROFILE", "none"), false);
    }

    private void requirePerf(Map<String, String> environment, boolean isTuned) throws Exception {
        Map<String, String> logging = new HashMap<>(environment);
        logging.put("PROXYRT_LOG", "info");
        try (PerfProcess perf = new PerfProcess(folder.resolve("runtimes"), logging, "perf", "all_reduce", "--ranks",
                "2", "-b", "8", "-e", "1M", "-f", "8", "--jit-warmup", "0", "--in-process")) {
            assertEquals(0, perf.await(LONG), perf::toString);
            assertTrue(perf.out().contains("# Out of bounds values : 0 OK"), perf::toString);
            List<String> told = perf.err().stream().filter(line -> line.contains("algorithms are chosen by ")).toList();
            assertEquals(isTuned ? 1 : 0, told.size(), perf::toString);
        }
    }
}
