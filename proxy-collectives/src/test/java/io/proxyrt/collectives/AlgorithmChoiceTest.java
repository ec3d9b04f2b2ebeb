/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.collectives.TuningTable.Range;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.config.ProxyConfig;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What collectives of the host go by: limits of sizes, a profile, and what the user asks for. */
class AlgorithmChoiceTest {
    private static final long SLOT = 64 << 10;
    private static final TuningProfile PROFILE = new TuningProfile("test", List.of(
            table("SHM", CollFunction.ALL_REDUCE, "100 RING", "1000 DOUBLING", "10000 TREE", "100000 DOUBLING",
            "200000 TREE"),
            table("SHM", CollFunction.ALL_GATHER, "1000000 PAT"), table("SHM", CollFunction.REDUCE_SCATTER, "50 PAT"),
            table("SHM", CollFunction.BROADCAST, "1000 TREE", "2000 RING", "3000 TREE"),
            table("SHM", CollFunction.REDUCE, "1000 PAT", "2000 TREE"),
            table("NET", CollFunction.ALL_REDUCE, "1000 TREE")));

    private static TuningTable table(String transport, CollFunction function, String... ranges) {
        return new TuningTable(transport, function, 4, List.of(ranges).stream().map(range -> range.split(" "))
                .map(words -> new Range(Long.parseLong(words[0]), Algorithm.valueOf(words[1]))).toList(), Map.of());
    }

    private static AlgorithmChoice choice(String algorithms, TuningProfile profile, int nRanks, HostPath path) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of("NCCL_ALGO", algorithms)).build();
        return new AlgorithmChoice(config, profile, nRanks, SLOT, path, false);
    }

    /** Doubling ends at a slot, rounds of pat at half of one, and what is larger goes as what follows. */
    @ParameterizedTest
    @CsvSource({"ALL_REDUCE, 0, RING", "ALL_REDUCE, 1, RING", "ALL_REDUCE, 100, RING", "ALL_REDUCE, 101, DOUBLING",
        "ALL_REDUCE, 1001, TREE", "ALL_REDUCE, 65536, DOUBLING", "ALL_REDUCE, 65537, TREE",
        "ALL_REDUCE, 100001, TREE", "ALL_REDUCE, 200001, RING",
        "ALL_GATHER, 32768, PAT", "ALL_GATHER, 32769, RING", "REDUCE_SCATTER, 50, PAT", "REDUCE_SCATTER, 51, RING",
        "BROADCAST, 1000, TREE", "BROADCAST, 1001, RING", "BROADCAST, 2001, TREE", "BROADCAST, 3001, RING",
        "REDUCE, 1, TREE", "REDUCE, 2001, RING", "ALL_GATHERV, 8, RING", "ALL_TO_ALL, 8, RING"})
    void shouldGoByTheProfile(CollFunction function, long bytes, Algorithm expected) {
        assertEquals(expected, choice("", PROFILE, 4, HostPath.SHM).of(function, bytes));
        assertEquals(expected, choice("auto", PROFILE, 4, HostPath.SHM).of(function, bytes));
    }

    @ParameterizedTest
    @CsvSource({"'', 4, NET, 8, TREE", "'', 4, NET, 1001, RING", "'', 4, MIXED, 1001, DOUBLING",
        "'', 4, MIXED, 65537, RING", "'', 9, SHM, 101, DOUBLING", "'', 9, SHM, 32769, RING", "'', 1, SHM, 101, RING",
        "'', 8, SHM, 1, RING", "ring, 4, SHM, 101, RING", "tree, 4, SHM, 1, TREE",
        "'ring,doubling', 4, SHM, 1, DOUBLING", "^tree, 4, SHM, 32769, RING", "allreduce:tree, 4, SHM, 1, TREE",
        "^collnet, 4, SHM, 1, RING", "broadcast:ring, 4, SHM, 1, RING", "doubling, 4, SHM, 65537, RING"})
    void shouldPutTheUserAndWhatWasMeasuredFirst(String algorithms, int nRanks, HostPath path, long bytes,
            Algorithm expected) {
        assertEquals(expected, choice(algorithms, PROFILE, nRanks, path).of(CollFunction.ALL_REDUCE, bytes));
    }

    @Test
    void shouldGoByLimitsWhereThereAreNodesThatAreAlike() {
        AlgorithmChoice nodes = new AlgorithmChoice(ProxyConfig.builder().environment(Map.of()).build(), PROFILE, 4,
                SLOT, HostPath.NET, true);
        assertEquals(Algorithm.DOUBLING, nodes.of(CollFunction.ALL_REDUCE, 1));
        assertEquals(Algorithm.HIERARCHICAL, nodes.of(CollFunction.ALL_REDUCE, SLOT + 1));
        assertEquals(Algorithm.RING, nodes.of(CollFunction.BROADCAST, SLOT + 1));
    }

    /** Three gather in as many hops as they double. */
    @Test
    void shouldNotDoubleAFewRanksBecauseFourDo() {
        AlgorithmChoice three = choice("", PROFILE, 3, HostPath.SHM);
        assertEquals(Algorithm.TREE, three.of(CollFunction.ALL_REDUCE, 101));
        assertEquals(Algorithm.RING, three.of(CollFunction.ALL_REDUCE, 100));
    }

    @Test
    void shouldGoByLimitsWithoutAProfile() {
        AlgorithmChoice direct = choice("", TuningProfile.NONE, 4, HostPath.SHM);
        assertEquals(Algorithm.DOUBLING, direct.of(CollFunction.ALL_REDUCE, 32 << 10));
        assertEquals(Algorithm.RING, direct.of(CollFunction.ALL_REDUCE, (32 << 10) + 1));
        assertEquals(Algorithm.PAT, direct.of(CollFunction.ALL_GATHER, 8 << 10));
        assertEquals(Algorithm.RING, direct.of(CollFunction.REDUCE_SCATTER, (8 << 10) + 1));
        assertEquals(Algorithm.RING, direct.of(CollFunction.BROADCAST, 1));
        assertEquals(Algorithm.RING, choice("", TuningProfile.NONE, 5, HostPath.SHM).of(CollFunction.ALL_REDUCE, 8));
        assertEquals(Algorithm.DOUBLING, choice("", TuningProfile.NONE, 6, HostPath.NET)
                .of(CollFunction.ALL_REDUCE, SLOT));
    }

    @Test
    void shouldTellAllChanges() {
        assertEquals("a ring up to 100 bytes, else recursive doubling up to 1000 bytes, else trees up to 10000 bytes, "
                + "else recursive doubling up to 65536 bytes, else trees up to 200000 bytes, else ",
                choice("", PROFILE, 4, HostPath.SHM).describe());
        assertEquals("", choice("ring", PROFILE, 4, HostPath.SHM).describe());
    }
}
