/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.launch.RankEnvironment;
import io.proxyrt.cli.launch.RankProcesses;
import io.proxyrt.cli.launch.RankThreads;
import io.proxyrt.cli.launch.Rendezvous;
import io.proxyrt.cli.perf.PerfPlan;
import io.proxyrt.cli.perf.PerfSession;
import io.proxyrt.collectives.bootstrap.BootstrapRoot;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.RuntimeDirectory;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code proxyrt perf}: nccl-tests for this runtime. */
@Command(name = "perf", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false, usageHelpWidth = 100,
        description = {"Measures collectives and checks their data, as nccl-tests does, with its flags and its table.",
            "", "Ranks are processes that it starts on this host, threads of this process (--in-process), or the",
            "processes that torchrun, Open MPI's mpirun or Slurm's srun start: then each of these is one rank.", ""},
        footer = {"", "Examples:",
            "  proxyrt perf all_reduce -b 8 -e 64M -f 4",
            "  proxyrt perf reduce_scatter --ranks 8 --in-process -d all -o all -e 1M",
            "  proxyrt perf sendrecv --ranks 2 --channels 2 --set buffer.bytes=8M --json out.json",
            "  mpirun -np 4 proxyrt perf all_reduce",
            "  srun -n 16 -N 4 proxyrt perf all_gather",
            "  torchrun --no-python --nproc-per-node 2 proxyrt perf broadcast",
            "  PROXYRT_RANK=0 PROXYRT_NRANKS=2 proxyrt perf all_reduce --rendezvous node1:29500",
            "", "Where the ranks of a launcher meet: --rendezvous, else PROXYRT_COMM_ID or NCCL_COMM_ID (host:port",
            "of rank 0), else torchrun's MASTER_ADDR and MASTER_PORT (the next port if torchrun itself listens",
            "there), else through a file if all are on one host, else on the first host of the Slurm step.",
            "Set PROXYRT_SECRET to the same text everywhere if others can reach that port.",
            "", "Times are per operation, averaged over all ranks (-a), from the first launch to the end of the last.",
            "#wrong counts elements, and overwritten words around the buffers, over all ranks.",
            "Exit status: 0 all well, 1 wrong data, a failed rank or another error, 2 wrong usage."})
final class PerfCommand implements Callable<Integer> {
    private static final int DEFAULT_RANKS = 4;
    private static final int MAX_RANKS = 256;

    @Spec
    private CommandSpec spec;

    @Mixin
    private PlanOptions planOptions;

    @Option(names = "--ranks", paramLabel = "N", description = "Ranks to start, 1 to 256. Default: 4.")
    private Integer ranks;

    @Option(names = "--in-process", description = "Ranks are threads of this process.")
    private boolean isInProcess;

    @Mixin
    private RuntimeOptions runtimeOptions;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write the results, and where they were got.")
    private Path json;

    @Option(names = "--rendezvous", paramLabel = "HOST:PORT",
            description = "Where the ranks of a launcher meet: rank 0's host and a port that is free there.")
    private String rendezvous;

    /** For picocli. */
    PerfCommand() {
    }

    @Override
    public Integer call() {
        Optional<RankEnvironment> launched = RankEnvironment.detect(System.getenv());
        int nRanks = nRanks(launched);
        int localRanks = launched.map(RankEnvironment::localRanks).orElse(nRanks);
        PerfPlan plan = checked(() -> planOptions.plan(nRanks));
        ProxyConfig config = checked(
                () -> runtimeOptions.config(localRanks, Runtime.getRuntime().availableProcessors()));
        requireWritable(json);
        PerfSession session = new PerfSession(plan, config, json, System.out, System.err);
        if (launched.isPresent()) {
            return runRank(session, launched.get(), config);
        }
        return isInProcess ? runThreads(session, nRanks) : runProcesses(nRanks, config);
    }

    private int nRanks(Optional<RankEnvironment> launched) {
        int wanted = ranks == null ? DEFAULT_RANKS : ranks;
        if (wanted < 1 || wanted > MAX_RANKS) {
            throw misuse("--ranks is " + wanted + ": must be within 1 to " + MAX_RANKS);
        }
        if (launched.isEmpty()) {
            if (rendezvous != null) {
                throw misuse("--rendezvous is for ranks that a launcher starts; there is none: set PROXYRT_RANK and "
                        + "PROXYRT_NRANKS, or leave it out");
            }
            return wanted;
        }
        RankEnvironment self = launched.get();
        if (ranks != null && wanted != self.nRanks() || isInProcess && self.nRanks() > 1) {
            throw misuse((isInProcess ? "--in-process" : "--ranks " + wanted) + ", but " + self.launcher().label()
                    + " started " + self.nRanks() + " processes, each of them a rank ("
                    + self.launcher().sizeName() + "): leave it out");
        }
        if (self.nRanks() > MAX_RANKS) {
            throw misuse(self.launcher().label() + " started " + self.nRanks() + " ranks: must be within 1 to "
                    + MAX_RANKS);
        }
        return self.nRanks();
    }

    private int runRank(PerfSession session, RankEnvironment self, ProxyConfig config) {
        Map<String, String> environment = System.getenv();
        return RankThreads.run(self.rank(), 1, rank -> {
            try (Rendezvous place = Rendezvous.open(self, environment, rendezvous, config)) {
                return status(session.run(place.id(), rank, self.nRanks(), place::joined), environment);
            } catch (ProxyException e) {
                System.err.println("proxyrt perf: rank " + rank + ": " + e.getMessage());
                return e.result() == ProxyResult.INVALID_USAGE ? ProxyRt.USAGE : 1;
            }
        });
    }

    private int runThreads(PerfSession session, int nRanks) {
        try (BootstrapRoot root = BootstrapRoot.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), nRanks)) {
            return RankThreads.run(0, nRanks,
                    rank -> status(session.run(root.id(), rank, nRanks, () -> { }), Map.of()));
        }
    }

    private int runProcesses(int nRanks, ProxyConfig config) {
        PrintStream out = System.out;
        out.println("# proxyrt perf: starting " + nRanks + " rank processes on this host");
        out.flush();
        return new RankProcesses(ProxyRt.class, spec.root().commandLine().getParseResult().originalArgs(),
                RuntimeDirectory.base(config), System.err).run(nRanks);
    }

    /** The parent process tells wrong data from a failure. */
    private static int status(PerfSession.Outcome outcome, Map<String, String> environment) {
        return switch (outcome) {
            case OK -> 0;
            case WRONG_DATA -> environment.containsKey("PROXYRT_UNIQUE_ID") ? RankProcesses.WRONG_DATA : 1;
            case INTERRUPTED, FAILED -> 1;
        };
    }

    private void requireWritable(Path file) {
        if (file == null) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || Files.isDirectory(file) || !Files.isWritable(folder)) {
            throw misuse("--json is '" + file + "': must be a file in a folder that can be written");
        }
    }

    private <T> T checked(Supplier<T> action) {
        try {
            return action.get();
        } catch (IllegalArgumentException e) {
            throw misuse(e.getMessage());
        } catch (ProxyException e) {
            throw misuse(e.getMessage().replace(" (from builder)", ""));
        }
    }

    private ParameterException misuse(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
