/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.NetPlan;
import io.proxyrt.bench.run.Results;
import java.util.Map;

/** The plots of the report on the NET transport, from the same figures as its tables. */
final class NetPlots extends SizePlots {
    static final String ROUND_TRIPS = "net-round-trips.svg";
    static final String STREAMS = "net-streams.svg";

    NetPlots(Results results) {
        super(results);
    }

    static String allReduce(int ranks) {
        return "net-all-reduce-" + ranks + ".svg";
    }

    /** Files by name; plots without data are left out. */
    Map<String, String> draw() {
        draw(ROUND_TRIPS, "Messages there and back", "µs, median, less is better", NetPlan.ROUND_TRIP, "rtt_p50",
                SizeTables.NS_PER_US);
        draw(STREAMS, "Messages one way", "GB/s, more is better", NetPlan.STREAM, "gbs", 1);
        for (int ranks : NetPlan.RANKS) {
            draw(allReduce(ranks), "All-reduce of " + ranks + " ranks, out of place", "µs, less is better",
                    NetPlan.allReduce(ranks), "out_us", 1);
        }
        return plots();
    }

    /** Settings by hand have a table. */
    @Override
    boolean isDrawn(String contender) {
        return !NetPlan.manual().contains(contender);
    }
}
