/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.CpuVendor;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TimeTable;
import io.proxyrt.tuner.TunerConstants;
import io.proxyrt.tuner.TunerConstants.Generation;
import io.proxyrt.tuner.TunerConstants.Limit;
import io.proxyrt.tuner.TunerConstants.Link;
import io.proxyrt.tuner.TuningFilter;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.Way;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** NCCL's cost model, against its formulas. */
class NcclModelTest {
    private static final Way RING = new Way(NcclAlgorithm.RING, Protocol.SIMPLE);
    private static final Way TREE = new Way(NcclAlgorithm.TREE, Protocol.SIMPLE);
    private static final Way RING_LL128 = new Way(NcclAlgorithm.RING, Protocol.LL128);

    @ParameterizedTest
    @ValueSource(ints = {61, 70, 80, 86, 90, 100, 120})
    void shouldEqualItsFormulas(int computeCapability) {
        CostModel model = CostModel.of("sm" + computeCapability);
        int compared = 0;
        for (TuningInput input : Grid.inputs()) {
            CostTable table = model.predict(input);
            NcclOracle oracle = new NcclOracle(input, computeCapability);
            for (Way way : Way.all()) {
                for (long bytes : Grid.SIZES) {
                    CollInfo call = CollInfo.of(bytes);
                    double expected = oracle.timeUs(way, call);
                    double actual = table.timeUs(way, call);
                    assertEquals(expected, actual, Math.abs(expected) * 1e-6,
                            () -> way + " of " + bytes + " bytes: " + input);
                    compared += expected < 0 ? 0 : 1;
                }
            }
        }
        assertTrue(compared > 10_000, "compared " + compared);
    }

    @Test
    void shouldTakeLongerForMoreBytesAndMoreRanksByARing() {
        CostModel model = CostModel.of("sm90");
        for (CollFunction function : TuningInput.FUNCTIONS) {
            double ofFewerRanks = 0;
            for (int ranks = 2; ranks <= 64; ranks *= 2) {
                CostTable table = model.predict(Grid.input(function, ranks, 1, CpuVendor.INTEL, true));
                double ofFewerBytes = 0;
                for (long bytes : Grid.SIZES) {
                    double timeUs = table.timeUs(RING, CollInfo.of(bytes));
                    assertTrue(timeUs > ofFewerBytes, () -> function + " of " + bytes);
                    ofFewerBytes = timeUs;
                }
                double latencyUs = table.cost(RING).orElseThrow().latencyUs();
                assertTrue(latencyUs > ofFewerRanks, function + " of more ranks: " + latencyUs);
                ofFewerRanks = latencyUs;
            }
        }
    }

    @Test
    void shouldHaveLongerLatenciesOnMoreNodes() {
        CostModel model = CostModel.of("sm80");
        for (Way way : new Way[] {RING, TREE}) {
            double ofFewer = 0;
            for (int nodes = 1; nodes <= 8; nodes *= 2) {
                double latencyUs = model.predict(Grid.input(CollFunction.ALL_REDUCE, 4 * nodes, nodes, CpuVendor.AMD,
                        false)).cost(way).orElseThrow().latencyUs();
                assertTrue(latencyUs > ofFewer, way + " on " + nodes + " nodes: " + latencyUs);
                ofFewer = latencyUs;
            }
        }
    }

    @Test
    void shouldCountLatenciesOfAGroup() {
        CostTable table = CostModel.of("sm90")
                .predict(Grid.input(CollFunction.ALL_REDUCE, 8, 1, CpuVendor.INTEL, false));
        double ring = table.cost(RING).orElseThrow().latencyUs();
        double tree = table.cost(TREE).orElseThrow().latencyUs();
        assertEquals(11 * ring, table.timeUs(RING, new CollInfo(0, 11, DataType.FLOAT32)), 1e-9);
        assertEquals(2 * tree, table.timeUs(TREE, new CollInfo(0, 11, DataType.FLOAT32)), 1e-9);
    }

