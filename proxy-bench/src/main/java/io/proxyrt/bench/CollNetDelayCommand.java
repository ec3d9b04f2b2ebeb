/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import io.proxyrt.bench.process.BenchException;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.suite.Bench;
import io.proxyrt.bench.suite.CollNetDelay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The {@code proxyrt bench collnet-delay} command. */
@Command(name = "collnet-delay", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Makes a page, with tables and plots, of what proxy-bench/src/main/scripts/collnet-delay.sh",
            "measured: all-reduce by ring, by doubling and by CollNet over a network that takes its time."})
final class CollNetDelayCommand implements Runnable {
    @Parameters(paramLabel = "FOLDER", description = "the script's")
    private Path folder;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "show this help and end")
    boolean isHelp;

    @Option(names = "--out", paramLabel = "DIR",
            description = "where to write the page (default: docs/performance, in a folder named by the processor)")
    private Path out;

    /** For picocli. */
    CollNetDelayCommand() {
    }

    @Override
    public void run() {
        Report report = CollNetDelay.read(folder);
        Path directory = out != null ? out : Path.of(System.getProperty("bench.root", ".")).resolve("docs/performance")
                .resolve(Report.machine());
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new BenchException("cannot make the folder for the page; give another with --out", e);
        }
        report.write(directory, Bench.class, CollNetDelay.NAME);
        report.goals().forEach(System.out::println);
        System.out.println("The page is in " + directory.resolve(CollNetDelay.NAME + ".md"));
    }
}
