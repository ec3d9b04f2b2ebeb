/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Sample;
import io.proxyrt.bench.run.ShmPlan;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShmReportBenchTest {
    private final Results results = new Results();

    @Test
    void shouldHoldStreamsAgainstTheFasterPeer() {
        stream(1, ShmPlan.OURS, 40);
        stream(1, ShmPlan.UCX, 30);
        assertEquals(Goal.Verdict.HOLDS, goal("one way, proxyrt, ").verdict());
        stream(1, ShmPlan.MPI, 50);
        assertEquals("at worst 0.8 ×, at 64 KiB", goal("one way, proxyrt, ").measured());
        assertEquals(Goal.Verdict.MISSED, goal("one way, proxyrt, ").verdict());
        assertEquals(Goal.Verdict.NOT_MEASURED, goal("one way, proxyrt-registered, ").verdict());
    }

    @Test
    void shouldCompareWithinARound() {
        stream(1, ShmPlan.OURS, 50);
        stream(1, ShmPlan.MPI, 40);
        stream(2, ShmPlan.OURS, 20);
        stream(2, ShmPlan.MPI, 10);
        stream(3, ShmPlan.OURS, 60);
        assertEquals("at worst 1.63 ×, at 64 KiB", goal("one way, proxyrt, ").measured());
    }

    @Test
    void shouldTakeTheBestProtocolThereAndBack() {
        add(1, ShmPlan.ROUND_TRIP, "8", ShmPlan.LL, "rtt_p50", 190);
        add(1, ShmPlan.ROUND_TRIP, "8", ShmPlan.SIMPLE, "rtt_p50", 300);
        add(1, ShmPlan.ROUND_TRIP, "8", ShmPlan.MPI, "rtt_p50", 500);
        add(1, ShmPlan.ROUND_TRIP, "8", ShmPlan.UCX, "rtt_p50", 380);
        assertEquals("0.5 × its time", goal("the same").measured());
        assertEquals(new Goal("8 bytes to a kernel and back, by the best protocol: p50 at most 0.2 µs", "0.19 µs",
                Goal.Verdict.HOLDS), goal("8 bytes"));
    }

    @Test
    void shouldJudgeAllReducesFrom4KiBOnBySizeAndSmallOnesByTime() {
        String experiment = ShmPlan.allReduce(2);
        for (String size : new String[] {"8", "4096"}) {
            add(1, experiment, size, ShmPlan.OURS, "out_us", 0.9);
            add(1, experiment, size, ShmPlan.MPI, "out_us", 0.3);
        }
        assertEquals("at worst 3 ×, at 4 KiB", goal(experiment + ", from 4 KiB").measured());
        assertEquals(Goal.Verdict.HOLDS, goal(experiment + ", 8 B").verdict());
    }

    @Test
    void shouldPutRatiosBehindTheFigures() {
        stream(1, ShmPlan.OURS, 20);
        stream(1, ShmPlan.MPI, 40);
        assertEquals("| 64 KiB | 20 | 40 | 0.5 | – | – |", new ShmTables(results).streams().lines().getLast());
    }

    @Test
    void shouldHoldMessagesFromPlacesOfTheirOwnAgainstOpenMpi() {
        add(1, ShmPlan.APART, "65536", ShmPlan.OURS, "gbs", 13);
        add(1, ShmPlan.APART, "65536", ShmPlan.REGISTERED, "gbs", 9);
        add(1, ShmPlan.APART, "65536", ShmPlan.MPI, "gbs", 10);
        assertEquals(Goal.Verdict.HOLDS, goal("one way from places of their own, proxyrt, ").verdict());
        assertEquals("at worst 0.9 ×, at 64 KiB",
                goal("one way from places of their own, proxyrt-registered, ").measured());
        assertEquals("| 64 KiB | 13 | 9 | 10 | 1.3 | 0.9 |", new ShmTables(results).streamsApart().lines().getLast());
    }

    @Test
    void shouldDrawEveryOneOfOursInAShadeOfItsOwn() {
        assertEquals(Map.of(), new ShmPlots(results).draw());
        for (String size : new String[] {"8", "64"}) {
            add(1, ShmPlan.ROUND_TRIP, size, ShmPlan.LL, "rtt_p50", 200);
            add(1, ShmPlan.ROUND_TRIP, size, ShmPlan.LL128, "rtt_p50", 210);
        }
        String plot = new ShmPlots(results).draw().get(ShmPlots.ROUND_TRIPS);
        assertTrue(plot.contains(Palette.line(ShmPlan.LL, 0)) && plot.contains(Palette.line(ShmPlan.LL128, 1)), plot);
    }

    private Goal goal(String beginning) {
        return new ShmGoals(results).judge().stream().filter(goal -> goal.goal().startsWith(beginning)).findFirst()
                .orElseThrow();
    }

    private void stream(int round, String contender, double rate) {
        add(round, ShmPlan.STREAM, "65536", contender, "gbs", rate);
    }

    private void add(int round, String experiment, String scenario, String contender, String metric, double value) {
        results.add(new Sample(round, experiment, scenario, contender, metric, value));
    }
}
