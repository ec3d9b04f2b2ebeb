/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import io.proxyrt.bench.report.OpsReport;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.OpsPlan;
import io.proxyrt.bench.run.Plan;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;

/** The {@code proxyrt bench ops} command. */
@Command(name = "ops", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Measures the ops pool and the progress engine, side by side with ArrayBlockingQueue,"
            + " ConcurrentLinkedQueue, JCTools, LMAX Disruptor, Agrona, a ReentrantLock pool and NCCL's own design in C"
            + " (which takes a C compiler).", "",
            "Each measurement runs in a JVM of its own; contenders take turns within each round; tables have the median"
            + " over the rounds with [least..most]. Takes about 14 minutes with 3 rounds on two cores that have"
            + " nothing else to do.", ""},
        footer = {"", "Writes ops.md (tables and goals), ops.csv (every value) and ops-*.svg (plots).", "", "Examples:",
            "  proxyrt bench ops",
            "  proxyrt bench ops --rounds 1 --only 'throughput 1 producer' --out /tmp/ops",
            "  proxyrt bench ops --smoke"})
final class OpsCommand extends MeasuringCommand {
    /** For picocli. */
    OpsCommand() {
    }

    @Override
    List<Job.Program> programs() {
        return List.of(Job.Program.OPSQUEUE, Job.Program.BURSTS);
    }

    @Override
    Plan plan(Scale scale, Programs programs) {
        return new OpsPlan(scale, programs().stream().allMatch(programs::has));
    }

    @Override
    Report report(Runs runs, Programs programs, Scale scale, Duration duration) {
        return new OpsReport(runs, programs, scale, duration);
    }
}
