/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.cli.perf.PerfOutput;
import io.proxyrt.cli.perf.PerfPlan;
import io.proxyrt.cli.perf.PerfSession;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Terminal;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code proxyrt perf}: nccl-tests for this runtime. */
@Command(name = "perf", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Measures collectives and checks their data, as nccl-tests does.",
            "It has nccl-tests' flags and its table. Ranks are processes that it starts on this host, threads of this "
                + "process (--in-process), or the processes that torchrun, Open MPI's mpirun or Slurm's srun start: "
                + "then each of these is one rank.",
            ""},
        footer = {"", "Examples:",
            "  proxyrt perf all_reduce -b 8 -e 64M -f 4",
            "  proxyrt perf reduce_scatter --ranks 8 --in-process -d all -o all -e 1M",
            "  proxyrt perf sendrecv --ranks 2 --set buffer.bytes=8M --json out.json",
            "  proxyrt perf all_reduce --json - | jq '.rows[].outOfPlace.busBw'",
            "  proxyrt perf all_reduce --device cuda --ranks 2 -e 256M",
            "  mpirun -np 4 proxyrt perf all_reduce",
            "  PROXYRT_SECRET_FILE=~/.secret srun -n 16 -N 4 proxyrt perf all_gather",
            "  torchrun --no-python --nproc-per-node 2 proxyrt perf broadcast",
            "  PROXYRT_RANK=0 PROXYRT_NRANKS=2 PROXYRT_SECRET_FILE=~/.secret \\",
            "      proxyrt perf all_reduce --rendezvous node1:29500",
            "", "Where the ranks of a launcher meet: --rendezvous, else PROXYRT_COMM_ID or NCCL_COMM_ID (host:port "
                + "of rank 0), else through a file if all are on one host, else torchrun's MASTER_ADDR and "
                + "MASTER_PORT (the next port if torchrun itself listens there), else on the first host of the Slurm "
                + "step. Ranks on several hosts need a secret, the same everywhere: any text in PROXYRT_SECRET, or a "
                + "file that only its owner can read, named by PROXYRT_SECRET_FILE.",
            "", "Times are per operation, averaged over all ranks (-a), from the first launch to the end of the last. "
                + "#wrong counts elements, and overwritten words around the buffers, over all ranks.",
            "", "nccl-tests' other flags, such as -t, -g, -p, -z, -y, -N, -C and -R, are taken with the value that "
                + "changes nothing, and else refused with what to use instead.",
            "", "Exit status: 0 all well, 1 wrong data, a failed rank or another error, 2 wrong usage."})
final class PerfCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private PlanOptions planOptions;

    @Mixin
    private LaunchOptions launchOptions;

    @Mixin
    private RuntimeOptions runtimeOptions;

    @Option(names = {"-J", "--json", "--output_file"}, paramLabel = "FILE",
            description = "Also write the results, and where they were got. With - as FILE that goes to the standard "
                    + "output, at the end, and the table to the standard error.")
    private Path json;

    @Option(names = "--csv", paramLabel = "FILE",
            description = "Also write the rows, a line for each measurement, as comma-separated values; - as above.")
    private Path csv;

    /** For picocli. */
    PerfCommand() {
    }

    @Override
    public Integer call() {
        RankLaunch launch = launchOptions.launch();
        NcclTestsFlag.requireHarmless(spec);
        PerfPlan plan = Misuse.checked(spec, () -> planOptions.plan(launch.nRanks()));
        RankConfigs configs = runtimeOptions.configs(spec, launch);
        PerfOutput output = output();
        return launch.run(PerfSession.of(plan, launch.nRanks(), configs, output, System.err), output.table());
    }

    private PerfOutput output() {
        Optional<Destination> document = Misuse.destination(spec, "--json", json);
        Optional<Destination> rows = Misuse.destination(spec, "--csv", csv);
        boolean isTableOut = Destination.leavesStandardOutput(document) && Destination.leavesStandardOutput(rows);
        if (json != null && json.equals(csv)) {
            throw new ParameterException(spec.commandLine(), "--json and --csv are both '" + csv
                    + "': must differ");
        }
        // Where ranks are processes, rank 0 has the standard output of the user, but not the standard error.
        PrintStream terminal = Terminal.isStandardError() ? System.err
                : isTableOut && Terminal.isStandardOutput() ? System.out : null;
        return new PerfOutput(isTableOut ? System.out : System.err, terminal, document, rows);
    }
}
