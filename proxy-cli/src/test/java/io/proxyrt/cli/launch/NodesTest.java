/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One host that is taken for several. */
class NodesTest {
    private static final Duration LONG = Duration.ofSeconds(120);

    @TempDir
    private Path folder;

    @Test
    void shouldTakeNeighboursForRanksOfOneNode() {
        RankConfigs configs = RankConfigs.same(config("")).onNodes(3);
        List<String> hosts = hosts(configs, 6);
        assertEquals(1, hosts.subList(0, 3).stream().distinct().count(), hosts::toString);
        assertEquals(1, hosts.subList(3, 6).stream().distinct().count(), hosts::toString);
        assertNotEquals(hosts.getFirst(), hosts.getLast());
        assertTrue(hosts.getLast().endsWith(" node 1"), hosts::toString);
    }

    @Test
    void shouldKeepHostsApartThatAreToldApart() {
        assertEquals(List.of("moon node 0", "moon node 1"), hosts(RankConfigs.same(config("moon")).onNodes(1), 2));
        assertEquals(List.of("moon", "moon"), hosts(RankConfigs.same(config("moon")), 2));
    }

    @Test
    void shouldDealDevicesToTheRanksOfAllNodes() {
        RankConfigs configs = new RankConfigs(config(""), "cuda", 4, 0).onNodes(2);
        assertEquals(List.of("cuda:0", "cuda:1", "cuda:2", "cuda:3"), IntStream.range(0, 4)
                .mapToObj(rank -> configs.of(rank).get(CoreOptions.DEVICE)).toList());
    }

    @ParameterizedTest
    @CsvSource({"--unbound", "--in-process"})
    void shouldConnectNodesByNetworksOnly(String way) throws Exception {
        try (PerfProcess perf = perf(Map.of(), way, "--nodes", "2")) {
            assertEquals(0, perf.await(LONG), perf::toString);
            List<String> ranks = perf.out().stream().filter(line -> line.startsWith("#  Rank ")).toList();
            assertEquals(4, ranks.size(), perf::toString);
            assertTrue(ranks.get(0).contains(" node 0' device") && ranks.get(0).contains(", SHM to 1, NET to 2-3, "),
                    perf::toString);
            assertTrue(ranks.get(3).contains(" node 1' device") && ranks.get(3).contains(", NET to 0-1, SHM to 2, "),
                    perf::toString);
            assertTrue(perf.out().contains("# Out of bounds values : 0 OK"), perf::toString);
        }
    }

    @Test
    void shouldSayWhetherTheNetworkCarriesOutCollectives() throws Exception {
        Path json = folder.resolve("results.json");
        try (PerfProcess perf = perf(Map.of(), "--nodes", "2", "--in-process", "--algo", "collnet", "--set",
                "coll.collnet.nodes=3", "--json", json.toString())) {
            assertEquals(0, perf.await(LONG), perf::toString);
            assertTrue(perf.out().contains("# CollNet not used: the ranks are on 2 nodes, and "
                    + "proxyrt.coll.collnet.nodes is 3"), perf::toString);
        }
        assertTrue(Files.readString(json).contains("\"collNet\" : \"not used: the ranks are on 2 nodes"));
    }

    @Test
    void shouldRefuseNodesForRanksThatMayBeOnSeveralHosts() throws Exception {
        try (PerfProcess perf = perf(Map.of("PROXYRT_RANK", "0", "PROXYRT_NRANKS", "4"), "--nodes", "2")) {
            assertEquals(2, perf.await(LONG), perf::toString);
            assertTrue(perf.err().getFirst().contains("--nodes is 2: that takes ranks that are on one host for "),
                    perf::toString);
        }
    }

    private PerfProcess perf(Map<String, String> environment, String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of("perf", "all_reduce", "--ranks", "4", "-b", "8", "-e", "64K", "-f",
                "8192", "-n", "2", "-w", "1", "--jit-warmup", "0"));
        words.addAll(List.of(arguments));
        return new PerfProcess(folder, environment, words.toArray(String[]::new));
    }

    private static List<String> hosts(RankConfigs configs, int nRanks) {
        return IntStream.range(0, nRanks).mapToObj(rank -> configs.of(rank).get(CoreOptions.HOST_ID)).toList();
    }

    private static ProxyConfig config(String host) {
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.HOST_ID, host).build();
    }
}