    @Test
    void shouldTakeLongRingsOf8BitFloatsForTheWorst() {
        CostModel model = CostModel.of("sm90");
        CollInfo plain = CollInfo.of(1 << 20);
        CollInfo float8 = new CollInfo(1 << 20, 1, DataType.FLOAT8_E4M3);
        CostTable eight = model.predict(Grid.input(CollFunction.ALL_REDUCE, 8, 1, CpuVendor.INTEL, false));
        CostTable nine = model.predict(Grid.input(CollFunction.ALL_REDUCE, 9, 1, CpuVendor.INTEL, false));
        assertEquals(eight.timeUs(RING, plain), eight.timeUs(RING, float8));
        assertEquals(1024 * nine.timeUs(RING, plain), nine.timeUs(RING, float8), 1e-6);
        assertEquals(nine.timeUs(TREE, plain), nine.timeUs(TREE, float8));
    }

    @Test
    void shouldUseLl128FarAwayOnlyIfItIsAskedFor() {
        TuningInput far = Grid.input(CollFunction.ALL_REDUCE, 16, 2, CpuVendor.INTEL, true);
        CostModel model = CostModel.of("sm90");
        assertEquals(Optional.empty(), model.predict(far).cost(RING_LL128));
        TuningFilter asked = new TuningFilter(Optional.empty(), Optional.of(Set.of(Protocol.LL128)));
        assertTrue(model.predict(far, asked).cost(RING_LL128).isPresent());
    }

    @Test
    void shouldHaveNoAlgorithmWithoutAGraph() {
        TuningInput input = Grid.input(CollFunction.ALL_REDUCE, 8, 1, CpuVendor.INTEL, false);
        TuningInput ringOnly = new TuningInput(input.function(), 8, 1, input.cpu(),
                Map.of(NcclAlgorithm.RING, input.graphs().get(NcclAlgorithm.RING)));
        CostTable table = CostModel.of("sm90").predict(ringOnly);
        assertEquals(TimeTable.IGNORED, table.timeUs(TREE, CollInfo.of(8)));
        assertTrue(table.timeUs(RING, CollInfo.of(8)) > 0);
    }

    @Test
    void shouldHaveItsConstantsInTheOrderOfTheStruct() {
        CostModel model = CostModel.of("sm90");
        double[] values = model.constants().values();
        assertEquals(TunerConstants.COUNT, values.length);
        assertEquals(8.4, values[5], "base, ring, Simple");
        assertEquals(20.9, values[168 / 8 + 2 * 21 + 5 * 3 + 2], "NET, NVLS tree, Simple");
        assertEquals(141, values[672 / 8 + 2 * 3], "LL, Hopper, 1 node");
        assertEquals(36.7, values[768 / 8 + 2 * 3]);
        assertEquals(31.67, values[864 / 8 + 3 * 3 + 1]);
        assertEquals(26.5, values[960 / 8]);
        assertEquals(80, values[1056 / 8 + 3 * 3 + 2]);
        assertEquals(20.9, model.constants().stepLatency(Link.NET, new Way(NcclAlgorithm.NVLS_TREE, Protocol.SIMPLE)));
        assertEquals(45.5, model.constants().bandwidth(Limit.NVLS_TREE, Generation.HOPPER, 100));
    }

    @Test
    void shouldComputeWithConstantsOfATuner() {
        CostModel model = CostModel.of("sm90");
        double[] values = model.constants().values();
        values[5] += 100;
        TuningInput input = Grid.input(CollFunction.ALL_REDUCE, 8, 1, CpuVendor.INTEL, false);
        CostModel changed = model.with(TunerConstants.of(values));
        assertNotEquals(model.constants(), changed.constants());
        assertEquals(model.predict(input).timeUs(RING, CollInfo.of(8)) + 100,
                changed.predict(input).timeUs(RING, CollInfo.of(8)), 1e-9);
        values[7] = Double.NaN;
        assertThrows(ProxyException.class, () -> TunerConstants.of(values));
    }

    @Test
    void shouldKnowNoOtherNames() {
        for (String name : new String[] {"sm9", "sm9000", "SM90", "hopper", "", "gfx941"}) {
            String message = assertThrows(ProxyException.class, () -> CostModel.of(name)).getMessage();
            assertTrue(message.contains("'" + name + "'") && message.contains("gfx942"), message);
        }
        assertFalse(CostModel.architectures().isEmpty());
        CostModel.architectures().forEach(CostModel::of);
    }
}
