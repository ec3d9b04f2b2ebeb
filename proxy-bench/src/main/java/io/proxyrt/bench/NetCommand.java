/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import io.proxyrt.bench.report.NetReport;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.NetPlan;
import io.proxyrt.bench.run.Plan;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;

/** The {@code proxyrt bench net} command. */
@Command(name = "net", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Measures the NET transport: round trips and streams of the socket network side by side with"
            + " plain sockets in C (which takes a C compiler), and all-reduce side by side with MPI (mpicc and mpirun)"
            + " and Gloo (libgloo-dev).", "",
            "Each measurement runs in processes of its own; contenders take turns within each round; tables have the"
            + " median over the rounds with [least..most]. Takes about 20 minutes with 3 rounds on two cores that have"
            + " nothing else to do.", ""},
        footer = {"", "Writes net.md (tables and goals), net.csv (every value) and net-*.svg (plots).", "",
            "Examples:",
            "  proxyrt bench net",
            "  proxyrt bench net --rounds 1 --only 'rtt|stream.*(proxyrt|c-1)' --out /tmp/net",
            "  proxyrt bench net --smoke"})
final class NetCommand extends MeasuringCommand {
    /** For picocli. */
    NetCommand() {
    }

    @Override
    List<Job.Program> programs() {
        return List.of(Job.Program.NET, Job.Program.NET_ENGINES, Job.Program.MPI, Job.Program.GLOO,
                Job.Program.PERF);
    }

    @Override
    Plan plan(Scale scale, Programs programs) {
        return new NetPlan(scale, programs::has);
    }

    @Override
    Report report(Runs runs, Programs programs, Scale scale, Duration duration) {
        return new NetReport(runs, programs, scale, duration);
    }
}
