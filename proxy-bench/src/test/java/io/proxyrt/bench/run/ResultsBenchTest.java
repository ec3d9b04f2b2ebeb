/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import org.junit.jupiter.api.Test;

class ResultsBenchTest {
    @Test
    void shouldTakeTheMiddleOfOddAndEvenCounts() {
        assertEquals(new Stat(2, 1, 9, 3), Stat.of(List.of(9.0, 1.0, 2.0)));
        assertEquals(new Stat(2.5, 1, 4, 4), Stat.of(List.of(4.0, 3.0, 2.0, 1.0)));
    }

    @Test
    void shouldSayWhatWasNotMeasured() {
        assertFalse(new Results().experiment("throughput").stat("1 producer, batch 1", "lanes", "mops").isMeasured());
    }

    @Test
    void shouldWriteEverySampleAsALine() {
        Results results = new Results();
        results.add(new Sample(1, "rate", "1,000 ops/s", "lanes", "response_p50", 123456.789));
        assertEquals(List.of("round,experiment,scenario,contender,metric,value",
                "1,rate,\"1,000 ops/s\",lanes,response_p50,123457"), results.csv());
    }

    @Test
    void shouldLetAnotherGoFirstInEachRound() {
        Group group = new Group("g", List.of(job("a"), job("b"), job("c")));
        assertEquals(List.of(job("b"), job("c"), job("a")), group.rotated(1).jobs());
        assertEquals(group.jobs(), group.rotated(3).jobs());
    }

    private static Job job(String contender) {
        return new Job("e", "s", contender, Job.Program.JAVA, List.of());
    }
}
