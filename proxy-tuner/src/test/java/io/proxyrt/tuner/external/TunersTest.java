/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.external;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.plugin.TunerPlugin;
import io.proxyrt.testkit.plugin.TunerPlugin.Fault;
import io.proxyrt.topology.PathType;
import io.proxyrt.tuner.Choice;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.CpuVendor;
import io.proxyrt.tuner.GraphValues;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TuningFilter;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.Way;
import io.proxyrt.tuner.model.Chooser;
import io.proxyrt.tuner.model.CostModel;
import io.proxyrt.tuner.spi.Tuner;
import io.proxyrt.tuner.spi.TunerRequest;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tuner plug-ins of NCCL, good and bad ones, as a C compiler makes them. */
class TunersTest {
    private static final Way RING = new Way(NcclAlgorithm.RING, Protocol.SIMPLE);
    private static final CollInfo CALL = CollInfo.of(1 << 20);
    private static final CostModel MODEL = CostModel.of("sm90");

    @BeforeAll
    static void needCompiler() {
        assumeTrue(TunerPlugin.whyNot().isEmpty(), TunerPlugin.whyNot());
    }

    private static Optional<Tuner> open(String plugin) {
        return Tuners.open(ProxyConfig.builder().environment(Map.of("NCCL_TUNER_PLUGIN", plugin)).build(),
                new TunerRequest(0x123456789abcdef0L, 8, 2, MODEL.constants()));
    }

    private static Tuner open(int version, Fault fault) {
        return open(TunerPlugin.library(version, fault).toString()).orElseThrow();
    }

    private static Chooser chooser(CollFunction function, Optional<Tuner> tuner) {
        return new Chooser(MODEL, input(function), TuningFilter.NONE, tuner);
    }

    private static TuningInput input(CollFunction function) {
        GraphValues graph = new GraphValues(12, 30, 30, PathType.NVL, PathType.PXB, 0, true, false);
        return new TuningInput(function, 8, 2, CpuVendor.INTEL,
                Map.of(NcclAlgorithm.RING, graph, NcclAlgorithm.TREE, graph));
    }

