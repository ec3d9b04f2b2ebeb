/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import io.proxyrt.bench.process.BenchException;
import io.proxyrt.bench.suite.CollNetBench;
import io.proxyrt.bench.suite.CollectivesBench;
import io.proxyrt.bench.suite.NetBench;
import io.proxyrt.bench.suite.OpsBench;
import io.proxyrt.bench.suite.RpcBench;
import io.proxyrt.bench.suite.ShmBench;
import io.proxyrt.bench.suite.SplitBench;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code proxyrt bench} command. */
@Command(name = "proxyrt bench", synopsisSubcommandLabel = "COMMAND", commandListHeading = "%nCommands:%n",
        description = "Measures parts of the runtime beside their peers, and writes tables and plots.",
        footer = {"", "Examples:",
            "  proxyrt bench --quick         some of each, as ratios to paste, in three minutes",
            "  proxyrt bench ops             everything about the ops pool, into docs/performance/MACHINE",
            "  proxyrt bench ops --smoke     whether all of it runs, in about two minutes",
            "  proxyrt bench rpc             everything about the control plane, into docs/performance/MACHINE",
            "  proxyrt bench net             everything about the NET transport, into docs/performance/MACHINE",
            "  proxyrt bench shm             everything about the SHM transport, into docs/performance/MACHINE",
            "  proxyrt bench collectives     all-to-all, reduce and groups of calls, into docs/performance/MACHINE",
            "  proxyrt bench gpu             GPUs, and every transport between two, into docs/performance/MACHINE",
            "  proxyrt bench split           communicators that are split off, into docs/performance/MACHINE",
            "  proxyrt bench collnet         how fast CollNet's switch reduces, into docs/performance/MACHINE",
            "  proxyrt bench collnet-delay F collnet-delay.sh's figures, into docs/performance/MACHINE", "",
            "Exit status: 0 all well, 1 a measurement failed, an op was lost or a plot not drawn, 2 wrong usage."})
public final class BenchCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "show this help and end")
    boolean isHelp;

    @Option(names = "--quick", description = "some of each, as ratios to paste, in three minutes")
    private boolean isQuick;

    /** For picocli. */
    BenchCommand() {
    }

    /**
     * Runs the command, and ends the JVM with its exit status.
     *
     * @param arguments of the command line
     */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        CommandLine bench = new CommandLine(new BenchCommand());
        new MeasuringCommand(OpsBench.PROGRAMS, OpsBench::new).addTo(bench, "ops");
        new MeasuringCommand(RpcBench.PROGRAMS, RpcBench::new).addTo(bench, "rpc");
        new MeasuringCommand(NetBench.PROGRAMS, NetBench::new).addTo(bench, "net");
        new MeasuringCommand(ShmBench.PROGRAMS, ShmBench::new).addTo(bench, "shm");
        new MeasuringCommand(CollectivesBench.PROGRAMS, CollectivesBench::new).addTo(bench, "collectives");
        new MeasuringCommand(CollNetBench.PROGRAMS, CollNetBench::new).addTo(bench, "collnet");
        new MeasuringCommand(SplitBench.PROGRAMS, SplitBench::new).addTo(bench, "split");
        new GpuCommand().addTo(bench, "gpu");
        bench.addSubcommand(new CollNetDelayCommand());
        return bench.setExecutionExceptionHandler((failure, command, parsed) -> {
            PrintWriter err = command.getErr();
            if (failure instanceof BenchException) {
                err.println(command.getCommandSpec().qualifiedName() + ": " + failure.getMessage());
            } else {
                failure.printStackTrace(err);
            }
            return 1;
        });
    }

    /** Called without a command. */
    @Override
    public void run() {
        if (!isQuick) {
            throw new ParameterException(spec.commandLine(),
                    "say what to measure: ops, rpc, net, shm, collectives, collnet, split or gpu; or --quick");
        }
        QuickRun.page().forEach(spec.commandLine().getOut()::println);
    }
}
