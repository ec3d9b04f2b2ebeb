/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.testkit.Extent;
import io.proxyrt.testkit.plugin.TcpNetPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Ranks in processes of their own, over the plug-in that NCCL_NET_PLUGIN names. */
@Tag(Extent.SCALED)
class PluginPerfTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    private Path folder;

    @BeforeAll
    static void requireACompiler() {
        assumeTrue(TcpNetPlugin.whyNot().isEmpty(), TcpNetPlugin::whyNot);
    }

    static Stream<Arguments> shapes() {
        return Extent.sample(61, Stream.of(12, 11, 10, 8, 6).flatMap(version -> Stream.of("auto", "LL", "LL128",
                "simple").flatMap(protocol -> Stream.of(Arguments.of(version, protocol, "all_reduce", 2),
                        Arguments.of(version, protocol, "sendrecv", 4),
                        Arguments.of(version, protocol, "all_gather", 4)))));
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldFindNothingWrong(int version, String protocol, String collective, int nRanks) throws Exception {
        String library = TcpNetPlugin.library(version, TcpNetPlugin.IN_ORDER).toString();
        try (PerfProcess perf = new PerfProcess(folder, Map.of("NCCL_NET_PLUGIN", library), "perf", collective,
                "--transport", "NET", "--ranks", Integer.toString(nRanks), "-b", "8", "-e", "1M", "-f", "32", "-n", "5",
                "-w", "1", "--jit-warmup", "0", "--set", "coll.protocol=" + protocol, "--set", "net=TCP")) {
            assertEquals(0, perf.await(PATIENCE), perf::toString);
            List<String[]> rows = perf.out().stream().filter(line -> !line.startsWith("#"))
                    .map(line -> line.strip().split("\\s+")).toList();
            assertEquals(4, rows.size(), perf::toString);
            assertTrue(rows.stream().allMatch(row -> row[8].equals("0")), perf::toString);
            assertTrue(perf.out().stream().anyMatch(line -> line.contains("Out of bounds values : 0 OK")),
                    perf::toString);
        }
    }
}
