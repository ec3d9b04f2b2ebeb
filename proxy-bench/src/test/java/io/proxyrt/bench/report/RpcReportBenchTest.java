/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.RpcPlan;
import io.proxyrt.bench.run.Sample;
import io.proxyrt.bench.run.Scale;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RpcReportBenchTest {
    private final Results results = new Results();

    @Test
    void shouldHoldAgainstThePeerThatWaitsAlike() {
        rtt(RpcPlan.C_POLL, 50_000);
        rtt(RpcPlan.OURS, 60_000);
        rtt(RpcPlan.C_SPIN, 6_000);
        rtt(RpcPlan.OURS + RpcPlan.SPIN, 15_000);
        List<Goal> goals = new RpcGoals(results).judge();
        assertEquals("1.2 × (60 µs, C 50 µs)", goals.get(0).measured());
        assertEquals(Goal.Verdict.HOLDS, goals.get(0).verdict());
        assertEquals("2.5 × (15 µs, C 6 µs)", goals.get(1).measured());
        assertEquals(Goal.Verdict.MISSED, goals.get(1).verdict());
    }

    @Test
    void shouldJudgeAttackersByThePercentileOfTheGoodClient() {
        add(RpcPlan.ATTACK, RpcPlan.UNDISTURBED + RpcPlan.PAUSING, RpcPlan.OURS, "rtt_p99", 100_000);
        add(RpcPlan.ATTACK, RpcPlan.ATTACKED + RpcPlan.PAUSING, RpcPlan.OURS, "rtt_p99", 310_000);
        Goal last = new RpcGoals(results).judge().getLast();
        assertEquals(Goal.Verdict.MISSED, last.verdict());
        assertEquals("3.1 × (310 µs, undisturbed 100 µs)", last.measured());
        add(RpcPlan.ATTACK, RpcPlan.UNDISTURBED + RpcPlan.PAUSING, RpcPlan.C_POLL, "rtt_p99", 90_000);
        add(RpcPlan.ATTACK, RpcPlan.ATTACKED + RpcPlan.PAUSING, RpcPlan.C_POLL, "rtt_p99", 300_000);
        last = new RpcGoals(results).judge().getLast();
        assertEquals(Goal.Verdict.MISSED, last.verdict());
        assertEquals("3.1 × (310 µs, undisturbed 100 µs; C 300 µs, undisturbed 90 µs)", last.measured());
    }

    @Test
    void shouldJudgeNothingThatWasNotMeasured() {
        new RpcGoals(results).judge().forEach(goal -> assertEquals(Goal.Verdict.NOT_MEASURED, goal.verdict()));
        rtt(RpcPlan.OURS, 60_000);
        assertFalse(new RpcGoals(results).judge().getFirst().isMeasured(), "C is missing");
    }

    @Test
    void shouldSetOursOffAndGiveMicrosecondsAndRatios() {
        rtt(RpcPlan.C_POLL, 50_000);
        rtt(RpcPlan.OURS + RpcPlan.TLS, 125_000);
        assertEquals(List.of("| µs | how | p50 | p99 | p99.9 | p50 over C's |", "|---|---|---|---|---|---|",
                "| c-poll | client blocks, server in poll() | 50 | – | – | 1 |",
                "| **proxyrt-tls** | defaults, TLS | 125 | – | – | 2.5 |"),
                new RpcTables(results).roundTrips(RpcPlan.CALL, RpcPlan.TCP).lines());
    }

    @Test
    void shouldDrawWhatWasMeasured() {
        assertEquals(Map.of(), new RpcPlots(results).draw());
        rtt(RpcPlan.OURS, 60_000);
        String plot = new RpcPlots(results).draw().get(RpcPlots.ROUND_TRIPS);
        assertTrue(plot.contains("A call of 64 bytes, TCP") && plot.contains(Palette.OURS), plot);
    }

    @Test
    void shouldSayHowEachContenderWaits() {
        for (Group group : new RpcPlan(Scale.full(1), true, "attacked").groups()) {
            for (Job job : group.jobs()) {
                String how = RpcText.how(job.contender());
                assertEquals(job.words().contains("control.linger=1s") || job.words().contains("spin"),
                        how.contains("both ends spin"), job + ": " + how);
            }
        }
    }

    private void rtt(String contender, double ns) {
        add(RpcPlan.CALL, RpcPlan.TCP, contender, "rtt_p50", ns);
    }

    private void add(String experiment, String scenario, String contender, String metric, double value) {
        results.add(new Sample(1, experiment, scenario, contender, metric, value));
    }
}
