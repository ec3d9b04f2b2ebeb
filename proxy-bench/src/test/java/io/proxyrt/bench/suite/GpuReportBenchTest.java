/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Scale;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GpuReportBenchTest extends FilledReport {
    private static final String LARGEST = "268435456";
    private static final String OURS_SHM = Bench.OURS + "-shm";
    private static final String NCCL_SHM = GpuBench.NCCL + "-shm";

    private int gpus = 2;

    @Override
    Bench bench() {
        return new GpuBench(Scale.full(1), program -> null, "cuda", gpus, List.of(), () -> "");
    }

    @Test
    void shouldHaveNoGoalsOnOneGpuThatTakeTwo() {
        gpus = 1;
        rate(LARGEST, OURS_SHM, 44);
        rate(LARGEST, NCCL_SHM, 55);
        assertEquals(List.of("a kernel's word"), goals().stream()
                .map(goal -> goal.goal().substring(0, "a kernel's word".length())).toList());
    }

    @Test
    void shouldHoldTheLargestMessagesAgainstTheRateOfTheirWay() {
        rate(LARGEST, OURS_SHM, 44);
        rate("1024", OURS_SHM, 99);
        assertEquals(Goal.Verdict.NOT_MEASURED, goal("one-way, proxyrt-shm").verdict());
        rate(LARGEST, NCCL_SHM, 55);
        assertEquals(new Goal("one-way, proxyrt-shm, 256 MiB: at least the rate of NCCL's by the same way",
                "0.8 × (44 GB/s)", Goal.Verdict.MISSED), goal("one-way, proxyrt-shm"));
        assertEquals(Goal.Verdict.NOT_MEASURED, goal("one-way, proxyrt-net").verdict());
    }

    @Test
    void shouldTakeTheBestOfNcclsSettingsForAWay() {
        add(GpuBench.ALL_REDUCE, LARGEST, Bench.OURS + "-net", "gbs", 9);
        add(GpuBench.ALL_REDUCE, LARGEST, GpuBench.NCCL + "-net", "gbs", 4);
        assertEquals("2.25 × (9 GB/s)", goal("all_reduce, proxyrt-net").measured());
        add(GpuBench.ALL_REDUCE, LARGEST, GpuBench.NCCL + "-net4x4", "gbs", 10);
        assertEquals("0.9 × (9 GB/s)", goal("all_reduce, proxyrt-net").measured());
    }

    @Test
    void shouldJudgeAProxysTurnByExchangesOfACacheLine() {
        add(GpuBench.PING_PONG, "looks at once", Bench.OURS, "rtt_p50", 3_010);
        assertEquals(Goal.Verdict.NOT_MEASURED, goal("a kernel's word").verdict());
        exchange(GpuBench.PING_PONG, 300, 300);
        assertEquals(new Goal("a kernel's word to a thread and back, by the better way to look, p50: at most 10"
                + " exchanges of a cache line", "10 (3,010 ns)", Goal.Verdict.MISSED), goal("a kernel's word"));
        add(GpuBench.PING_PONG, "first look after 350 ns", Bench.OURS, "rtt_p50", 2_100);
        assertEquals("7 (2,100 ns)", goal("a kernel's word").measured());
    }

    /** Goals name cells by themselves: a plan that had others would leave them without a verdict. */
    @Test
    void shouldJudgeEveryGoalAfterAWholeRun() {
        for (Group group : bench().groups()) {
            group.jobs().forEach(this::measure);
            exchange(group.name(), 300, 300);
        }
        List<Goal> goals = goals();
        assertTrue(goals.stream().allMatch(Goal::isMeasured), goals.toString());
    }

    @Test
    void shouldPutNcclBesideOurs() {
        rate("4096", OURS_SHM, 2);
        rate("1024", OURS_SHM, 1);
        rate("1024", NCCL_SHM, 0.5);
        assertEquals(List.of("| GB/s | **proxyrt-shm** | nccl-shm |", "|---|---|---|", "| 1 KiB | 1 | 0.5 |",
                "| 4 KiB | 2 | – |"), table("one-way gbs"));
    }

    @Test
    void shouldGiveAProxysTurnInMicroseconds() {
        add(GpuBench.PING_PONG, "looks at once", Bench.OURS, "rtt_p50", 2_940);
        add(GpuBench.PING_PONG, "looks at once", Bench.OURS, "rtt_p99.9", 10_900);
        assertEquals("| looks at once | – | 2.94 | – | 10.9 |", table("ping-pong").getLast());
    }

    @Test
    void shouldDrawWhatWasMeasured() {
        assertEquals(Set.of(), plots());
        for (String size : List.of("1024", "4096")) {
            rate(size, OURS_SHM, 2);
            rate(size, NCCL_SHM, 1);
            add(GpuBench.ALL_REDUCE, size, OURS_SHM, "gbs", 3);
        }
        assertEquals(Set.of("gpu-one-way.svg", "gpu-all-reduce.svg"), plots());
    }

    /** What its rig would say, for each size that it is told of. */
    private void measure(Job job) {
        if (job.experiment().equals(GpuBench.PING_PONG)) {
            add(job.experiment(), job.scenario(), job.contender(), "rtt_p50", 1);
        }
        job.words().stream().filter(word -> word.startsWith("sizes="))
                .flatMap(word -> List.of(word.substring("sizes=".length()).split(",")).stream())
                .forEach(size -> {
                    add(job.experiment(), size, job.contender(), "gbs", 1);
                    add(job.experiment(), size, job.contender().replace(Bench.OURS, GpuBench.NCCL), "gbs", 1);
                });
    }

    private void rate(String size, String contender, double rate) {
        add(GpuBench.ONE_WAY, size, contender, "gbs", rate);
    }
}
