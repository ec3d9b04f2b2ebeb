/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.topology.PathType;
import io.proxyrt.tuner.Choice;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.CpuVendor;
import io.proxyrt.tuner.GraphValues;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TimeTable;
import io.proxyrt.tuner.TuningFilter;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.Way;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is chosen of what a model says. */
class ChooserTest {
    private static TuningFilter only(NcclAlgorithm algorithm, Protocol... protocols) {
        return new TuningFilter(Optional.of(Set.of(algorithm)), Optional.of(Set.of(protocols)));
    }

    private static Chooser chooser(String architecture, TuningInput input, TuningFilter filter) {
        return new Chooser(CostModel.of(architecture), input, filter);
    }

    private static TuningInput ringAndTree(int ranks, int channels) {
        GraphValues graph = new GraphValues(channels, 20, 20, PathType.NVL, PathType.LOC, 0, true, false);
        return new TuningInput(CollFunction.ALL_REDUCE, ranks, 1, CpuVendor.INTEL,
                Map.of(NcclAlgorithm.RING, graph, NcclAlgorithm.TREE, graph));
    }

    @Test
    void shouldTakeTheFastestOfAll() {
        for (TuningInput input : Grid.inputs()) {
            Chooser chooser = chooser("sm90", input, TuningFilter.NONE);
            for (long bytes : Grid.SIZES) {
                Choice choice = chooser.choose(CollInfo.of(bytes));
                for (Way way : Way.all()) {
                    double timeUs = chooser.costs().timeUs(way, CollInfo.of(bytes));
                    assertTrue(timeUs < 0 || timeUs >= choice.timeUs(), () -> way + " before " + choice);
                }
            }
        }
    }

    @Test
    void shouldTakeWhatTheUserAllows() {
        Chooser chooser = chooser("sm90", ringAndTree(8, 16), only(NcclAlgorithm.TREE, Protocol.LL, Protocol.LL128));
        assertEquals(new Way(NcclAlgorithm.TREE, Protocol.LL), chooser.choose(CollInfo.of(8)).way());
        assertEquals(new Way(NcclAlgorithm.TREE, Protocol.LL128), chooser.choose(CollInfo.of(1 << 30)).way());
    }

    @Test
    void shouldSayThatNothingIsLeft() {
        ProxyException failure = assertThrows(ProxyException.class, () -> chooser("sm90", ringAndTree(8, 16),
                only(NcclAlgorithm.NVLS, Protocol.SIMPLE)).choose(CollInfo.of(8)));
        assertEquals(ProxyResult.INVALID_USAGE, failure.result());
        assertEquals("nothing is left for allreduce of 8 ranks on 1 node of sm90: allowed are algorithms [NVLS], "
                + "protocols [SIMPLE], possible [tree/ll, tree/ll128, tree/simple, ring/ll, ring/ll128, ring/simple]",
                failure.getMessage());
    }

    @Test
    void shouldNeedNoChannelsForARankAlone() {
        assertEquals(new Choice(new Way(NcclAlgorithm.RING, Protocol.SIMPLE), 0, 0, 0),
                chooser("sm90", ringAndTree(1, 16), TuningFilter.NONE).choose(CollInfo.of(8)));
    }

    /** By NCCL's thresholds: 64 bytes a thread for Simple, 8 for LL128, 8 for LL times ranks. */
    @Test
    void shouldTakeFewerChannelsAndThreadsForFewerBytes() {
        Chooser simple = chooser("sm90", ringAndTree(8, 16), only(NcclAlgorithm.RING, Protocol.SIMPLE));
        assertLaunch(16, 512 + 32, simple, 16 * 512 * 64);
        assertLaunch(15, 512 + 32, simple, 16 * 512 * 64 - 1);
        assertLaunch(1, 512 + 32, simple, 512 * 64);
        assertLaunch(1, 256 + 32, simple, 512 * 64 - 1);
        assertLaunch(1, 64 + 32, simple, 0);
        Chooser ll = chooser("sm90", ringAndTree(8, 16), only(NcclAlgorithm.RING, Protocol.LL));
        assertLaunch(16, 512, ll, 16 * 512 * 8 * 8);
        assertLaunch(15, 512, ll, 16 * 512 * 8 * 8 - 1);
        assertLaunch(1, 96, ll, 0);
        Chooser tree = chooser("sm90", ringAndTree(8, 16), only(NcclAlgorithm.TREE, Protocol.LL128));
        assertLaunch(2, 640, tree, 2 * 640 * 8);
        assertLaunch(1, 640, tree, 2 * 640 * 8 - 1);
    }

    @Test
    void shouldLeaveThreadsOfAmdAlone() {
        Chooser simple = chooser("gfx942", ringAndTree(8, 16), only(NcclAlgorithm.RING, Protocol.SIMPLE));
        assertLaunch(16, 256, simple, 16 * 256 * 64);
        assertLaunch(1, 256, simple, 0);
    }

    @Test
    void shouldTakeFewerChannelsForStars() {
        TuningInput input = Grid.input(CollFunction.ALL_REDUCE, 16, 2, CpuVendor.INTEL, false);
        Chooser stars = chooser("sm90", input, only(NcclAlgorithm.COLLNET_DIRECT, Protocol.SIMPLE));
        assertLaunch(8, 640, stars, 8L * 640 * 8 * 512);
        assertLaunch(1, 640, stars, 0);
    }

    @Test
    void shouldTakeTheFirstOfEqualTimes() {
        TimeTable times = new TimeTable();
        assertEquals(Optional.empty(), times.fastest());
        Way.all().forEach(way -> times.set(way, 0));
        assertEquals(new Way(NcclAlgorithm.TREE, Protocol.LL), times.fastest().orElseThrow());
        times.set(new Way(NcclAlgorithm.TREE, Protocol.LL), -3);
        assertEquals(TimeTable.IGNORED, times.timeUs(new Way(NcclAlgorithm.TREE, Protocol.LL)));
        assertEquals(new Way(NcclAlgorithm.TREE, Protocol.LL128), times.fastest().orElseThrow());
        assertThrows(ProxyException.class, () -> times.set(Way.all().getFirst(), Double.NaN));
    }

    @Test
    void shouldRefuseImpossibleCommunicators() {
        assertThrows(ProxyException.class, () -> ringAndTree(0, 1));
        assertThrows(ProxyException.class, () -> ringAndTree(2, 65));
        assertThrows(ProxyException.class, () -> new TuningInput(CollFunction.SEND, 2, 1, CpuVendor.AMD, Map.of()));
        assertThrows(ProxyException.class, () -> new TuningInput(CollFunction.REDUCE, 2, 3, CpuVendor.AMD, Map.of()));
        assertThrows(ProxyException.class, () -> CollInfo.of(-1));
        assertThrows(ProxyException.class, () -> new GraphValues(1, Double.NaN, 1, PathType.NVL, PathType.LOC, 0, true,
                false));
    }

    private static void assertLaunch(int channels, int threads, Chooser chooser, long bytes) {
        Choice choice = chooser.choose(CollInfo.of(bytes));
        assertEquals(channels + " of " + threads, choice.channels() + " of " + choice.threads(), bytes + " bytes");
    }
}
