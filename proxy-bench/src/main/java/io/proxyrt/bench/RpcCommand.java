/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import io.proxyrt.bench.report.RpcReport;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.RpcPlan;
import io.proxyrt.bench.run.Plan;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;

/** The {@code proxyrt bench rpc} command. */
@Command(name = "rpc", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Measures the control plane: calls to the service thread, file descriptors by the UDS thread,"
            + " many connections at once, and a good client among attackers; round trips side by side with the same"
            + " exchanges in C (which takes a C compiler).", "",
            "Each measurement runs in JVMs of its own; contenders take turns within each round; tables have the median"
            + " over the rounds with [least..most]. Takes about 4 minutes with 3 rounds on two cores that have"
            + " nothing else to do.", ""},
        footer = {"", "Writes rpc.md (tables and goals), rpc.csv (every value) and rpc-round-trips.svg.", "",
            "Examples:",
            "  proxyrt bench rpc",
            "  proxyrt bench rpc --rounds 1 --only 'call TCP' --out /tmp/rpc",
            "  proxyrt bench rpc --smoke"})
final class RpcCommand extends MeasuringCommand {
    /** For picocli. */
    RpcCommand() {
    }

    @Override
    List<Job.Program> programs() {
        return List.of(Job.Program.ROUND_TRIP, Job.Program.ATTACKED);
    }

    @Override
    Plan plan(Scale scale, Programs programs) {
        return new RpcPlan(scale, programs.has(Job.Program.ROUND_TRIP),
                programs.has(Job.Program.ATTACKED) ? programs.path(Job.Program.ATTACKED) : "");
    }

    @Override
    Report report(Runs runs, Programs programs, Scale scale, Duration duration) {
        return new RpcReport(runs, programs, scale, duration);
    }
}
