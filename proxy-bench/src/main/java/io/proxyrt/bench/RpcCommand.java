/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.report.RpcReport;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.RpcPlan;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
final class RpcCommand implements Runnable {
    private static final int ROUNDS = 3;

    @Spec
    private CommandSpec spec;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "show this help and end")
    boolean isHelp;

    @Option(names = "--out", paramLabel = "DIR",
            description = "where to write the report (default: docs/performance; a temporary folder with --smoke"
                    + " or --only)")
    private Path out;

    @Option(names = "--rounds", paramLabel = "N", description = "how often each measurement is made (default: "
            + ROUNDS + "; 1 with --smoke)")
    private Integer rounds;

    @Option(names = "--only", paramLabel = "REGEX",
            description = "only measurements whose \"experiment scenario contender\" has a match, such as"
                    + " 'call TCP (c-poll|proxyrt)'; the progress lines show the names")
    private Pattern only;

    @Option(names = "--smoke", description = "every rig for a moment, to see that it runs")
    private boolean isSmoke;

    /** For picocli. */
    RpcCommand() {
    }

    @Override
    public void run() {
        if (rounds != null && rounds < 1) {
            throw new ParameterException(spec.commandLine(), "--rounds is " + rounds + ": must be at least 1");
        }
        long start = System.nanoTime();
        Path root = Path.of(System.getProperty("bench.root", "."));
        Programs programs = Programs.prepare(root, Job.Program.ROUND_TRIP);
        if (!programs.hasC()) {
            System.err.println("The peers in C are left out, install a C compiler as cc to have them: "
                    + programs.whyNoC());
        }
        Scale scale = isSmoke ? Scale.smoke(rounds(1)) : Scale.full(rounds(ROUNDS));
        Runs runs = new Runs(programs, new RpcPlan(scale, programs.hasC()), scale.rounds(), only, System.err);
        runs.run();
        Path directory = ReportFolder.of(out, isSmoke || only != null, root);
        RpcReport report = new RpcReport(runs, programs, scale, Duration.ofNanos(System.nanoTime() - start));
        report.write(directory);
        if (scale.isWhole()) {
            report.goals().stream().filter(Goal::isMeasured).forEach(System.out::println);
        }
        System.out.println("The report is in " + directory.resolve("rpc.md"));
    }

    private int rounds(int otherwise) {
        return rounds == null ? otherwise : rounds;
    }
}
