/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.process.BenchException;
import io.proxyrt.bench.report.LinePlot;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.report.Sizes;
import io.proxyrt.bench.report.Table;
import io.proxyrt.bench.report.Worst;
import io.proxyrt.bench.run.Experiment;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** All-reduce over a network that takes its time, by ring, by doubling and by CollNet, as a script measured it. */
public final class CollNetDelay {
    /** The beginning of the names of the script's files, and of the page's. */
    public static final String NAME = "collnet-delay";

    private static final String RING = "ring";
    private static final String DOUBLING = "doubling";
    private static final String COLLNET = "collnet";
    private static final String METRIC = "us";
    private static final List<Integer> HOSTS = List.of(2, 4, 8);
    private static final List<Integer> DELAYS = List.of(100, 1000);
    private static final int MOST_HOSTS = HOSTS.getLast();
    private static final double TIMES = 1.5;
    private static final long SMALL = 64 << 10;
    private static final Pattern LINE = Pattern.compile("(\\d+),([^,]+),\"(\\d+)\",([a-z]+),us,([\\d.]+)");

    private CollNetDelay() {
    }

    /**
     * Reads what the script measured, and describes it.
     *
     * @param folder of the script
     * @return to be written
     * @throws BenchException if it has no figures
     */
    public static Report read(Path folder) {
        Path figures = folder.resolve(NAME + ".csv");
        try {
            Results results = new Results();
            Files.readAllLines(figures).stream().skip(1).map(line -> sample(figures, line)).forEach(results::add);
            return fill(new Report(results, List.of()), Files.readString(folder.resolve(NAME + ".txt")));
        } catch (IOException e) {
            throw new BenchException("cannot read the figures of " + NAME + ".sh in " + folder, e);
        }
    }

    private static Sample sample(Path file, String line) {
        Matcher fields = LINE.matcher(line);
        if (!fields.matches()) {
            throw new BenchException(file + " has a line that is no figure: " + line);
        }
        return new Sample(Integer.parseInt(fields.group(1)), fields.group(2), fields.group(3), fields.group(4), METRIC,
                Double.parseDouble(fields.group(5)));
    }

    private static Report fill(Report report, String circumstances) {
        for (int delay : DELAYS) {
            addGoal(report, delay);
            HOSTS.forEach(hosts -> addTable(report, hosts, delay));
            Experiment calls = report.experiment(experiment(MOST_HOSTS, delay));
            report.plot(NAME + "-" + delay + ".svg", LinePlot.bySize("All-reduce of " + MOST_HOSTS + " hosts, " + delay
                    + " µs apart", "µs, out of place, less is better", calls, calls.contenders(),
                    (size, way) -> calls.median(size, way, METRIC)));
        }
        report.circumstances(circumstances);
        return report;
    }

    private static void addGoal(Report report, int delay) {
        report.atLeast(MOST_HOSTS + " hosts " + delay + " µs apart, to 64 KiB: CollNet at least " + TIMES
                + " × as fast as the ring at each size", TIMES, Worst.of(report.experiment(experiment(MOST_HOSTS,
                delay)), METRIC, true, RING, COLLNET, size -> size <= SMALL));
    }

    private static void addTable(Report report, int hosts, int delay) {
        Experiment calls = report.experiment(experiment(hosts, delay));
        report.table(experiment(hosts, delay), Table.of("µs, out of place", Sizes.sorted(calls.scenarios()),
                Sizes::format).columns(List.of(RING, DOUBLING, COLLNET), (size, way) -> calls.stat(size, way, METRIC))
                .column("ring over collnet", size -> calls.ratio(size, METRIC, RING, COLLNET))
                .column("doubling over collnet", size -> calls.ratio(size, METRIC, DOUBLING, COLLNET)));
    }

    private static String experiment(int hosts, int delay) {
        return hosts + " hosts " + delay + " us";
    }
}
