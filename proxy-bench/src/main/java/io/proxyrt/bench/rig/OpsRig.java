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

/** Ops from post to fetch. */
final class OpsRig {
    private OpsRig() {
    }

    /** Ops a second, and what a post costs meanwhile. */
    static Measurements throughput(RigArguments arguments) {
        return WarmUp.measure(arguments, (durationNs, found) -> throughput(arguments, durationNs, found));
    }

    /** Returns ops a second. */
    private static double throughput(RigArguments arguments, long durationNs, Measurements found) {
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

    /** One producer at a fixed rate: what a post costs, and how long its op takes to the consumer. */
    static Measurements paced(RigArguments arguments) {
        long warmupNs = arguments.nanos("warmup");
        // Faster than measured: code warms up by calls, not by time.
        long intervalNs = Math.clamp(arguments.nanos("interval") / 10, 1_000, 10_000);
        WarmUp.run(warmupNs, () -> paced(arguments, intervalNs, WarmUp.partNs(warmupNs), new Measurements()));
        Measurements found = new Measurements();
        paced(arguments, arguments.nanos("interval"), arguments.nanos("seconds"), found);
        return found;
    }

    /** Returns the median time of a post. */
    private static double paced(RigArguments arguments, long intervalNs, long durationNs, Measurements found) {
        Wait wait = arguments.await();
        Histogram latency = Measurements.histogram();
        PacedProducer producer = new PacedProducer(intervalNs, 1, arguments.isTrue("catchesUp"));
        OpsRun run = new OpsRun(Contenders.make(arguments.text("contender"), 1, wait == Wait.PARK),
                new OpSink(1, latency), List.of(producer), OpsRun.polling(wait));
        run.run(durationNs);
        found.add("response", producer.response());
        found.add("service", producer.service());
        found.add("consumed", latency);
        return producer.service().getValueAtPercentile(50);
    }
}
