/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.topology.TopologyOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeadAdaptersTest {
    private static final List<TransportAdapter> ADAPTERS = List.of(new TransportAdapter("far", ""),
            new TransportAdapter("near", ""));

    @TempDir
    Path directory;

    @Test
    void shouldTakeTheNearestThatIsFree() {
        assertEquals(1, HeadAdapters.choose(List.of(List.of(1, 2)), 3));
        assertEquals(2, HeadAdapters.choose(List.of(List.of(1, 2), List.of(1, 2)), 3));
        assertEquals(0, HeadAdapters.choose(List.of(List.of(1, 2), List.of(1, 2), List.of(1, 2)), 3), "a far one");
        assertEquals(1, HeadAdapters.choose(Collections.nCopies(4, List.of(1)), 3), "none is free");
    }

    @Test
    void shouldHaveThemInTurnWhereNothingIsKnown() {
        assertEquals(0, HeadAdapters.choose(List.of(List.of()), 2));
        assertEquals(1, HeadAdapters.choose(List.of(List.of(), List.of()), 2));
        assertEquals(0, HeadAdapters.choose(List.of(List.of(), List.of(), List.of()), 2));
    }

    /** What another rank says of its node may be anything. */
    @Test
    void shouldGoByTheTopology() throws IOException {
        Path file = Files.writeString(directory.resolve("machine.xml"), """
                <system version="1">
                  <cpu numaid="0"><nic><net name="near" dev="0"/></nic></cpu>
                  <cpu numaid="1"><nic><net name="far" dev="1"/></nic></cpu>
                </system>
                """);
        ProxyConfig config = ProxyConfig.builder().environment(Map.of())
                .set(TopologyOptions.TOPO_FILE, file.toString()).build();
        assertEquals(1, HeadAdapters.of(config, ADAPTERS, 0));
        assertEquals(0, HeadAdapters.of(config, ADAPTERS, 1));
        assertEquals(0, HeadAdapters.of(config, ADAPTERS, 0, 0));
        assertEquals(1, HeadAdapters.of(config, ADAPTERS, Integer.MAX_VALUE, -1));
        assertEquals(ConnectorRequest.ANY_ADAPTER, HeadAdapters.of(config, ADAPTERS.subList(0, 1), 0));
    }
}
