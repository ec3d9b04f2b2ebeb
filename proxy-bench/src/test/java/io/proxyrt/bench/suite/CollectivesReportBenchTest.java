/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Scale;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CollectivesReportBenchTest extends FilledReport {
    private static final String REDUCE = "reduce 4 ranks, NET";

    @Override
    Bench bench() {
        return new CollectivesBench(Scale.full(1), program -> "peer");
    }

    @Test
    void shouldJudgeEachSizeFrom32KiBOn() {
        both("alltoall 2 ranks, SHM", "16384", "out_us", 9, 1);
        both("alltoall 2 ranks, SHM", "32768", "out_us", 9, 10);
        assertEquals(Goal.Verdict.HOLDS, goal("alltoall 2 ranks, SHM").verdict());
        both("alltoall 2 ranks, SHM", "65536", "out_us", 12, 10);
        assertEquals("at worst 1.2 ×, at 64 KiB", goal("alltoall 2 ranks, SHM").measured());
        assertEquals(Goal.Verdict.MISSED, goal("alltoall 2 ranks, SHM").verdict());
        assertEquals(Goal.Verdict.NOT_MEASURED, goal("alltoall 4 ranks, SHM").verdict());
    }

    @Test
    void shouldJudgeReduceInPlaceByItself() {
        both(REDUCE, "32768", "out_us", 8, 10);
        both(REDUCE, "32768", "in_us", 15, 10);
        assertEquals(Goal.Verdict.HOLDS, goal(REDUCE + ", from").verdict());
        assertEquals("at worst 1.5 ×, at 32 KiB", goal(REDUCE + ", in place, from").measured());
        assertEquals("| 32 KiB | 8 | 10 | 1.25 | 15 | 10 | 0.667 |", table(REDUCE).getLast());
    }

    @Test
    void shouldDrawHowManyTimesAsFastAsOpenMpi() {
        both(REDUCE, "32768", "out_us", 8, 10);
        both(REDUCE, "65536", "out_us", 8, 10);
        assertEquals(Set.of("collectives-reduce.svg"), plots());
    }

    @Test
    void shouldJudgeWhatAGroupGains() {
        group(CollectivesBench.GROUP, 6, 2);
        group(CollectivesBench.MESSAGES, 3, 2);
        assertEquals(Goal.Verdict.HOLDS, goal("64 all_reduces of 4 KiB, 2 ranks, SHM").verdict());
        assertEquals("3 ×", goal("64 all_reduces of 4 KiB, 2 ranks, SHM").measured());
        assertEquals(Goal.Verdict.NOT_MEASURED, goal("64 all_reduces of 4 KiB, 4 ranks, NET").verdict());
        assertEquals("| 2 ranks, SHM | 3 | 2 | 1.5 |", table(CollectivesBench.MESSAGES).getLast());
    }

    @Test
    void shouldCompareWithMpiOverTheSameWay() {
        List<Job> jobs = bench().groups().stream().flatMap(group -> group.jobs().stream())
                .filter(job -> job.contender().equals(Bench.MPI)).toList();
        assertEquals(16, jobs.size());
        for (Job job : jobs) {
            Job.Program way = job.experiment().endsWith(", SHM") ? Job.Program.MPI_SHM : Job.Program.MPI;
            assertEquals(way, job.program(), job.toString());
            assertTrue(job.experiment().startsWith(job.words().get(1) + ' ' + job.words().getFirst()), job.toString());
        }
    }

    private void both(String experiment, String size, String metric, double ours, double mpi) {
        add(experiment, size, Bench.OURS, metric, ours);
        add(experiment, size, Bench.MPI, metric, mpi);
    }

    private void group(String experiment, double single, double group) {
        add(experiment, "2 ranks, SHM", Bench.OURS, "single_us", single);
        add(experiment, "2 ranks, SHM", Bench.OURS, "group_us", group);
        add(experiment, "2 ranks, SHM", Bench.OURS, "gain", single / group);
    }
}
