/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.report.Sizes;
import io.proxyrt.bench.run.Scale;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NetReportBenchTest extends FilledReport {
    @Override
    Bench bench() {
        return new NetBench(Scale.full(1), program -> "peer");
    }

    @Test
    void shouldJudgeTheSizeThatComparesWorst() {
        for (String size : List.of("65536", "1048576")) {
            add(MessageBench.STREAM, size, NetBench.C, "gbs", 4);
        }
        add(MessageBench.STREAM, "65536", Bench.OURS, "gbs", 8);
        add(MessageBench.STREAM, "1048576", Bench.OURS, "gbs", 3);
        Goal goal = goal("one way");
        assertEquals(Goal.Verdict.MISSED, goal.verdict());
        assertEquals("at worst 0.75 ×, at 1 MiB", goal.measured());
    }

    @Test
    void shouldHoldSmallAndLargeAllReducesAgainstTheirOwnBounds() {
        String experiment = MessageBench.allReduce(2);
        add(experiment, "8", Bench.MPI, "out_us", 10);
        add(experiment, "8", Bench.OURS, "out_us", 14);
        add(experiment, "32768", Bench.MPI, "out_us", 10);
        add(experiment, "32768", Bench.OURS, "out_us", 14);
        assertEquals(Goal.Verdict.HOLDS, goal(experiment + ", below 32 KiB").verdict());
        assertEquals(Goal.Verdict.MISSED, goal(experiment + ", from 32 KiB on: no slower than mpi").verdict());
        assertEquals(Goal.Verdict.NOT_MEASURED, goal(experiment + ", from 32 KiB on: no slower than gloo").verdict());
    }

    @Test
    void shouldHoldAutomaticSettingsAgainstTheBestOfEachSize() {
        assertEquals(Goal.Verdict.NOT_MEASURED, goal("one way: automatic").verdict());
        add(MessageBench.STREAM, "65536", Bench.OURS, "gbs", 8);
        add(MessageBench.STREAM, "65536", "proxyrt-0x1", "gbs", 8);
        add(MessageBench.STREAM, "65536", "proxyrt-0x2", "gbs", 8.5);
        add(MessageBench.STREAM, "1048576", Bench.OURS, "gbs", 8);
        add(MessageBench.STREAM, "1048576", "proxyrt-0x2", "gbs", 7);
        add(MessageBench.STREAM, "1048576", "proxyrt-2x1", "gbs", 10);
        assertEquals("at worst 0.8 × proxyrt-2x1, at 1 MiB", goal("one way: automatic").measured());
        assertEquals(Goal.Verdict.MISSED, goal("one way: automatic").verdict());
    }

    @Test
    void shouldSayWhatAskingAllAtOnceGains() {
        add(NetBench.POLL, "64", NetBench.ONE_BY_ONE, "none_ns", 30_000);
        add(NetBench.POLL, "64", NetBench.BATCH, "none_ns", 3_000);
        add(NetBench.POLL, "64", NetBench.ONE_BY_ONE, "all_p50", 90_000);
        add(NetBench.POLL, "64", NetBench.BATCH, "all_p50", 100_000);
        assertEquals("| 64 | 30 | 3 | +900 % | – | – | – | 90 | 100 | -10 % |",
                table("poll").getLast());
    }

    @Test
    void shouldGiveMicrosecondsAndRatios() {
        add(MessageBench.ROUND_TRIP, "8", NetBench.C, "rtt_p50", 6_000);
        add(MessageBench.ROUND_TRIP, "8", Bench.OURS, "rtt_p50", 9_000);
        assertEquals("| 8 B | 6 | 9 | – | – | 1.5 |", table("rtt").getLast());
    }

    @Test
    void shouldNameSizesExactly() {
        assertEquals("8 B", Sizes.format("8"));
        assertEquals("1025 B", Sizes.format("1025"));
        assertEquals("64 MiB", Sizes.format("67108864"));
    }

    @Test
    void shouldDrawWhatWasMeasured() {
        add(MessageBench.ROUND_TRIP, "8", Bench.OURS, "rtt_p50", 9_000);
        assertEquals(Set.of(), plots());
        add(MessageBench.ROUND_TRIP, "64", Bench.OURS, "rtt_p50", 9_000);
        assertEquals(Set.of("net-round-trips.svg"), plots());
    }
}
