/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Noise;
import io.proxyrt.bench.run.Peers;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Sample;
import io.proxyrt.bench.run.Scale;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ComparisonBenchTest {
    private static final Comparison RATE = Comparison.rate("a rate", "stream", "64", "gbs", "proxyrt", "mpi");

    private final Results results = new Results();

    static Stream<Bench> benches() {
        Peers all = program -> "peer";
        return Stream.of(new OpsBench(Scale.quick(), all), new RpcBench(Scale.quick(), all),
                new NetBench(Scale.quick(), all), new ShmBench(Scale.quick(), all));
    }

    @ParameterizedTest
    @MethodSource("benches")
    void shouldFindBothSidesInAQuickPlan(Bench bench) {
        List<Job> jobs = bench.groups().stream().flatMap(group -> group.jobs().stream()).toList();
        assertTrue(bench.comparisons().size() >= 3);
        for (Comparison row : bench.comparisons()) {
            for (String who : List.of(row.ours(), row.peer())) {
                assertTrue(jobs.stream().anyMatch(job -> row.takes(job) && job.contender().equals(who)
                        && (job.scenario().equals(row.cell()) || hasSize(job, row.cell()))), row + " without " + who);
            }
        }
    }

    @Test
    void shouldGiveTheRatioAndHowTheCpusLay() {
        results.add(new Sample(1, "stream", "64", "proxyrt", "gbs", 30));
        results.add(new Sample(1, "stream", "64", "mpi", "gbs", 20));
        Job job = new Job("stream", "by size", "mpi", Job.Program.MPI, List.of());
        Report report = new Report(results, List.of(new Noise(1, "stream", 100, 500, 0)));
        assertEquals(List.of("a rate", "mpi", "1.5 × its rate", "MOVED"),
                RATE.row(report, List.of(new Group("stream", List.of(job)))));
    }

    @Test
    void shouldSayThatAPeerIsMissing() {
        results.add(new Sample(1, "stream", "64", "proxyrt", "gbs", 30));
        assertEquals(List.of("a rate", "mpi", "not measured", ""),
                RATE.row(new Report(results, List.of()), List.of()));
    }

    /** Rigs name sizes one by one; MPI's all-reduce and perf the least and the greatest, of powers of two. */
    private static boolean hasSize(Job job, String size) {
        List<String> words = job.words().stream().flatMap(word -> Stream.of(word.split("[=, ]"))).toList();
        if (!job.experiment().startsWith("all_reduce")) {
            return words.contains(size);
        }
        long most = words.stream().filter(word -> word.matches("\\d+")).mapToLong(Long::parseLong).max().orElseThrow();
        long bytes = Long.parseLong(size);
        return words.contains("8") && 8 <= bytes && bytes <= most && Long.bitCount(bytes) == 1;
    }
}
