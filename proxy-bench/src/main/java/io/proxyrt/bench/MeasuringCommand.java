/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Plan;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that carries out a plan, round by round, and writes a report; the options that all of them have. */
abstract class MeasuringCommand implements Runnable {
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
            description = "only measurements whose \"experiment scenario contender\" has a match; the progress lines"
                    + " show the names")
    private Pattern only;

    @Option(names = "--smoke", description = "every contender and rig for a moment, to see that it runs")
    private boolean isSmoke;

    /** The programs besides the rigs that take part, if they can. */
    abstract List<Job.Program> programs();

    abstract Plan plan(Scale scale, Programs programs);

    abstract Report report(Runs runs, Programs programs, Scale scale, Duration duration);

    @Override
    public final void run() {
        if (rounds != null && rounds < 1) {
            throw new ParameterException(spec.commandLine(), "--rounds is " + rounds + ": must be at least 1");
        }
        long start = System.nanoTime();
        Path root = Path.of(System.getProperty("bench.root", "."));
        Programs programs = Programs.prepare(root, programs());
        programs.missing().forEach(System.err::println);
        Scale scale = isSmoke ? Scale.smoke(rounds(1)) : Scale.full(rounds(ROUNDS));
        Runs runs = new Runs(programs, plan(scale, programs), scale.rounds(), only, System.err);
        runs.run();
        Path directory = ReportFolder.of(out, isSmoke || only != null, root);
        Report report = report(runs, programs, scale, Duration.ofNanos(System.nanoTime() - start));
        report.write(directory);
        if (scale.isWhole()) {
            report.goals().stream().filter(Goal::isMeasured).forEach(System.out::println);
        }
        System.out.println("The report is in " + directory.resolve(spec.name() + ".md"));
    }

    private int rounds(int otherwise) {
        return rounds == null ? otherwise : rounds;
    }
}
