/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.report.OpsReport;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.OpsPlan;
import io.proxyrt.bench.run.Programs;
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

/** The {@code proxyrt bench ops} command. */
@Command(name = "ops", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Measures the ops pool and the progress engine, side by side with ArrayBlockingQueue,"
            + " ConcurrentLinkedQueue, JCTools, LMAX Disruptor, Agrona, a ReentrantLock pool and NCCL's own design in C"
            + " (which takes a C compiler).", "",
            "Each measurement runs in a JVM of its own; contenders take turns within each round; tables have the median"
            + " over the rounds with [least..most]. Takes about 12 minutes with 3 rounds on two cores that have"
            + " nothing else to do.", ""},
        footer = {"", "Writes ops.md (tables and goals), ops.csv (every value) and ops-*.svg (plots).", "", "Examples:",
            "  proxyrt bench ops",
            "  proxyrt bench ops --rounds 1 --only 'throughput 1 producer' --out /tmp/ops",
            "  proxyrt bench ops --smoke"})
final class OpsCommand implements Runnable {
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
                    + " 'throughput.*(lanes|c-mutex)'; the progress lines show the names")
    private Pattern only;

    @Option(names = "--smoke", description = "every contender and rig for a moment, to see that it runs")
    private boolean isSmoke;

    /** For picocli. */
    OpsCommand() {
    }

    @Override
    public void run() {
        if (rounds != null && rounds < 1) {
            throw new ParameterException(spec.commandLine(), "--rounds is " + rounds + ": must be at least 1");
        }
        long start = System.nanoTime();
        Path root = Path.of(System.getProperty("bench.root", "."));
        Programs programs = Programs.prepare(root, Job.Program.OPSQUEUE);
        if (!programs.hasC()) {
            System.err.println("The peer in C is left out, install a C compiler as cc to have it: "
                    + programs.whyNoC());
        }
        Scale scale = isSmoke ? Scale.smoke(rounds(1)) : Scale.full(rounds(ROUNDS));
        Runs runs = new Runs(programs, new OpsPlan(scale, programs.hasC()), scale.rounds(), only, System.err);
        runs.run();
        Path directory = ReportFolder.of(out, isSmoke || only != null, root);
        OpsReport report = new OpsReport(runs, programs, scale, Duration.ofNanos(System.nanoTime() - start));
        report.write(directory);
        if (scale.isWhole()) {
            report.goals().stream().filter(Goal::isMeasured).forEach(System.out::println);
        }
        System.out.println("The report is in " + directory.resolve("ops.md"));
    }

    private int rounds(int otherwise) {
        return rounds == null ? otherwise : rounds;
    }
}
