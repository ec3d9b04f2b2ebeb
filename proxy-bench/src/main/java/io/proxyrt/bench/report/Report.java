/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** What a run is made into: a page of goals and tables, plots, and every value. */
public abstract class Report {
    private static final String SMOKE = """

            **This was a smoke run of a fraction of a second each, without time to warm up: its figures mean nothing.**
            """;

    private static final List<String> DATA_PATH = List.of("HdrHistogram", "JCTools", "Netty");

    final Results results;
    private final Scale scale;
    private final Duration duration;
    private final Disturbance disturbance;
    private final Programs programs;
    private final List<Goal> goals;

    /**
     * A report.
     *
     * @param runs     that have been made
     * @param programs they were made with
     * @param scale    how long each took
     * @param duration of all
     * @param goals    judged by these runs
     */
    Report(Runs runs, Programs programs, Scale scale, Duration duration, List<Goal> goals) {
        this.results = runs.results();
        this.disturbance = new Disturbance(runs.noise());
        this.programs = programs;
        this.scale = scale;
        this.duration = duration;
        this.goals = goals;
    }

    /** A page with its head and plots, and nothing else. */
    abstract Page page();

    /** What stands above the table of the environment. */
    String aboutEnvironment() {
        return "";
    }

    /** Names of the libraries whose versions matter: those of the data path, unless it is another that is measured. */
    List<String> libraries() {
        return DATA_PATH;
    }

    /** Adds what was measured. */
    abstract void addSections(Page page);

    /** A page's first lines: the text with what this run took in its places. */
    final List<String> head(String text) {
        return (String.format(Locale.ROOT, text, duration.toMinutes(), duration.toSecondsPart(), scale.rounds())
                + (scale.isWhole() ? "" : SMOKE)).lines().toList();
    }

    final boolean isMeasured(String experiment) {
        return !results.contenders(experiment).isEmpty();
    }

    /**
     * The goals and whether they hold.
     *
     * @return in the order of the report
     */
    public final List<Goal> goals() {
        return goals;
    }

    /**
     * Writes all files.
     *
     * @param directory that exists
     */
    public final void write(Path directory) {
        Page page = page();
        page.section("Goals", disturbance.warning(), Goal.table(goals), null);
        page.section("Environment", aboutEnvironment(), Environment.table(programs, libraries()), null);
        addSections(page);
        page.section("What else went on", Disturbance.TEXT, disturbance.table(), null);
        page.write(directory, results.csv());
    }
}
