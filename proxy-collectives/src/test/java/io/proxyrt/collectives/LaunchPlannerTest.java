/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the options make of a collective, before any rank is there. */
class LaunchPlannerTest {
    private static ProxyConfig config(Map<String, String> environment) {
        return ProxyConfig.builder().environment(environment).set(CollectivesOptions.LL_BYTES, 1000L)
                .set(CollectivesOptions.LL128_BYTES, 2000L).build();
    }

    private static Protocol protocol(String protocols, CollFunction function, long bytes) {
        LaunchPlanner planner = new LaunchPlanner(config(Map.of("NCCL_PROTO", protocols)), 0, 0, nodes(0, 1), null,
                null);
        CollectiveWork work = work(function, bytes);
        planner.plan(work);
        return work.protocol();
    }

    @ParameterizedTest
    @CsvSource({"'', LL, LL128, SIMPLE", "'LL,Simple', LL, SIMPLE, SIMPLE", "^LL, LL128, LL128, SIMPLE",
        "^Simple, LL, LL128, LL128", "LL, LL, LL, LL", "LL128, LL128, LL128, LL128", "Simple, SIMPLE, SIMPLE, SIMPLE"})
    void shouldChooseBySizeAmongTheProtocolsAllowed(String protocols, Protocol small, Protocol medium, Protocol large) {
        assertEquals(small, protocol(protocols, CollFunction.ALL_REDUCE, 1000));
        assertEquals(medium, protocol(protocols, CollFunction.ALL_REDUCE, 2000));
        assertEquals(large, protocol(protocols, CollFunction.ALL_REDUCE, 2001));
    }

    @Test
    void shouldChooseForEachFunction() {
        assertEquals(Protocol.SIMPLE, protocol("Simple;allreduce:LL", CollFunction.BROADCAST, 8));
        assertEquals(Protocol.LL, protocol("Simple;allreduce:LL", CollFunction.ALL_REDUCE, 8000));
    }

    /** Of a rank's part, which is all of an all-gather's bytes. */
    @ParameterizedTest
    @CsvSource({"NVLINK, ALL_REDUCE, 524288, LL", "NVLINK, ALL_REDUCE, 524289, LL128",
        "NVLINK, ALL_REDUCE, 8388608, LL128", "NVLINK, ALL_REDUCE, 8388612, SIMPLE",
        "NVLINK, ALL_GATHER, 2097152, LL128", "NVLINK, ALL_GATHER, 2097156, SIMPLE",
        "P2P, ALL_REDUCE, 524288, LL", "P2P, ALL_REDUCE, 524289, SIMPLE", "SHM, ALL_REDUCE, 262145, SIMPLE"})
    void shouldChooseByTheWayBetweenFourGpus(GpuPath path, CollFunction function, long bytes, Protocol protocol) {
        LaunchPlanner planner = new LaunchPlanner(ProxyConfig.builder().build(), 0, 4, nodes(4, 1), path, null);
        CollectiveWork work = work(function, bytes);
        planner.plan(work);
        assertEquals(protocol, work.protocol());
    }

    @ParameterizedTest
    @CsvSource({"'', '', 4, P2P, 65536, true", "'', '', 2, P2P, 196608, true", "'', '', 2, P2P, 196609, false",
        "'', '', 2, SHM, 65536, true", "'', '', 2, SHM, 65537, false", "'', '', 9, P2P, 8, false",
        "'', '', 2, NET, 8, false", "ring, '', 2, P2P, 8, false", "'', Simple, 2, P2P, 8, false",
        "'', '', 2, P2P, 0, false"})
    void shouldReduceInOneShotWhatIsSmallAndGoesDirectly(String algorithms, String protocols, int nRanks, GpuPath path,
            long bytes, boolean isOneShot) {
        LaunchPlanner planner = planner(algorithms, protocols, nRanks, path);
        assertEquals(isOneShot ? Algorithm.ONESHOT : Algorithm.RING, planner.algorithm(CollFunction.ALL_REDUCE, bytes));
        assertEquals(Algorithm.RING, planner.algorithm(CollFunction.BROADCAST, bytes));
        assertFalse(isOneShot && planner.isInTwoShots(bytes));
        planner.oneShot(false);
        assertEquals(Algorithm.RING, planner.algorithm(CollFunction.ALL_REDUCE, bytes), "not all reach each other");
    }

    private static LaunchPlanner planner(String algorithms, String protocols, int nRanks, GpuPath path) {
        return new LaunchPlanner(ProxyConfig.builder().environment(Map.of("NCCL_ALGO", algorithms, "NCCL_PROTO",
                protocols)).build(), 0, nRanks, nodes(nRanks, 1), path, null);
    }

    @ParameterizedTest
    @CsvSource({"3, P2P, 98305, 294912", "4, NVLINK, 65537, 262144", "8, SHM, 9363, 74896"})
    void shouldReduceInTwoShotsWhatIsLarger(int nRanks, GpuPath path, long least, long most) {
        LaunchPlanner planner = planner("", "", nRanks, path);
        for (long bytes : new long[] {least, most}) {
            assertEquals(Algorithm.ONESHOT, planner.algorithm(CollFunction.ALL_REDUCE, bytes));
            assertTrue(planner.isInTwoShots(bytes));
        }
        assertFalse(planner.isInTwoShots(least - 1));
        assertEquals(Algorithm.RING, planner.algorithm(CollFunction.ALL_REDUCE, most + 1));
    }

