/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.ProxyException;
import io.proxyrt.topology.ChannelGraph;
import io.proxyrt.topology.ChannelGraph.Channel;
import io.proxyrt.topology.GraphPattern;
import io.proxyrt.topology.PathType;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What cost models take over from the search of a topology. */
class GraphValuesTest {
    private static ChannelGraph graph(GraphPattern pattern, int channels) {
        return new ChannelGraph(pattern, Collections.nCopies(channels, new Channel(List.of(0, 1), 0, 0)), 20, 12,
                PathType.NVL, PathType.PXB, 1.5, false, 2);
    }

    @ParameterizedTest
    @EnumSource
    void shouldTakeOverWhatASearchFound(GraphPattern pattern) {
        assertEquals(new GraphValues(3, 20, 12, PathType.NVL, PathType.PXB, 1.5, false, pattern == GraphPattern.TREE),
                GraphValues.of(graph(pattern, 3)));
    }

    @Test
    void shouldRefuseMoreChannelsThanThereCanBe() {
        ChannelGraph tooMany = graph(GraphPattern.RING, GraphValues.MAX_CHANNELS + 1);
        assertThrows(ProxyException.class, () -> GraphValues.of(tooMany));
    }
}
