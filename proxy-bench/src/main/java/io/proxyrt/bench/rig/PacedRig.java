/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bench.contender.Contenders;
import io.proxyrt.bench.contender.OpSink;
import java.util.List;
import org.HdrHistogram.Histogram;

/** One producer at a fixed rate: what a post costs, and how long its op takes to the consumer. */
final class PacedRig {
    private final RigArguments arguments;

    PacedRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() {
        long warmupNs = arguments.nanos("warmup");
        // Faster than measured: code warms up by calls, not by time.
        long intervalNs = Math.clamp(arguments.nanos("interval") / 10, 1_000, 10_000);
        WarmUp.run(warmupNs, () -> run(intervalNs, WarmUp.partNs(warmupNs), new Measurements()));
        Measurements found = new Measurements();
        run(arguments.nanos("interval"), arguments.nanos("seconds"), found);
        return found;
    }

    /** Returns the median time of a post. */
    private double run(long intervalNs, long durationNs, Measurements found) {
        Wait wait = arguments.await();
        Histogram latency = Measurements.histogram();
        boolean catchesUp = Boolean.parseBoolean(arguments.text("catchesUp"));
        PacedProducer producer = new PacedProducer(intervalNs, 1, catchesUp);
        OpsRun run = new OpsRun(Contenders.make(arguments.text("contender"), 1, wait == Wait.PARK),
                new OpSink(1, latency), List.of(producer), OpsRun.polling(wait));
        run.run(durationNs);
        found.add("response", producer.response());
        found.add("service", producer.service());
        found.add("consumed", latency);
        return producer.service().getValueAtPercentile(50);
    }
}
