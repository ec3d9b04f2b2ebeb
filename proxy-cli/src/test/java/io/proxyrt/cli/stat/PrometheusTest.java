/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.stat.RuntimeView.Health;
import io.proxyrt.cli.stat.RuntimeView.Health.State;
import io.proxyrt.cli.stat.RuntimeView.Value;
import io.proxyrt.core.Direction;
import io.proxyrt.core.counters.ConnectionTraffic;
import io.proxyrt.core.counters.Counter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PrometheusTest {
    /** The format's own rule for a line. */
    private static final Pattern LINE = Pattern.compile("# (HELP|TYPE) [a-z_][a-z0-9_]* .+|[a-z_][a-z0-9_]*\\{"
            + "([a-z]+=\"([^\"\\\\]|\\\\[\\\\\"n])*\",?)+} -?[0-9.E]+");

    @Test
    void shouldGiveEachCounterAFamilyWithASampleForEachRank() {
        assertEquals("""
                # HELP proxyrt_up 1 if the progress agent was at work in the last seconds, else 0
                # TYPE proxyrt_up gauge
                proxyrt_up{job="j",rank="0",pid="1000"} 1
                proxyrt_up{job="j",rank="1",pid="1001"} 0
                # HELP proxyrt_heartbeat_age_seconds since the progress agent was last known to be at work
                # TYPE proxyrt_heartbeat_age_seconds gauge
                proxyrt_heartbeat_age_seconds{job="j",rank="0",pid="1000"} 0.05
                proxyrt_heartbeat_age_seconds{job="j",rank="1",pid="1001"} 0.05
                # HELP proxyrt_ranks of the job
                # TYPE proxyrt_ranks gauge
                proxyrt_ranks{job="j",rank="0",pid="1000"} 2
                proxyrt_ranks{job="j",rank="1",pid="1001"} 2
                # HELP proxyrt_net_back_pressure_total net back-pressure
                # TYPE proxyrt_net_back_pressure_total counter
                proxyrt_net_back_pressure_total{job="j",rank="0",pid="1000"} 7
                proxyrt_net_back_pressure_total{job="j",rank="1",pid="1001"} 8
                # HELP proxyrt_mem_ll_bytes mem LL bytes
                # TYPE proxyrt_mem_ll_bytes gauge
                proxyrt_mem_ll_bytes{job="j",rank="0",pid="1000"} 12345678901
                proxyrt_mem_ll_bytes{job="j",rank="1",pid="1001"} 12345678901
                # HELP proxyrt_connection_ops_total ops that ended on the connection
                # TYPE proxyrt_connection_ops_total counter
                proxyrt_connection_ops_total{job="j",rank="0",pid="1000",transport="NET",peer="1",direction="send",\
                connection="10000000f"} 3
                # HELP proxyrt_connection_bytes_total bytes that ops of the connection have moved
                # TYPE proxyrt_connection_bytes_total counter
                proxyrt_connection_bytes_total{job="j",rank="0",pid="1000",transport="NET",peer="1",direction="send",\
                connection="10000000f"} 4096
                # HELP proxyrt_connection_steps_total steps that ops of the connection have done
                # TYPE proxyrt_connection_steps_total counter
                proxyrt_connection_steps_total{job="j",rank="0",pid="1000",transport="NET",peer="1",direction="send",\
                connection="10000000f"} 5
                """, Prometheus.text(List.of(
                        view("j", 0, State.RUNNING, new ConnectionTraffic("NET", 0x10000000fL, 1, Direction.SEND, 3,
                                4096, 5, null)), view("j", 1, State.STALE))));
    }

    @Test
    void shouldKeepAJobsNameWithinItsLabel() {
        String text = Prometheus.text(List.of(view("a\\b\"} 1\nproxyrt_up{x=\"", 0, State.DEAD)));
        assertTrue(text.lines().allMatch(line -> LINE.matcher(line).matches()), text);
        assertTrue(text.contains("{job=\"a\\\\b\\\"} 1\\nproxyrt_up{x=\\\"\",rank=\"0\""), text);
    }

    @Test
    void shouldBeEmptyWithoutRuntimes() {
        assertEquals("", Prometheus.text(List.of()));
    }

    private static RuntimeView view(String job, int rank, State state, ConnectionTraffic... traffic) {
        Map<String, Value> counters = new LinkedHashMap<>();
        counters.put("net back-pressure", new Value(Counter.Kind.TOTAL, 7 + rank));
        counters.put("mem LL bytes", new Value(Counter.Kind.GAUGE, 12_345_678_901L));
        return new RuntimeView(Path.of("/r/" + rank), job, rank, 2, 1000 + rank, new Health(state, 50), 0, "",
                counters, List.of(), List.of(traffic));
    }
}
