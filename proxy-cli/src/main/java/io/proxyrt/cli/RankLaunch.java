/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.bootstrap.BootstrapConfig;
import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.bootstrap.launch.RankEnvironment;
import io.proxyrt.bootstrap.launch.Rendezvous;
import io.proxyrt.cli.launch.RankBinding;
import io.proxyrt.cli.launch.RankOutcome;
import io.proxyrt.cli.launch.RankProcesses;
import io.proxyrt.cli.launch.RankTask;
import io.proxyrt.cli.launch.RankThreads;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.host.Devices;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the ranks of a command are brought up.
 *
 * @param launched    this rank's place, if a launcher started the process
 * @param nRanks      how many ranks there are
 * @param nodes       how many hosts this one is taken for, each with as many ranks
 * @param isInProcess whether they are threads of this process
 * @param isUnbound   whether their threads may run on any CPU
 * @param rendezvous  where the user says that they meet, or null
 * @param arguments   of the command line, for the processes of the ranks
 */
record RankLaunch(Optional<RankEnvironment> launched, int nRanks, int nodes, boolean isInProcess,
        boolean isUnbound, String rendezvous, List<String> arguments) {
    /** How many of the ranks are on this host. */
    int localRanks() {
        return launched.map(RankEnvironment::localRanks).orElse(nRanks);
    }

    /** Whether all ranks are on this host for certain. */
    boolean isOneHost() {
        return launched.map(self -> self.isOneHost() || Rendezvous.isWithinHost(System.getenv())).orElse(true);
    }

    /** The rank that is the first on this host. */
    int firstLocal() {
        return launched.map(self -> self.rank() - self.localRank()).orElse(0);
    }

    /** Runs all ranks, or the one that this process is, and says so. Returns the exit status. */
    int run(RankTask task, PrintStream out) {
        if (launched.isPresent()) {
            return runRank(task, launched.get());
        }
        return isInProcess ? runThreads(task) : runProcesses(task, out);
    }

    private int runRank(RankTask task, RankEnvironment self) {
        Map<String, String> environment = System.getenv();
        return RankThreads.run(self.rank(), 1, rank -> {
            try (Rendezvous place = Rendezvous.open(self, environment, rendezvous, task.config())) {
                return status(task.run(place.id(), rank, self.nRanks(), place::joined), environment);
            } catch (ProxyException e) {
                System.err.println(task.command() + ": rank " + rank + ": " + e.getMessage());
                return e.result() == ProxyResult.INVALID_USAGE ? ProxyRt.USAGE : 1;
            }
        });
    }

    private int runThreads(RankTask task) {
        RankBinding binding = binding(task);
        try (BootstrapRoot root = BootstrapRoot.open(
                UniqueId.random(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), nRanks,
                BootstrapConfig.defaults(), task.config())) {
            return RankThreads.run(0, nRanks, rank -> {
                binding.bind(rank);
                return status(task.run(root.id(), rank, nRanks, () -> { }), Map.of());
            });
        }
    }

    private int runProcesses(RankTask task, PrintStream out) {
        out.println("# " + task.command() + ": starting " + nRanks + " rank processes on this host");
        out.flush();
        return new RankProcesses(ProxyRt.class, arguments, task.config(), task.command(), System.err,
                binding(task)).run(nRanks);
    }

    /** Unless the user decides, or GPUs do, which are nearer to some CPUs. Where ranks share CPUs, auto is invoker. */
    private RankBinding binding(RankTask task) {
        ProxyConfig config = task.config();
        if (isUnbound || !config.get(CoreOptions.CPUSET).isEmpty() || config.get(CoreOptions.NIC_AFFINITY)
                || !config.get(CoreOptions.DEVICE).equals(Devices.HOST)) {
            return RankBinding.none();
        }
        ThreadingMode mode = config.get(CoreOptions.THREADING);
        return RankBinding.of(nRanks, mode == ThreadingMode.INVOKER || mode == ThreadingMode.AUTO);
    }

    /** Whether the process is one of the ranks that a process of this program has started. */
    static boolean isOfProxyrt(Map<String, String> environment) {
        return environment.containsKey("PROXYRT_UNIQUE_ID");
    }

    /** The parent process tells wrong data from a failure. */
    private static int status(RankOutcome outcome, Map<String, String> environment) {
        return switch (outcome) {
            case OK -> 0;
            case WRONG_DATA -> isOfProxyrt(environment) ? RankProcesses.WRONG_DATA : 1;
            case INTERRUPTED, FAILED -> 1;
        };
    }
}
