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
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeadAdaptersTest {
    private static final String MACHINE = """
            <system version="1">
              <cpu numaid="0"><nic><net name="near" dev="0"/></nic><nic><net name="beside" dev="1"/></nic></cpu>
              <cpu numaid="1"><nic><net name="far" dev="2"/></nic></cpu>
            </system>
            """;
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
        ProxyConfig config = config("AUTO");
        assertEquals(1, HeadAdapters.of(config, ADAPTERS, 0));
        assertEquals(0, HeadAdapters.of(config, ADAPTERS, 1));
        assertEquals(0, HeadAdapters.of(config, ADAPTERS, 0, 0));
        assertEquals(1, HeadAdapters.of(config, ADAPTERS, Integer.MAX_VALUE, -1));
        assertEquals(ConnectorRequest.ANY_ADAPTER, HeadAdapters.of(config, ADAPTERS.subList(0, 1), 0));
    }

    /** A second head of a NUMA node has the second adapter there, not a far one, though a rank's channels take one. */
    @ParameterizedTest
    @ValueSource(strings = {"AUTO", "ALL", "MAX:1"})
    void shouldHaveAllNearAdaptersWhateverARankTakes(String policy) throws IOException {
        List<TransportAdapter> adapters = Stream.of("far", "near", "beside").map(name -> new TransportAdapter(name, ""))
                .toList();
        assertEquals(Set.of(1, 2), Set.of(HeadAdapters.of(config(policy), adapters, 0),
                HeadAdapters.of(config(policy), adapters, 0, 0)));
        assertEquals(0, HeadAdapters.of(config(policy), adapters, 0, 0, 0));
    }

    private ProxyConfig config(String policy) throws IOException {
        Path file = Files.writeString(directory.resolve("machine.xml"), MACHINE);
        return ProxyConfig.builder().environment(Map.of("NCCL_NETDEVS_POLICY", policy))
                .set(TopologyOptions.TOPO_FILE, file.toString()).build();
    }
}
