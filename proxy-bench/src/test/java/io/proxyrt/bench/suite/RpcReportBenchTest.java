/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.rig.AttackRig;
import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Scale;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RpcReportBenchTest extends FilledReport {
    @Override
    Bench bench() {
        return new RpcBench(Scale.full(1), program -> "peer");
    }

    @Test
    void shouldHoldAgainstThePeerThatWaitsAlike() {
        rtt(RpcBench.C_POLL, 50_000);
        rtt(Bench.OURS, 60_000);
        rtt(RpcBench.C_SPIN, 6_000);
        rtt(Bench.OURS + RpcBench.SPIN, 15_000);
        List<Goal> goals = goals();
        assertEquals("1.2 × (60 µs, C 50 µs)", goals.get(0).measured());
        assertEquals(Goal.Verdict.HOLDS, goals.get(0).verdict());
        assertEquals("2.5 × (15 µs, C 6 µs)", goals.get(1).measured());
        assertEquals(Goal.Verdict.MISSED, goals.get(1).verdict());
    }

    @Test
    void shouldJudgeAttackersByThePercentileOfTheGoodClient() {
        add(RpcBench.ATTACK, AttackRig.UNDISTURBED + AttackRig.PAUSING, Bench.OURS, "rtt_p99", 100_000);
        add(RpcBench.ATTACK, AttackRig.ATTACKED + AttackRig.PAUSING, Bench.OURS, "rtt_p99", 310_000);
        Goal last = goals().getLast();
        assertEquals(Goal.Verdict.MISSED, last.verdict());
        assertEquals("3.1 × (310 µs, undisturbed 100 µs)", last.measured());
        add(RpcBench.ATTACK, AttackRig.UNDISTURBED + AttackRig.PAUSING, RpcBench.C_POLL, "rtt_p99", 90_000);
        add(RpcBench.ATTACK, AttackRig.ATTACKED + AttackRig.PAUSING, RpcBench.C_POLL, "rtt_p99", 300_000);
        last = goals().getLast();
        assertEquals(Goal.Verdict.MISSED, last.verdict());
        assertEquals("3.1 × (310 µs, undisturbed 100 µs; C 300 µs, undisturbed 90 µs)", last.measured());
    }

    @Test
    void shouldJudgeNothingThatWasNotMeasured() {
        goals().forEach(goal -> assertEquals(Goal.Verdict.NOT_MEASURED, goal.verdict()));
        rtt(Bench.OURS, 60_000);
        assertFalse(goals().getFirst().isMeasured(), "C is missing");
    }

    @Test
    void shouldSetOursOffAndGiveMicrosecondsAndRatios() {
        rtt(RpcBench.C_POLL, 50_000);
        rtt(Bench.OURS + RpcBench.TLS, 125_000);
        assertEquals(List.of("| µs | how | p50 | p99 | p99.9 | p50 over C's |", "|---|---|---|---|---|---|",
                "| c-poll | client blocks, server in poll() | 50 | – | – | 1 |",
                "| **proxyrt-tls** | defaults, TLS | 125 | – | – | 2.5 |"),
                table("call TCP"));
    }

    @Test
    void shouldDrawWhatWasMeasured() {
        assertEquals(Set.of(), plots());
        rtt(Bench.OURS, 60_000);
        assertEquals(Set.of("rpc-round-trips.svg"), plots());
    }

    @Test
    void shouldSayHowEachContenderWaits() {
        for (Group group : bench().groups()) {
            for (Job job : group.jobs()) {
                String how = RpcBench.how(job.contender());
                assertEquals(job.words().contains("control.linger=1s") || job.words().contains("spin"),
                        how.contains("both ends spin"), job + ": " + how);
            }
        }
    }

    private void rtt(String contender, double ns) {
        add(RpcBench.CALL, RpcBench.TCP, contender, "rtt_p50", ns);
    }
}
