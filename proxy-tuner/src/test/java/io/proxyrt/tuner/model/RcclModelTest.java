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
import io.proxyrt.tuner.Choice;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.CpuVendor;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TuningFilter;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.Way;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RCCL's cost models, against their formulas; and its rules by size. */
class RcclModelTest {
    @ParameterizedTest
    @CsvSource({"gfx906,0", "gfx90a,1", "gfx908,2", "gfx90a,3", "gfx90a,4", "gfx942,5", "gfx950,6", "gfx1201,7"})
    void shouldEqualItsFormulas(String architecture, int number) throws IOException {
        CostModel model = CostModel.ofRccl(architecture, number);
        RcclOracle oracle = new RcclOracle(architecture, number);
        int compared = 0;
        for (TuningInput input : Grid.inputs()) {
            CostTable table = model.predict(input);
            for (Way way : Way.all()) {
                for (long bytes : Grid.SIZES) {
                    double expected = oracle.timeUs(input, way, bytes);
                    assertEquals(expected, table.timeUs(way, CollInfo.of(bytes)), Math.abs(expected) * 1e-6,
                            () -> way + " of " + bytes + " bytes: " + input);
                    compared += expected < 0 ? 0 : 1;
                }
            }
        }
        assertTrue(compared > 10_000, "compared " + compared);
    }

    /** Worked out by hand from RCCL's tables, so that tables and oracle cannot be wrong together. */
    @Test
    void shouldHaveRcclsNumbers() {
        TuningInput input = Grid.input(CollFunction.ALL_REDUCE, 8, 1, CpuVendor.INTEL, false);
        // 5 channels of 21 GB/s, 8 of 14 steps; 17 µs, and 14 steps of 2.1.
        Cost ring = CostModel.of("gfx942").predict(input).cost(way("RING", Protocol.SIMPLE)).orElseThrow();
        assertEquals(60, ring.bandwidthGBs(), 1e-9);
        assertEquals(46.4, ring.latencyUs(), 1e-9);
        // 2 channels of 20 GB/s, of which LL has 0.06, half of it; 12 µs, and 14 steps of 0.9.
        Cost tree = CostModel.of("gfx942").predict(input).cost(way("TREE", Protocol.LL)).orElseThrow();
        assertEquals(1.2, tree.bandwidthGBs(), 1e-9);
        assertEquals(24.6, tree.latencyUs(), 1e-9);
        assertEquals(Optional.empty(), CostModel.of("gfx942").predict(input).cost(way("TREE", Protocol.SIMPLE)));
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            gfx942, REDUCE_SCATTER, 8, 1,   2816000, LL
            gfx942, REDUCE_SCATTER, 8, 1,   3000000, SIMPLE
            gfx950, ALL_GATHER,     8, 1,    707584, LL
            gfx950, ALL_GATHER,     8, 1,    800000, SIMPLE
            gfx1200, ALL_REDUCE,    8, 1,    913532, LL
            gfx1200, ALL_REDUCE,    8, 1,    913533, SIMPLE
            gfx942, ALL_REDUCE,    16, 2,    524288, LL
            gfx942, ALL_REDUCE,    16, 2,    524289, LL128
            gfx942, ALL_REDUCE,    16, 2,   4415057, LL128
            gfx942, ALL_REDUCE,    16, 2,   4415058, SIMPLE
            gfx942, ALL_REDUCE,    32, 4,   4415058, LL128
            gfx942, ALL_REDUCE,    32, 4,  16777217, SIMPLE
            gfx942, BROADCAST,     16, 2,    131072, LL
            gfx942, BROADCAST,     16, 2,    131088, LL128
            gfx942, ALL_GATHER,    16, 2,  80740352, LL128
            gfx942, ALL_GATHER,    16, 2,  80740368, SIMPLE
            """)
    void shouldTakeProtocolsBySize(String architecture, CollFunction function, int ranks, int nodes, long bytes,
            Protocol expected) {
        Chooser chooser = new Chooser(CostModel.of(architecture),
                Grid.ringAndTree(Grid.input(function, ranks, nodes, CpuVendor.AMD, false)), TuningFilter.NONE);
        assertEquals(expected, chooser.choose(CollInfo.of(bytes)).way().protocol());
    }

    @Test
    void shouldTakeTreesForSmallAllReducesOfMi350() {
        TuningInput input = Grid.ringAndTree(Grid.input(CollFunction.ALL_REDUCE, 8, 1, CpuVendor.AMD, false));
        Chooser chooser = new Chooser(CostModel.of("gfx950"), input, TuningFilter.NONE);
        assertEquals(way("TREE", Protocol.LL), chooser.choose(CollInfo.of(262144)).way());
        assertEquals(NcclAlgorithm.RING, chooser.choose(CollInfo.of(1 << 28)).way().algorithm());
    }

    @Test
    void shouldNotTakeLl128OnWaysThatBreakItsLines() {
        for (boolean isFar : new boolean[] {false, true}) {
            TuningInput input = Grid.ringAndTree(Grid.input(CollFunction.ALL_REDUCE, 16, 2, CpuVendor.AMD, isFar));
            Choice choice = new Chooser(CostModel.of("gfx942"), input, TuningFilter.NONE).choose(CollInfo.of(1 << 20));
            assertEquals(!isFar, choice.way().protocol() == Protocol.LL128);
            assertTrue(choice.timeUs() > 0);
        }
    }

    @Test
    void shouldLeaveProtocolsToTheUser() {
        TuningInput input = Grid.input(CollFunction.ALL_REDUCE, 16, 2, CpuVendor.AMD, false);
        Chooser chooser = new Chooser(CostModel.of("gfx942"), input,
                new TuningFilter(Optional.empty(), Optional.of(Set.of(Protocol.SIMPLE))));
        assertEquals(Protocol.SIMPLE, chooser.choose(CollInfo.of(1024)).way().protocol());
    }

    @Test
    void shouldTakeChannelsBySizeOfARank() {
        TuningInput input = Grid.ringAndTree(Grid.input(CollFunction.ALL_GATHER, 16, 2, CpuVendor.AMD, false));
        Chooser chooser = new Chooser(CostModel.of("gfx950"), input, TuningFilter.NONE);
        assertEquals(2, chooser.choose(CollInfo.of(16 * 4096)).channels());
        assertEquals(4, chooser.choose(CollInfo.of(16 * 4097)).channels());
        assertEquals(5, chooser.choose(CollInfo.of(16L << 20)).channels(), "40 are more than there are");
    }

    @Test
    void shouldKnowBuffersAndModels() {
        assertEquals(256 << 10, CostModel.of("gfx942").bufferBytes(Protocol.LL));
        assertEquals(448 << 10, CostModel.of("gfx942").bufferBytes(Protocol.LL128));
        assertEquals(896 << 10, CostModel.of("gfx950").bufferBytes(Protocol.LL128));
        assertThrows(ProxyException.class, () -> CostModel.ofRccl("gfx942", 8));
        assertThrows(ProxyException.class, () -> CostModel.ofRccl("gfx94", 0));
    }

    private static Way way(String algorithm, Protocol protocol) {
        return new Way(NcclAlgorithm.valueOf(algorithm), protocol);
    }
}