    private static Choice choice(Optional<Tuner> tuner) {
        return chooser(CollFunction.ALL_REDUCE, tuner).choose(CALL);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 6})
    void shouldLetAPluginOfEachVersionChoose(int version) {
        try (Tuner tuner = open(version, Fault.NONE)) {
            assertEquals(TunerPlugin.NAME, tuner.name());
            Choice tuned = choice(Optional.of(tuner));
            assertEquals(new Choice(RING, 3, tuned.threads(), 0), tuned);
            Way before = choice(Optional.empty()).way();
            assertTrue(!before.equals(RING), "the model chooses another by itself");
            assertEquals(version < 6 ? 4096 : 2048,
                    tuner.chunkBytes(CollFunction.ALL_REDUCE, CALL, RING, 3, 4096));
            Choice broadcast = chooser(CollFunction.BROADCAST, Optional.of(tuner)).choose(CALL);
            assertEquals(chooser(CollFunction.BROADCAST, Optional.empty()).choose(CALL).channels(),
                    broadcast.channels());
        }
    }

    /** As NCCL says it to plug-ins of this version: by CollNetChain, and by NVLS or NVLSTree. */
    @ParameterizedTest
    @CsvSource({"COLLNET_DIRECT,3", "COLLNET_CHAIN,4", "NVLS,5", "NVLS_TREE,5"})
    void shouldSayToTheOldestWhetherThereIsCollNetOrNvls(NcclAlgorithm other, int channels) {
        GraphValues graph = input(CollFunction.ALL_REDUCE).graphs().get(NcclAlgorithm.RING);
        TuningInput input = new TuningInput(CollFunction.ALL_REDUCE, 8, 2, CpuVendor.INTEL,
                Map.of(NcclAlgorithm.RING, graph, other, graph));
        try (Tuner tuner = open(2, Fault.NONE)) {
            assertEquals(channels, new Chooser(MODEL, input, TuningFilter.NONE, Optional.of(tuner)).choose(CALL)
                    .channels());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 6})
    void shouldComputeWithThePluginsConstants(int version) {
        try (Tuner tuner = open(version, Fault.NONE)) {
            double moreUs = chooser(CollFunction.ALL_GATHER, Optional.of(tuner)).costs().timeUs(RING, CALL)
                    - chooser(CollFunction.ALL_GATHER, Optional.empty()).costs().timeUs(RING, CALL);
            assertEquals(version < 5 ? 0 : 100, moreUs, 1e-6);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 6})
    void shouldChooseByTheModelWhereAPluginFails(int version) {
        try (Tuner tuner = open(version, Fault.INFO_FAILS)) {
            Choice plain = new Chooser(MODEL.with(tuner.constants()), input(CollFunction.ALL_REDUCE),
                    TuningFilter.NONE).choose(CALL);
            assertEquals(plain, choice(Optional.of(tuner)));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NEGATIVE_TIMES", "NO_NUMBERS"})
    void shouldSayThatAPluginHasLeftNothing(Fault fault) {
        try (Tuner tuner = open(6, fault)) {
            ProxyException failure = assertThrows(ProxyException.class, () -> choice(Optional.of(tuner)));
            assertEquals(ProxyResult.INVALID_USAGE, failure.result());
            assertTrue(failure.getMessage().contains("nothing is left for allreduce"), failure.getMessage());
            assertTrue(failure.getMessage().contains(TunerPlugin.NAME), failure.getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MANY_CHANNELS", "FEW_CHANNELS"})
    void shouldTakeChannelsThatThereAre(Fault fault) {
        try (Tuner tuner = open(6, fault)) {
            Choice tuned = choice(Optional.of(tuner));
            assertEquals(RING, tuned.way());
            assertEquals(12, tuned.channels());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 6})
    void shouldNotTakeWhatIsNotPossible(int version) {
        try (Tuner tuner = open(version, Fault.IMPOSSIBLE_WAY)) {
            assertEquals(version == 2 ? choice(Optional.empty()).way() : RING, choice(Optional.of(tuner)).way());
        }
    }

    @Test
    void shouldPassOverAnAlgorithmThatThereIsNot() {
        try (Tuner tuner = open(2, Fault.NO_NUMBERS)) {
            assertEquals(choice(Optional.empty()), choice(Optional.of(tuner)));
        }
    }

    @Test
    void shouldCloseAPluginWhoseFinalizeFails() {
        Tuner tuner = open(6, Fault.FINALIZE_FAILS);
        tuner.close();
        tuner.close();
    }

    @Test
    void shouldSayWhyAPluginCannotBeHad() {
        assertFails("init of Stand-in", TunerPlugin.library(6, Fault.INIT_FAILS).toString());
        assertFails("no table for 8 ranks on 2 nodes", TunerPlugin.library(3, Fault.INIT_FAILS).toString());
        assertFails("constant 5 of a tuner is NaN", TunerPlugin.library(5, Fault.BAD_CONSTANTS).toString());
        assertFails("libnccl-tuner-none-such.so", "none-such");
        assertFails("exports none of ncclTunerPlugin_v6 to ncclTunerPlugin_v2", "libc.so.6");
    }

    private static void assertFails(String reason, String plugin) {
        String message = assertThrows(ProxyException.class, () -> open(plugin)).getMessage();
        assertTrue(message.contains(reason), message);
        assertTrue(message.contains("no tuner: "), message);
    }

    @Test
    void shouldRefuseImpossibleCommunicators() {
        assertThrows(ProxyException.class, () -> new TunerRequest(0, 1, 2, MODEL.constants()));
        assertThrows(ProxyException.class, () -> new TunerRequest(0, 1, 0, MODEL.constants()));
    }

    @Test
    void shouldDoWithoutATunerThatIsNotAskedFor() {
        assertEquals(Optional.empty(), open("none"));
        assertEquals(Optional.empty(), open(""));
    }
}
