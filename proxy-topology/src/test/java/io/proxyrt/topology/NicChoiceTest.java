/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.topology.NicChoice.PxnLevel;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NicChoiceTest {
    private final Paths rails = Paths.of(Models.graph("nvswitch-8-nics-8"));

    @Test
    void shouldTakeTheNicsOfTheGraph() {
        ChannelGraph graph = new ChannelGraph(GraphPattern.RING, List.of(
                new ChannelGraph.Channel(List.of(0, 1, 2, 3, 4, 5, 6, 7), 0, 3)), 20, 20, PathType.NVL, PathType.PXN, 0,
                true, 1);
        assertEquals(Optional.of(new NicChoice(0, 0)), NicChoice.ofChannel(rails, graph, 0, 0));
        assertEquals(Optional.of(new NicChoice(3, 3)), NicChoice.ofChannel(rails, graph, 0, 7), "over GPU 3 by PXN");
    }

    /** The peer's GPU is the sixth of its host: its NIC is on the sixth rail. */
    @ParameterizedTest
    @CsvSource({"NONE, 1, 1", "IF_CLOSE, 6, 6", "ALWAYS, 6, 6"})
    void shouldGoOutOfItsWayToThePeersRail(PxnLevel level, int net, int proxy) {
        assertEquals(Optional.of(new NicChoice(net, proxy)), NicChoice.ofPeer(rails, 1, 0, 6, level));
    }

    @ParameterizedTest
    @CsvSource({"NONE", "IF_CLOSE", "ALWAYS"})
    void shouldUseItsOwnNicWithoutPxn(PxnLevel level) {
        Paths paths = Paths.of(rails.graph(), PathRules.of(rails.graph()).pxn(false));
        assertEquals(Optional.of(new NicChoice(1, 1)), NicChoice.ofPeer(paths, 1, 0, 6, level));
        assertEquals(Optional.of(new NicChoice(1, 1)), NicChoice.ofPeer(rails, 1, 0, 99, level));
    }

    /** GPUs 2 and 3 are equally near to two NICs. */
    @ParameterizedTest
    @CsvSource({"AUTO, 1, 1", "ALL, 1, 2", "MAX:1, 1, 1"})
    void shouldTakeAsManyNicsAsThePolicySays(String policy, int first, int second) {
        Paths paths = Paths.of(Models.graph("ring-4-nics-3"), NetDevsPolicy.parse(policy));
        for (int channel = 0; channel < 2; channel++) {
            assertEquals(channel == 0 ? first : second,
                    NicChoice.ofPeer(paths, 2, channel, 0, PxnLevel.NONE).orElseThrow().net());
        }
    }

    @Test
    void shouldFindNoneWhereThereIsNone() {
        Paths paths = Paths.of(Models.graph("ring-4"));
        assertEquals(Optional.empty(), NicChoice.ofPeer(paths, 1, 0, 2, PxnLevel.ALWAYS));
    }
}
