/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import io.proxyrt.bench.run.ShmPlan;
import java.time.Duration;

/** The report of {@code proxyrt bench shm}: {@code shm.md}, {@code shm.csv} and the plots. */
public final class ShmReport extends Report {
    /**
     * A report.
     *
     * @param runs     that have been made
     * @param programs they were made with
     * @param scale    how long each took
     * @param duration of all
     */
    public ShmReport(Runs runs, Programs programs, Scale scale, Duration duration) {
        super(runs, programs, scale, duration, new ShmGoals(runs.results()).judge());
    }

    @Override
    Page page() {
        return new Page("shm", head(ShmText.HEAD), new ShmPlots(results).draw());
    }

    @Override
    void addSections(Page page) {
        ShmTables tables = new ShmTables(results);
        if (isMeasured(ShmPlan.ROUND_TRIP)) {
            page.section("There and back", ShmText.ROUND_TRIP, tables.roundTrips(), ShmPlots.ROUND_TRIPS);
        }
        if (isMeasured(ShmPlan.STREAM)) {
            page.section("One way", ShmText.STREAM, tables.streams(), ShmPlots.STREAMS);
        }
        if (isMeasured(ShmPlan.APART)) {
            page.section("One way, from places of their own", ShmText.APART, tables.streamsApart(), null);
        }
        if (isMeasured(ShmPlan.COPY_ENGINE)) {
            page.section("One way, copied by the proxy", ShmText.COPY_ENGINE, tables.copyEngine(), null);
        }
        String text = ShmText.ALL_REDUCE;
        for (int ranks : ShmPlan.RANKS) {
            if (isMeasured(ShmPlan.allReduce(ranks))) {
                page.section("All-reduce, " + ranks + " ranks", text, tables.allReduce(ShmPlan.allReduce(ranks)),
                        ShmPlots.allReduce(ranks));
                text = ShmText.OVERSUBSCRIBED;
            }
        }
    }
}
