/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.run.Scale;
import org.junit.jupiter.api.Test;

class ShmReportBenchTest extends FilledReport {
    @Override
    Bench bench() {
        return new ShmBench(Scale.full(1), program -> "peer");
    }

    @Test
    void shouldHoldStreamsAgainstTheFasterPeer() {
        stream(1, Bench.OURS, 40);
        stream(1, ShmBench.UCX, 30);
        assertEquals(Goal.Verdict.HOLDS, goal("one way, proxyrt, ").verdict());
        stream(1, Bench.MPI, 50);
        assertEquals("at worst 0.8 ×, at 64 KiB", goal("one way, proxyrt, ").measured());
        assertEquals(Goal.Verdict.MISSED, goal("one way, proxyrt, ").verdict());
        assertEquals(Goal.Verdict.NOT_MEASURED, goal("one way, proxyrt-registered, ").verdict());
    }

    @Test
    void shouldCompareWithinARound() {
        stream(1, Bench.OURS, 50);
        stream(1, Bench.MPI, 40);
        stream(2, Bench.OURS, 20);
        stream(2, Bench.MPI, 10);
        stream(3, Bench.OURS, 60);
        assertEquals("at worst 1.63 ×, at 64 KiB", goal("one way, proxyrt, ").measured());
    }

    @Test
    void shouldTakeTheBestProtocolThereAndBack() {
        add(1, MessageBench.ROUND_TRIP, "8", ShmBench.LL, "rtt_p50", 190);
        add(1, MessageBench.ROUND_TRIP, "8", ShmBench.SIMPLE, "rtt_p50", 300);
        add(1, MessageBench.ROUND_TRIP, "8", Bench.MPI, "rtt_p50", 500);
        add(1, MessageBench.ROUND_TRIP, "8", ShmBench.UCX, "rtt_p50", 380);
        assertEquals("0.5 × its time", goal("the same").measured());
        exchange(MessageBench.ROUND_TRIP, 190, 210);
        assertEquals(new Goal("8 bytes to a kernel and back, by the best protocol, p50: at most 1.25 exchanges of a"
                + " cache line", "0.95 (190 ns)", Goal.Verdict.HOLDS), goal("8 bytes"));
    }

    @Test
    void shouldSayHowTheCpusLayBelowATable() {
        stream(1, Bench.OURS, 50);
        exchange(MessageBench.STREAM, 100, 120);
        exchange(ShmBench.APART, 500, 600);
        assertEquals("CPUs: NEAR; a cache line went there and back in 110 [100..120] ns.", table("stream").getLast());
        exchange(MessageBench.STREAM, 500, 600);
        assertEquals("CPUs: NEAR, then FAR; a cache line went there and back in 310 [100..600] ns.",
                table("stream").getLast());
    }

    @Test
    void shouldJudgeAllReducesFrom4KiBOnBySizeAndSmallOnesByTime() {
        String experiment = MessageBench.allReduce(2);
        for (String size : new String[] {"8", "4096"}) {
            add(1, experiment, size, Bench.OURS, "out_us", 0.9);
            add(1, experiment, size, Bench.MPI, "out_us", 0.3);
        }
        exchange(experiment, 450, 460);
        assertEquals("at worst 3 ×, at 4 KiB", goal(experiment + ", from 4 KiB").measured());
        assertEquals(Goal.Verdict.HOLDS, goal(experiment + ", 8 B").verdict());
    }

    @Test
    void shouldPutRatiosBehindTheFigures() {
        stream(1, Bench.OURS, 20);
        stream(1, Bench.MPI, 40);
        assertEquals("| 64 KiB | 20 | 40 | 0.5 | – | – |", table("stream").getLast());
    }

    @Test
    void shouldHoldMessagesFromPlacesOfTheirOwnAgainstOpenMpi() {
        add(1, ShmBench.APART, "65536", Bench.OURS, "gbs", 13);
        add(1, ShmBench.APART, "65536", ShmBench.REGISTERED, "gbs", 9);
        add(1, ShmBench.APART, "65536", Bench.MPI, "gbs", 10);
        assertEquals(Goal.Verdict.HOLDS, goal("one way from places of their own, proxyrt, ").verdict());
        assertEquals("at worst 0.9 ×, at 64 KiB",
                goal("one way from places of their own, proxyrt-registered, ").measured());
        assertEquals("| 64 KiB | 13 | 9 | 10 | 1.3 | 0.9 |", table("stream-apart").getLast());
    }

    private void stream(int round, String contender, double rate) {
        add(round, MessageBench.STREAM, "65536", contender, "gbs", rate);
    }
}
