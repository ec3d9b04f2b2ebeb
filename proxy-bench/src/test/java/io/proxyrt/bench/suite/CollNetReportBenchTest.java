/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.run.Scale;
import org.junit.jupiter.api.Test;

class CollNetReportBenchTest extends FilledReport {
    @Override
    Bench bench() {
        return new CollNetBench(Scale.full(1), program -> null);
    }

    @Test
    void shouldJudgeEachNumberOfParticipants() {
        add(CollNetBench.REDUCTION, "2", Bench.OURS, "of_sum", 0.79);
        add(CollNetBench.REDUCTION, "8", Bench.OURS, "of_sum", 0.81);
        assertEquals(Goal.Verdict.MISSED, goal("2 participants").verdict());
        assertEquals(Goal.Verdict.NOT_MEASURED, goal("4 participants").verdict());
        assertEquals(Goal.Verdict.HOLDS, goal("8 participants").verdict());
        assertEquals("0.81 ×", goal("8 participants").measured());
    }

    @Test
    void shouldHaveARowForWhatWasMeasured() {
        add(CollNetBench.REDUCTION, "4", Bench.OURS, "sum_gbs", 20);
        add(CollNetBench.REDUCTION, "4", Bench.OURS, "reduce_gbs", 15);
        assertEquals("| 4 | 20 | 15 | – | – | – |", table(CollNetBench.REDUCTION).get(2));
    }
}
