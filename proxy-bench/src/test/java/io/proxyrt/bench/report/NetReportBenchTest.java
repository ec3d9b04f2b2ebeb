/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bench.run.NetPlan;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Sample;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NetReportBenchTest {
    private final Results results = new Results();

    @Test
    void shouldJudgeTheSizeThatComparesWorst() {
        for (String size : List.of("65536", "1048576")) {
            add(NetPlan.STREAM, size, NetPlan.C, "gbs", 4);
        }
        add(NetPlan.STREAM, "65536", NetPlan.OURS, "gbs", 8);
        add(NetPlan.STREAM, "1048576", NetPlan.OURS, "gbs", 3);
        Goal goal = goal("one way");
        assertEquals(Goal.Verdict.MISSED, goal.verdict());
        assertEquals("at worst 0.75 ×, at 1 MiB", goal.measured());
    }

    @Test
    void shouldHoldSmallAndLargeAllReducesAgainstTheirOwnBounds() {
        String experiment = NetPlan.allReduce(2);
        add(experiment, "8", NetPlan.MPI, "out_us", 10);
        add(experiment, "8", NetPlan.OURS, "out_us", 14);
        add(experiment, "32768", NetPlan.MPI, "out_us", 10);
        add(experiment, "32768", NetPlan.OURS, "out_us", 14);
        assertEquals(Goal.Verdict.HOLDS, goal(experiment + ", below 32 KiB").verdict());
        assertEquals(Goal.Verdict.MISSED, goal(experiment + ", from 32 KiB on: no slower than mpi").verdict());
        assertEquals(Goal.Verdict.NOT_MEASURED, goal(experiment + ", from 32 KiB on: no slower than gloo").verdict());
    }

    @Test
    void shouldHoldAutomaticSettingsAgainstTheBestOfEachSize() {
        assertEquals(Goal.Verdict.NOT_MEASURED, goal("one way: automatic").verdict());
        add(NetPlan.STREAM, "65536", NetPlan.OURS, "gbs", 8);
        add(NetPlan.STREAM, "65536", "proxyrt-0x1", "gbs", 8);
        add(NetPlan.STREAM, "65536", "proxyrt-0x2", "gbs", 8.5);
        add(NetPlan.STREAM, "1048576", NetPlan.OURS, "gbs", 8);
        add(NetPlan.STREAM, "1048576", "proxyrt-0x2", "gbs", 7);
        add(NetPlan.STREAM, "1048576", "proxyrt-2x1", "gbs", 10);
        assertEquals("at worst 0.8 × proxyrt-2x1, at 1 MiB", goal("one way: automatic").measured());
        assertEquals(Goal.Verdict.MISSED, goal("one way: automatic").verdict());
    }

    @Test
    void shouldSayWhatAskingAllAtOnceGains() {
        add(NetPlan.POLL, "64", NetPlan.ONE_BY_ONE, "none_ns", 30_000);
        add(NetPlan.POLL, "64", NetPlan.BATCH, "none_ns", 3_000);
        add(NetPlan.POLL, "64", NetPlan.ONE_BY_ONE, "all_p50", 90_000);
        add(NetPlan.POLL, "64", NetPlan.BATCH, "all_p50", 100_000);
        assertEquals("| 64 | 30 | 3 | +900 % | – | – | – | 90 | 100 | -10 % |",
                new NetTables(results).polls().lines().getLast());
    }

    @Test
    void shouldGiveMicrosecondsAndRatios() {
        add(NetPlan.ROUND_TRIP, "8", NetPlan.C, "rtt_p50", 6_000);
        add(NetPlan.ROUND_TRIP, "8", NetPlan.OURS, "rtt_p50", 9_000);
        assertEquals("| 8 B | 6 | 9 | – | – | 1.5 |", new NetTables(results).roundTrips().lines().getLast());
    }

    @Test
    void shouldNameSizesExactly() {
        assertEquals("8 B", NetTables.size("8"));
        assertEquals("1025 B", NetTables.size("1025"));
        assertEquals("64 MiB", NetTables.size("67108864"));
    }

    @Test
    void shouldDrawWhatWasMeasured() {
        assertEquals(Map.of(), new NetPlots(results).draw());
        add(NetPlan.ROUND_TRIP, "8", NetPlan.OURS, "rtt_p50", 9_000);
        add(NetPlan.ROUND_TRIP, "64", NetPlan.OURS, "rtt_p50", 9_000);
        String plot = new NetPlots(results).draw().get(NetPlots.ROUND_TRIPS);
        assertTrue(plot.contains(NetPlan.OURS) && plot.contains(Palette.OURS), plot);
    }

    private Goal goal(String beginning) {
        return new NetGoals(results).judge().stream().filter(goal -> goal.goal().startsWith(beginning)).findFirst()
                .orElseThrow();
    }

    private void add(String experiment, String scenario, String contender, String metric, double value) {
        results.add(new Sample(1, experiment, scenario, contender, metric, value));
    }
}
