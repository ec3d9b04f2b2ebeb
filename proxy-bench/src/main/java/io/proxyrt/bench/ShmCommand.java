/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.report.ShmReport;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Plan;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import io.proxyrt.bench.run.ShmPlan;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;

/** The {@code proxyrt bench shm} command. */
@Command(name = "shm", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Measures the SHM transport: round trips and streams through shared memory, copies by the proxy,"
            + " and all-reduce, side by side with Open MPI (mpicc and mpirun), UCX (ucx_perftest) and C's memcpy (a C"
            + " compiler); Debian has them as openmpi-bin, libopenmpi-dev and ucx-utils. What is missing is said, and"
            + " left out.", "",
            "Each measurement runs in processes of its own; contenders take turns within each round; tables have the"
            + " median over the rounds with [least..most]. Takes about 13 minutes with 3 rounds on two cores that have"
            + " nothing else to do.", ""},
        footer = {"", "Writes shm.md (tables and goals), shm.csv (every value) and shm-*.svg (plots).", "",
            "Examples:",
            "  proxyrt bench shm",
            "  proxyrt bench shm --rounds 1 --only 'rtt|stream.*(proxyrt|mpi)' --out /tmp/shm",
            "  proxyrt bench shm --smoke"})
final class ShmCommand extends MeasuringCommand {
    /** For picocli. */
    ShmCommand() {
    }

    @Override
    List<Job.Program> programs() {
        return List.of(Job.Program.COPIES, Job.Program.MPI_SHM, Job.Program.UCX, Job.Program.PERF);
    }

    @Override
    Plan plan(Scale scale, Programs programs) {
        return new ShmPlan(scale, programs::has);
    }

    @Override
    Report report(Runs runs, Programs programs, Scale scale, Duration duration) {
        return new ShmReport(runs, programs, scale, duration);
    }
}
