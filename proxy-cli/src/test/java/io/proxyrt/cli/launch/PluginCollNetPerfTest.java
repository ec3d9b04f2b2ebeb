/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.testkit.plugin.ShmCollNetPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Collectives of ranks in processes of their own, carried out by the plug-in that NCCL_NET_PLUGIN names. */
class PluginCollNetPerfTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    private Path folder;

    @BeforeAll
    static void requireACompiler() {
        assumeTrue(ShmCollNetPlugin.whyNot().isEmpty(), ShmCollNetPlugin::whyNot);
    }

    @ParameterizedTest
    @CsvSource({"12, all_reduce", "12, all_gather", "6, all_reduce"})
    void shouldFindNothingWrong(int version, String collective) throws Exception {
        String library = ShmCollNetPlugin.library(version).toString();
        try (PerfProcess perf = new PerfProcess(folder, Map.of("NCCL_NET_PLUGIN", library), "perf", collective,
                "--ranks", "4", "--nodes", "2", "--algo", "collnetdirect", "-b", "8", "-e", "1M", "-f", "32", "-n", "3",
                "-w", "1", "--jit-warmup", "0", "--set", "collnet=" + ShmCollNetPlugin.NAME)) {
            assertEquals(0, perf.await(PATIENCE), perf::toString);
            assertTrue(perf.out().stream().anyMatch(line -> line.startsWith("# CollNet used: ")), perf::toString);
            List<String[]> rows = perf.out().stream().filter(line -> !line.startsWith("#"))
                    .map(line -> line.strip().split("\\s+")).toList();
            assertEquals(4, rows.size(), perf::toString);
            assertTrue(rows.stream().allMatch(row -> row[8].equals("0")), perf::toString);
            assertTrue(perf.out().contains("# Out of bounds values : 0 OK"), perf::toString);
        }
    }
}
