/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.service.UdsClient;
import java.io.IOException;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** GetFd of one piece of memory of another JVM, one call at a time; the descriptor is closed at once. */
final class GetFdRig {
    private final RigArguments arguments;

    GetFdRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() throws IOException {
        Map<String, String> options = arguments.options();
        Histogram took = Measurements.histogram();
        Rank rank = new Rank(1, Rank.SECRET, options);
        Pinning pinning = new Pinning(arguments.isTrue("pinned"), rank.platform());
        options.putAll(pinning.ofService());
        try (PeerJvm service = PeerJvm.service("memory", options)) {
            measure(rank, service, pinning, took);
        }
        Measurements found = new Measurements();
        found.add("rtt", took);
        return found;
    }

    private void measure(Rank rank, PeerJvm service, Pinning pinning, Histogram took) {
        long warmupNs = arguments.nanos("warmup");
        MemoryAgent agent = new MemoryAgent(rank);
        try (UdsClient client = agent.connect(service.line())) {
            pinning.pinCaller();
            WarmUp.run(warmupNs, () -> run(client, WarmUp.partNs(warmupNs), Measurements.histogram()));
            run(client, arguments.nanos("seconds"), took);
        } finally {
            agent.onClose();
        }
    }

    private static double run(UdsClient client, long durationNs, Histogram took) {
        long end = System.nanoTime() + durationNs;
        for (long start = System.nanoTime(); start - end < 0; start = System.nanoTime()) {
            client.getFd(Rank.PATIENCE, null, MemoryAgent.HANDLE).getFirst().close();
            took.recordValue(System.nanoTime() - start);
        }
        return took.getValueAtPercentile(50);
    }
}
