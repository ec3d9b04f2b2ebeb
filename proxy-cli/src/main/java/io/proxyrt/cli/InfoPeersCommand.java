/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.cli.peers.PeersTask;
import io.proxyrt.cli.view.Destination;
import java.io.PrintStream;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code proxyrt info peers}: which transport each pair of ranks uses, and why. */
@Command(name = "peers", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Explains which transport each pair of ranks uses, and why.",
            "It starts ranks as proxyrt perf does, lets each say which transport it chooses for each other, "
            + "and explains every choice: what was asked for, and what was refused and why. Nothing is connected, so "
            + "it helps where ranks do not get connected.", ""},
        footer = {"", "Examples:", "  proxyrt info peers",
            "  proxyrt info peers --ranks 2 --transport NET",
            "  NCCL_SHM_DISABLE=1 proxyrt info peers",
            "  mpirun -np 8 proxyrt info peers --json peers.json",
            "", "Exit status: 0 if all pairs can connect, 1 if not or on an error, 2 wrong usage."})
final class InfoPeersCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private LaunchOptions launchOptions;

    @Mixin
    private RuntimeOptions runtimeOptions;

    @Mixin
    private JsonOption json;

    /** For picocli. */
    InfoPeersCommand() {
    }

    @Override
    public Integer call() {
        RankLaunch launch = launchOptions.launch();
        RankConfigs configs = runtimeOptions.configs(spec, launch);
        Optional<Destination> document = json.destination();
        PrintStream out = Destination.leavesStandardOutput(document) ? System.out : System.err;
        return launch.run(new PeersTask(configs, document, System.out, System.err), out);
    }
}
