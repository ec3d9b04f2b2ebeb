/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.process.BenchException;
import io.proxyrt.bench.run.Experiment;
import io.proxyrt.bench.run.Noise;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Sample;
import io.proxyrt.bench.run.Scale;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a run is made into: goals, tables and plots on a page whose text is a resource, and every value. */
public final class Report {
    private static final String SMOKE = """
            **This was a smoke run of a fraction of a second each, without time to warm up: its figures mean nothing.**
            """;

    private final Results results;
    private final List<Noise> noise;
    private final Template page = new Template();
    private final Map<String, Plot> plots = new LinkedHashMap<>();
    private final List<Goal> goals = new ArrayList<>();

    /**
     * An empty report.
     *
     * @param results of a run
     * @param noise   of the same
     */
    public Report(Results results, List<Noise> noise) {
        this.results = results;
        this.noise = noise;
    }

    /**
     * What a cache line took to the other CPU and back, while a group was measured.
     *
     * @param group or those whose names begin with that and a comma
     * @return median of the rounds, before and after, in nanoseconds; NaN if it was not measured
     */
    public double exchange(String group) {
        return Disturbance.exchange(during(group)).median();
    }

    /**
     * Adds a goal with a bound from above, in exchanges of a cache line between the two CPUs.
     *
     * @param what  is measured
     * @param bound how many exchanges it may take
     * @param group in which it is measured
     * @param ns    NaN if it was not measured
     * @param peer  what to add to the measured time, or nothing
     */
    public void exchanges(String what, double bound, String group, double ns, String peer) {
        double times = ns / exchange(group);
        goal(Goal.atMost(what + ": at most " + Figures.format(bound) + " exchanges of a cache line", bound, times,
                Figures.format(times) + " (" + Figures.format(ns, "ns") + peer + ")"));
    }

    /**
     * What was measured in an experiment.
     *
     * @param name of it
     * @return empty if nothing was
     */
    public Experiment experiment(String name) {
        return results.experiment(name);
    }

    /**
     * Adds a value that was measured elsewhere.
     *
     * @param sample the value
     */
    public void add(Sample sample) {
        results.add(sample);
    }

    /**
     * Adds a goal.
     *
     * @param goal judged by this run
     */
    public void goal(Goal goal) {
        goals.add(goal);
    }

    /**
     * Adds a goal with a bound from below, for all of some sizes.
     *
     * @param goal  with its bound
     * @param bound that holds
     * @param worst of the sizes
     */
    public void atLeast(String goal, double bound, Worst worst) {
        goal(Goal.atLeast(goal, bound, worst.ratio(), worst.text()));
    }

    /**
     * Adds a goal with a bound from above, for all of some sizes.
     *
     * @param goal  with its bound
     * @param bound that holds
     * @param worst of the sizes
     */
    public void atMost(String goal, double bound, Worst worst) {
        goal(Goal.atMost(goal, bound, worst.ratio(), worst.text()));
    }

    /**
     * Adds a goal with a bound from below.
     *
     * @param goal  with its bound
     * @param bound that holds
     * @param value NaN if it was not measured
     * @param unit  of the value, after a blank if it has one
     */
    public void atLeast(String goal, double bound, double value, String unit) {
        goal(Goal.atLeast(goal, bound, value, Figures.format(value) + unit));
    }

    /**
     * Adds a goal with a bound from above.
     *
     * @param goal  with its bound
     * @param bound that holds
     * @param value NaN if it was not measured
     * @param unit  of the value, after a blank if it has one
     */
    public void atMost(String goal, double bound, double value, String unit) {
        goal(Goal.atMost(goal, bound, value, Figures.format(value) + unit));
    }

    /**
     * Adds a text that the page names.
     *
     * @param name in the page
     * @param text of any length
     */
    public void text(String name, String text) {
        page.text(name, text);
    }

    /**
     * Adds a table.
     *
     * @param name  in the page
     * @param table left out if it has no row
     */
    public void table(String name, Table<?> table) {
        page.table(name, table);
    }

