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
        LaunchPlanner planner = new LaunchPlanner(config(Map.of("NCCL_PROTO", protocols)), 0, 0, null, null);
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
        LaunchPlanner planner = new LaunchPlanner(ProxyConfig.builder().build(), 0, 4, path, null);
        CollectiveWork work = work(function, bytes);
        planner.plan(work);
        assertEquals(protocol, work.protocol());
    }

    @ParameterizedTest
    @CsvSource({"'', '', 4, P2P, 21845, true", "'', '', 4, P2P, 21846, false", "'', '', 2, SHM, 65536, true",
        "'', '', 9, P2P, 8, false", "'', '', 2, NET, 8, false", "ring, '', 2, P2P, 8, false",
        "'', Simple, 2, P2P, 8, false", "'', '', 2, P2P, 0, false"})
    void shouldReduceInOneShotWhatIsSmallAndGoesDirectly(String algorithms, String protocols, int nRanks, GpuPath path,
            long bytes, boolean isOneShot) {
        LaunchPlanner planner = new LaunchPlanner(ProxyConfig.builder().environment(Map.of("NCCL_ALGO", algorithms,
                "NCCL_PROTO", protocols)).build(), 0, nRanks, path, null);
        assertEquals(isOneShot, planner.isOneShot(work(CollFunction.ALL_REDUCE, bytes)));
        assertFalse(planner.isOneShot(work(CollFunction.BROADCAST, bytes)));
        planner.oneShot(false);
        assertFalse(planner.isOneShot(work(CollFunction.ALL_REDUCE, bytes)), "not all reach each other");
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
