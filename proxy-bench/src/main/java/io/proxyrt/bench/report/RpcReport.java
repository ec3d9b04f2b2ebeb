/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.RpcPlan;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import java.time.Duration;
import java.util.List;

/** The report of {@code proxyrt bench rpc}: {@code rpc.md}, {@code rpc.csv} and a plot. */
public final class RpcReport extends Report {
    private static final List<String> LIBRARIES = List.of("HdrHistogram", "Netty", "junixsocket");

    /**
     * A report.
     *
     * @param runs     that have been made
     * @param programs they were made with
     * @param scale    how long each took
     * @param duration of all
     */
    public RpcReport(Runs runs, Programs programs, Scale scale, Duration duration) {
        super(runs, programs, scale, duration, new RpcGoals(runs.results()).judge());
    }

    @Override
    List<String> libraries() {
        return LIBRARIES;
    }

    @Override
    Page page() {
        return new Page("rpc", head(RpcText.HEAD), new RpcPlots(results).draw());
    }

    @Override
    void addSections(Page page) {
        RpcTables tables = new RpcTables(results);
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
    }
}
