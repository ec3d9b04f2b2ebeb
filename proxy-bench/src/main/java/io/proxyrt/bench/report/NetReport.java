/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.NetPlan;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import java.time.Duration;

/** The report of {@code proxyrt bench net}: {@code net.md}, {@code net.csv} and the plots. */
public final class NetReport extends Report {
    /**
     * A report.
     *
     * @param runs     that have been made
     * @param programs they were made with
     * @param scale    how long each took
     * @param duration of all
     */
    public NetReport(Runs runs, Programs programs, Scale scale, Duration duration) {
        super(runs, programs, scale, duration, new NetGoals(runs.results()).judge());
    }

    @Override
    Page page() {
        return new Page("net", head(NetText.HEAD), new NetPlots(results).draw());
    }

    @Override
    void addSections(Page page) {
        NetTables tables = new NetTables(results);
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
    }
}
