/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bench.contender.Contenders;
import io.proxyrt.bench.contender.OpSink;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Ops a second from post to fetch, and what a post costs meanwhile. */
final class ThroughputRig {
    private final RigArguments arguments;

    ThroughputRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() {
        return WarmUp.measure(arguments, this::run);
    }

    /** Returns ops a second. */
    private double run(long durationNs, Measurements found) {
        int producers = arguments.number("producers");
        Histogram[] costs = new Histogram[producers];
        List<Producer> posting = new ArrayList<>();
        for (int i = 0; i < producers; i++) {
            costs[i] = Measurements.histogram();
            posting.add(new LoadProducer(i, arguments.number("batch"), costs[i]));
        }
        Wait wait = arguments.await();
        OpsRun run = new OpsRun(Contenders.make(arguments.text("contender"), producers, wait == Wait.PARK),
                new OpSink(producers, null), posting, OpsRun.polling(wait));
        run.run(durationNs);
        Histogram cost = Measurements.histogram();
        for (Histogram one : costs) {
            cost.add(one);
        }
        found.add("mops", run.rate() / 1e6);
        found.add("post", cost);
        return run.rate();
    }
}
