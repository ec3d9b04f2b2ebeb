/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.cli.stat.RuntimeView.Health;
import io.proxyrt.cli.stat.RuntimeView.Health.State;
import io.proxyrt.core.Direction;
import io.proxyrt.core.counters.ConnectionTraffic;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TrafficTableTest {
    private static final long NOW = 1_700_000_000_000L;

    @Test
    void shouldShowWhatConnectionsHaveCarriedAndThenHowFast() {
        TrafficTable table = new TrafficTable();
        assertEquals(List.of(
                "rank 2: what each connection has carried",
                "transport   peer         connection        ops      bytes      steps    bytes/s    last op",
                "NET            1 send             7         10       1000         20             1.5 s ago",
                "NET            3 recv             8          0          0          0",
                ""), lines(table, NOW, 1000));
        assertEquals("NET            1 send             7         10       6000         20       2500  3.5 s ago",
                lines(table, NOW + 2000, 6000).get(2));
    }

    @Test
    void shouldSayNothingOfARuntimeWithoutConnections() {
        assertEquals(List.of(), new TrafficTable().lines(List.of(view()), NOW));
    }

    private static List<String> lines(TrafficTable table, long nowMs, long bytes) {
        return table.lines(List.of(view(
                new ConnectionTraffic("NET", 8, 3, Direction.RECV, 0, 0, 0, null),
                new ConnectionTraffic("NET", 7, 1, Direction.SEND, 10, bytes, 20, Instant.ofEpochMilli(NOW - 1500)))),
                nowMs).stream().map(String::stripTrailing).toList();
    }

    private static RuntimeView view(ConnectionTraffic... traffic) {
        return new RuntimeView(Path.of("/r/2"), "job", 2, 4, 1002, new Health(State.RUNNING, 0), NOW, "", Map.of(),
                List.of(), List.of(traffic));
    }
}
