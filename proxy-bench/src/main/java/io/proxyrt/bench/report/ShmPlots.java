/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.ShmPlan;
import java.util.Map;

/** The plots of the report on the SHM transport, from the same figures as its tables. */
final class ShmPlots extends SizePlots {
    static final String ROUND_TRIPS = "shm-round-trips.svg";
    static final String STREAMS = "shm-streams.svg";

    ShmPlots(Results results) {
        super(results);
    }

    static String allReduce(int ranks) {
        return "shm-all-reduce-" + ranks + ".svg";
    }

    /** Files by name; plots without data are left out. */
    Map<String, String> draw() {
        draw(ROUND_TRIPS, "Messages there and back", "µs, median, less is better", ShmPlan.ROUND_TRIP, "rtt_p50",
                SizeTables.NS_PER_US);
        draw(STREAMS, "Messages one way", "GB/s, more is better", ShmPlan.STREAM, "gbs", 1);
        for (int ranks : ShmPlan.RANKS) {
            draw(allReduce(ranks), "All-reduce of " + ranks + " ranks, out of place", "µs, less is better",
                    ShmPlan.allReduce(ranks), "out_us", 1);
        }
        return plots();
    }
}
