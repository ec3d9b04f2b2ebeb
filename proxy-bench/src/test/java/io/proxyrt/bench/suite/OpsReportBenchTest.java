/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.run.Scale;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OpsReportBenchTest extends FilledReport {
    private static final String CELL = OpsBench.cell(1, 1);

    @Override
    Bench bench() {
        return new OpsBench(Scale.full(1), program -> "peer");
    }

    @Test
    void shouldPutContendersInRowsAndCellsInColumns() {
        throughput("lanes", 30);
        throughput("c-mutex", 20);
        assertEquals(List.of("| million ops/s | " + CELL + " |", "|---|---|", "| **lanes** | 30 |", "| c-mutex | 20 |"),
                table("throughput"));
    }

    @Test
    void shouldSayThatAGoalHolds() {
        throughput("lanes", 41);
        throughput("c-mutex", 20);
        Goal goal = goals().getFirst();
        assertEquals(Goal.Verdict.HOLDS, goal.verdict());
        assertEquals("2.05 ×", goal.measured());
    }

    @Test
    void shouldNotHideAMiss() {
        throughput("lanes", 30);
        throughput("c-mutex", 20);
        throughput("jctools-mpsc", 33);
        List<Goal> goals = goals();
        assertEquals(Goal.Verdict.MISSED, goals.getFirst().verdict());
        Goal ahead = goals.stream().filter(goal -> goal.goal().contains("ahead")).findFirst().orElseThrow();
        assertEquals(Goal.Verdict.MISSED, ahead.verdict());
        assertTrue(ahead.measured().contains("jctools-mpsc 1.1 ×"), ahead.measured());
    }

    @Test
    void shouldNotJudgeWhatWasNotMeasured() {
        goals().forEach(goal -> assertEquals(Goal.Verdict.NOT_MEASURED, goal.verdict()));
    }

    @Test
    void shouldCorrectTheSeedsWhereFiguresDiffer() {
        throughput("lanes", 40);
        throughput("c-mutex", 20);
        for (String contender : List.of("lanes", "c-mutex")) {
            add(OpsBench.RATE, OpsBench.cell(1_000), contender, "x", 1);
            add(OpsBench.THROUGHPUT, OpsBench.cell(4, 1), contender, "mops", contender.equals("lanes") ? 40 : 10);
        }
        String last = table("scenarios").getLast();
        assertEquals("|  | lock-free: 30 to 50 % better | 75 % less time per op, from post to fetch | too low |", last);
    }

    @Test
    void shouldDrawWhatWasMeasured() {
        assertEquals(Set.of(), plots());
        throughput("lanes", 30);
        add(OpsBench.PASS, "1", "ours", "ns_per_pass", 10);
        add(OpsBench.PASS, "4", "ours", "ns_per_pass", 40);
        assertEquals(Set.of("ops-throughput.svg", "ops-pass.svg"), plots());
    }

    private void throughput(String contender, double mops) {
        add(OpsBench.THROUGHPUT, CELL, contender, "mops", mops);
    }
}
