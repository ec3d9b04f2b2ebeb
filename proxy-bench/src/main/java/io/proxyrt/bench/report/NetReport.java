/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.NetPlan;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The report of {@code proxyrt bench net}: {@code net.md}, {@code net.csv} and the plots. */
public final class NetReport implements Report {
    private static final List<String> LIBRARIES = List.of("HdrHistogram", "JCTools", "Netty");

    private final Results results;
    private final Disturbance disturbance;
    private final Programs programs;
    private final Scale scale;
    private final Duration duration;
    private final List<Goal> goals;

    /**
     * A report.
     *
     * @param runs     that have been made
     * @param programs they were made with
     * @param scale    how long each took
     * @param duration of all
     */
    public NetReport(Runs runs, Programs programs, Scale scale, Duration duration) {
        this.results = runs.results();
        this.disturbance = new Disturbance(runs.noise());
        this.programs = programs;
        this.scale = scale;
        this.duration = duration;
        this.goals = new NetGoals(results).judge();
    }

    @Override
    public List<Goal> goals() {
        return goals;
    }

    @Override
    public void write(Path directory) {
        page().write(directory, results.csv());
    }

    private Page page() {
        NetTables tables = new NetTables(results);
        Page page = new Page("net", NetText.head(scale, duration), new NetPlots(results).draw());
        page.section("Goals", disturbance.warning(), Goal.table(goals), null);
        page.section("Environment", "", Environment.table(programs, LIBRARIES), null);
        if (isMeasured(NetPlan.ROUND_TRIP)) {
            page.section("There and back", NetText.ROUND_TRIP, tables.roundTrips(), NetPlots.ROUND_TRIPS);
        }
        if (isMeasured(NetPlan.STREAM)) {
            page.section("One way", NetText.STREAM, tables.streams(), NetPlots.STREAMS);
            page.section("", NetText.MANUAL, tables.manual(), null);
        }
        if (isMeasured(NetPlan.POLL)) {
            page.section("Many connections that wait", NetText.POLL, tables.polls(), null);
        }
        String text = NetText.ALL_REDUCE;
        for (int ranks : NetPlan.RANKS) {
            if (isMeasured(NetPlan.allReduce(ranks))) {
                page.section("All-reduce, " + ranks + " ranks", text, tables.allReduce(NetPlan.allReduce(ranks)),
                        NetPlots.allReduce(ranks));
                text = "";
            }
        }
        page.section("What else went on", Disturbance.TEXT, disturbance.table(), null);
        return page;
    }

    private boolean isMeasured(String experiment) {
        return !results.contenders(experiment).isEmpty();
    }
}