    /**
     * Adds a table, and says how the CPUs lay meanwhile.
     *
     * @param name  in the page
     * @param group whose figures it has, or those whose names begin with that and a comma
     * @param table left out if it has no row
     */
    public void table(String name, String group, Table<?> table) {
        page.table(name, table, Disturbance.placement(during(group)));
    }

    /**
     * Adds a plot.
     *
     * @param file in the page, and beside it
     * @param plot left out if there is nothing to draw
     */
    public void plot(String file, Plot plot) {
        page.picture(file, !plot.isEmpty());
        plots.put(file, plot);
    }

    private List<Noise> during(String group) {
        return noise.stream().filter(n -> n.group().equals(group) || n.group().startsWith(group + ",")).toList();
    }

    /** A table's lines. */
    List<String> table(String name) {
        return page.block(name);
    }

    /** Those that there is something to draw of. */
    Map<String, Plot> plots() {
        Map<String, Plot> drawn = new LinkedHashMap<>(plots);
        drawn.values().removeIf(Plot::isEmpty);
        return drawn;
    }

    /**
     * The goals and whether they hold.
     *
     * @return in the order of the report
     */
    public List<Goal> goals() {
        return goals;
    }

    /**
     * Adds what every page has.
     *
     * @param programs  the runs were made with
     * @param libraries whose versions matter
     * @param scale     how long each took
     * @param duration  of all
     */
    public void circumstances(Programs programs, List<String> libraries, Scale scale, Duration duration) {
        Disturbance disturbance = new Disturbance(noise);
        text("minutes", Long.toString(duration.toMinutes()));
        text("seconds", Integer.toString(duration.toSecondsPart()));
        text("rounds", Integer.toString(scale.rounds()));
        text("smoke", scale.isWhole() ? "" : SMOKE);
        text("warning", disturbance.warning());
        table("goals", Goal.table(goals));
        table("environment", Environment.table(programs, libraries));
        table("noise", disturbance.table());
    }

    /**
     * Adds what a page has whose figures were not measured by this program.
     *
     * @param text where, and how
     */
    public void circumstances(String text) {
        text("circumstances", text);
        table("goals", Goal.table(goals));
    }

    /**
     * How the CPUs lay.
     *
     * @param group whose figures are meant, or those whose names begin with that and a comma
     * @return a word if they lay so all the time
     */
    public String placement(String group) {
        return Disturbance.words(during(group));
    }

    /**
     * The kind of this machine.
     *
     * @return a name for a folder: the processor's, such as {@code epyc}
     */
    public static String machine() {
        return Environment.machine(Environment.processor());
    }

    /**
     * The page.
     *
     * @param owner beside which the page's text is
     * @param file  of that text
     * @return lines
     */
    public List<String> page(Class<?> owner, String file) {
        return page.fill(owner, file);
    }

    /**
     * Writes all files: last those that take a font.
     *
     * @param directory that exists
     * @param owner     beside which the page's text is
     * @param name      of the page
     */
    public void write(Path directory, Class<?> owner, String name) {
        try {
            Files.write(directory.resolve(name + ".csv"), results.csv());
            Files.write(directory.resolve(name + ".md"), page(owner, name + ".md"));
            drawInto(directory);
        } catch (IOException e) {
            throw new BenchException("cannot write the report into " + directory + "; give another folder with --out",
                    e);
        }
    }

    /** A JDK without a font fails in many ways, none of which says so. */
    private void drawInto(Path directory) throws IOException {
        for (Map.Entry<String, Plot> plot : plots().entrySet()) {
            try {
                Files.writeString(directory.resolve(plot.getKey()), plot.getValue().draw());
            } catch (RuntimeException | Error e) {
                throw new BenchException("the page and all values are in " + directory + ", but " + plot.getKey()
                        + " cannot be drawn (" + e + "); if that is for want of a font, install one, and fontconfig"
                        + " (packages fontconfig and fonts-dejavu-core)", e);
            }
        }
    }
}
