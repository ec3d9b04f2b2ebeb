/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.report.Table;
import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Noise;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import io.proxyrt.bench.suite.Bench;
import io.proxyrt.bench.suite.NetBench;
import io.proxyrt.bench.suite.OpsBench;
import io.proxyrt.bench.suite.RpcBench;
import io.proxyrt.bench.suite.ShmBench;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Few cells of all benchmarks, each once: a page of ratios to paste. */
final class QuickRun {
    private static final String PAGE = "quick.md";

    private QuickRun() {
    }

    /** Measures, and returns the page. */
    static List<String> page() {
        long start = System.nanoTime();
        Programs programs = Programs.prepare(Path.of(System.getProperty("bench.root", ".")), Stream.of(
                OpsBench.PROGRAMS, RpcBench.PROGRAMS, NetBench.PROGRAMS, ShmBench.PROGRAMS).flatMap(List::stream)
                .distinct().toList());
        programs.missing().forEach(System.err::println);
        Scale scale = Scale.quick();
        List<List<?>> rows = new ArrayList<>();
        List<Noise> noise = new ArrayList<>();
        for (Bench bench : List.of(new OpsBench(scale, programs), new RpcBench(scale, programs),
                new NetBench(scale, programs), new ShmBench(scale, programs))) {
            List<Group> plan = plan(bench);
            Runs runs = new Runs(programs, plan, scale.rounds(), null, System.err);
            runs.run();
            Report report = new Report(runs.results(), runs.noise());
            bench.comparisons().forEach(row -> rows.add(row.row(report, plan)));
            noise.addAll(runs.noise());
        }
        Report page = new Report(new Results(), noise);
        page.table("ratios", Table.ofRows(List.of("what", "beside", "ours", "CPUs"), rows));
        page.circumstances(programs, List.of("Agrona", "JCTools", "Netty"), scale,
                Duration.ofNanos(System.nanoTime() - start));
        return page.page(Bench.class, PAGE);
    }

    private static List<Group> plan(Bench bench) {
        return bench.groups().stream().map(group -> new Group(group.name(), jobs(bench, group)))
                .filter(group -> !group.jobs().isEmpty()).toList();
    }

    private static List<Job> jobs(Bench bench, Group group) {
        return group.jobs().stream().filter(job -> bench.comparisons().stream().anyMatch(row -> row.takes(job)))
                .toList();
    }
}
