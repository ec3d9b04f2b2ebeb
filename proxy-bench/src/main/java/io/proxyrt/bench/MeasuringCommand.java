/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import io.proxyrt.bench.process.BenchException;
import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Peers;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import io.proxyrt.bench.suite.Bench;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that measures, round by round, and writes a report. What its help says is a resource. */
@Command(usageHelpAutoWidth = true, sortOptions = false)
class MeasuringCommand implements Runnable {
    private static final int ROUNDS = 3;
    private static final String FOOTER = "---\n";

    private final List<Job.Program> peers;
    private final BiFunction<Scale, Peers, Bench> benchmark;

    @Spec
    private CommandSpec spec;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "show this help and end")
    boolean isHelp;

    @Option(names = "--out", paramLabel = "DIR",
            description = "where to write the report (default: docs/performance, in a folder named by the"
                    + " processor; a temporary folder with --smoke or --only)")
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

    /** Which of the peers take part, if they can, and what measures with them. */
    MeasuringCommand(List<Job.Program> peers, BiFunction<Scale, Peers, Bench> benchmark) {
        this.peers = peers;
        this.benchmark = benchmark;
    }

    /** Makes it a command, with a resource of that name for its help: description, three dashes, footer. */
    final void addTo(CommandLine parent, String name) {
        try (InputStream in = MeasuringCommand.class.getResourceAsStream("help/" + name + ".txt")) {
            String[] help = new String(in.readAllBytes(), StandardCharsets.UTF_8).split(FOOTER);
            CommandLine command = new CommandLine(this);
            command.getCommandSpec().usageMessage().description(help[0].split("\n", -1))
                    .footer(("\n" + help[1]).split("\n", -1));
            parent.addSubcommand(name, command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Bench benchmark(Scale scale, Peers found) {
        return benchmark.apply(scale, found);
    }

    @Override
    public final void run() {
        if (rounds != null && rounds < 1) {
            throw new ParameterException(spec.commandLine(), "--rounds is " + rounds + ": must be at least 1");
        }
        long start = System.nanoTime();
        Path root = Path.of(System.getProperty("bench.root", "."));
        Programs programs = Programs.prepare(root, peers);
        programs.missing().forEach(System.err::println);
        Scale scale = isSmoke ? Scale.smoke(rounds(1)) : Scale.full(rounds(ROUNDS));
        Bench bench = benchmark(scale, programs);
        Runs runs = new Runs(programs, bench.groups(), scale.rounds(), only, System.err);
        runs.run();
        Path directory = folder(root);
        Report report = new Report(runs.results(), runs.noise());
        bench.fill(report);
        report.circumstances(programs, bench.libraries(), scale, Duration.ofNanos(System.nanoTime() - start));
        report.write(directory, Bench.class, spec.name());
        if (scale.isWhole()) {
            report.goals().stream().filter(Goal::isMeasured).forEach(System.out::println);
        }
        System.out.println("The report is in " + directory.resolve(spec.name() + ".md"));
    }

    /** A report that is not whole must not take the place of one that is. */
    private Path folder(Path root) {
        try {
            if (out != null) {
                return Files.createDirectories(out);
            }
            return isSmoke || only != null ? Files.createTempDirectory("proxyrt-bench-")
                    : Files.createDirectories(root.resolve("docs/performance").resolve(Report.machine()));
        } catch (IOException e) {
            throw new BenchException("cannot make the folder for the report; give another with --out", e);
        }
    }

    private int rounds(int otherwise) {
        return rounds == null ? otherwise : rounds;
    }
}
