/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.RpcPlan;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The report of {@code proxyrt bench rpc}: {@code rpc.md}, {@code rpc.csv} and a plot. */
public final class RpcReport implements Report {
    private static final List<String> LIBRARIES = List.of("HdrHistogram", "Netty", "junixsocket");

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
    public RpcReport(Runs runs, Programs programs, Scale scale, Duration duration) {
        this.results = runs.results();
        this.disturbance = new Disturbance(runs.noise());
        this.programs = programs;
        this.scale = scale;
        this.duration = duration;
        this.goals = new RpcGoals(results).judge();
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
        RpcTables tables = new RpcTables(results);
        Page page = new Page("rpc", RpcText.head(scale, duration), new RpcPlots(results).draw());
        page.section("Goals", disturbance.warning(), Goal.table(goals), null);
        page.section("Environment", "", Environment.table(programs, LIBRARIES), null);
        String text = RpcText.CALL;
        for (String wire : results.scenarios(RpcPlan.CALL)) {
            String plot = text.isEmpty() ? null : RpcPlots.ROUND_TRIPS;
            page.section("A call of 64 bytes, " + wire, text, tables.roundTrips(RpcPlan.CALL, wire), plot);
            text = "";
        }
        if (isMeasured(RpcPlan.GET_FD)) {
            page.section("A descriptor by GetFd", RpcText.GET_FD,
                    tables.roundTrips(RpcPlan.GET_FD, RpcPlan.DESCRIPTOR), null);
        }
        if (isMeasured(RpcPlan.ASYNC) || isMeasured(RpcPlan.SET_UP)) {
            page.section("Many calls at once", RpcText.MANY, tables.many(), null);
        }
        if (isMeasured(RpcPlan.PENDING) || isMeasured(RpcPlan.RUNTIME)) {
            page.section("While nothing happens", RpcText.NOTHING, tables.cpu(), null);
        }
        if (isMeasured(RpcPlan.ATTACK)) {
            page.section("A good client among attackers", RpcText.ATTACK, tables.attack(), null);
        }
        page.section("What else went on", Disturbance.TEXT, disturbance.table(), null);
        return page;
    }

    private boolean isMeasured(String experiment) {
        return !results.contenders(experiment).isEmpty();
    }
}