    /** Of a rank's part, as the planner has them. */
    @ParameterizedTest
    @CsvSource({"ALL_GATHER, '', '', 2, P2P, 393216", "ALL_GATHER, '', '', 4, NVLINK, 131072",
        "ALL_GATHER, '', '', 4, SHM, 43690", "REDUCE_SCATTER, '', '', 4, P2P, 87381",
        "ALL_GATHER, 'allgather:ring', '', 4, P2P, 0", "REDUCE_SCATTER, '', 'reducescatter:Simple', 4, P2P, 0",
        "ALL_GATHERV, '', '', 4, P2P, 0", "ALL_GATHER, '', '', 4, NET, 0", "ALL_GATHER, '', '', 9, P2P, 0"})
    void shouldGatherAndScatterSmallPartsInOneShot(CollFunction function, String algorithms, String protocols,
            int nRanks, GpuPath path, long most) {
        LaunchPlanner planner = planner(algorithms, protocols, nRanks, path);
        assertEquals(Algorithm.RING, planner.algorithm(function, most + 1));
        assertEquals(most == 0 ? Algorithm.RING : Algorithm.ONESHOT, planner.algorithm(function, most));
        planner.oneShot(false);
        assertEquals(Algorithm.RING, planner.algorithm(function, most), "not all reach each other");
    }

    private static Nodes nodes(int nRanks, int nodes) {
        return Nodes.of(IntStream.range(0, nRanks).mapToObj(rank -> rank * nodes / nRanks).toList());
    }

    /** On nodes that are more than one, where a ring has more hops; or wherever it is asked for. */
    @ParameterizedTest
    @CsvSource({"'', 8, 2, ALL_REDUCE, 16777216, TREE", "'', 8, 2, ALL_REDUCE, 16777217, HIERARCHICAL",
        "'', 8, 3, ALL_REDUCE, 25165825, RING", "hierarchical, 8, 2, ALL_REDUCE, 8, HIERARCHICAL",
        "hierarchical, 4, 4, ALL_REDUCE, 8, TREE", "hierarchical, 8, 2, BROADCAST, 8, RING",
        "'tree,hierarchical', 8, 2, ALL_REDUCE, 16777217, HIERARCHICAL",
        "'', 8, 4, ALL_REDUCE, 33554432, TREE", "'', 8, 1, ALL_REDUCE, 8, RING", "'', 3, 3, ALL_REDUCE, 8, RING",
        "'', 8, 2, BROADCAST, 8, RING", "'', 8, 2, ALL_REDUCE, 0, RING", "ring, 8, 2, ALL_REDUCE, 8, RING",
        "^tree, 8, 2, ALL_REDUCE, 8, RING", "tree, 2, 1, ALL_REDUCE, 1073741824, TREE", "tree, 2, 1, REDUCE, 8, TREE",
        "tree, 2, 1, BROADCAST, 8, TREE", "tree, 2, 1, ALL_GATHER, 8, RING", "tree, 1, 1, ALL_REDUCE, 8, RING",
        "'broadcast:tree', 2, 1, BROADCAST, 8, TREE", "'tree,oneshot', 2, 1, ALL_REDUCE, 8388608, TREE",
        "pat, 8, 2, ALL_REDUCE, 8, TREE", "tree, 70000, 9000, ALL_REDUCE, 8, RING"})
    void shouldTakeTreesAndNodesWhereThatIsFewerHops(String algorithms, int nRanks, int nodes, CollFunction function,
            long bytes, Algorithm algorithm) {
        LaunchPlanner planner = new LaunchPlanner(ProxyConfig.builder().environment(Map.of("NCCL_ALGO", algorithms))
                .build(), 0, nRanks, nodes(nRanks, nodes), GpuPath.NET, null);
        assertEquals(algorithm, planner.algorithm(function, bytes));
    }

    private static CollectiveWork work(CollFunction function, long bytes) {
        return new CollectiveWork(4).function(function, DataType.INT8, RedOp.SUM, 0)
                .buffers(MemorySegment.NULL, MemorySegment.NULL, bytes);
    }

    @ParameterizedTest
    @CsvSource({"'', '', 8", "12, '', 12", "4, '', 8", "'', 4, 4", "'', 12, 8", "2, 6, 6", "10, 2, 10"})
    void shouldKeepTheNumberOfChannelsWithinItsLimits(String least, String most, int channels) {
        assertEquals(channels, RingSetup.channels(config(Map.of("NCCL_MIN_NCHANNELS", least, "NCCL_MAX_NCHANNELS",
                most)), 8));
    }

    @Test
    void shouldTakeTheNumberOfChannelsThatIsSetBeforeItsLimits() {
        assertEquals(3, RingSetup.channels(config(Map.of("PROXYRT_COLL_CHANNELS", "3", "NCCL_MIN_NCHANNELS", "5")), 8));
    }

    @Test
    void shouldCompareOnlyWhatHasToBeTheSame() {
        assertTrue(AgreedSettings.OPTIONS.stream().allMatch(option -> option.scope() == Option.Scope.JOB),
                AgreedSettings.OPTIONS::toString);
    }
}
