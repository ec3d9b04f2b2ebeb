/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.IOException;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Blocking calls of 64 bytes to a service in another JVM, one at a time. */
final class CallRig {
    private final RigArguments arguments;

    CallRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() throws IOException {
        try (Certificates certificates = new Certificates(arguments.isTrue("tls"))) {
            Map<String, String> options = arguments.options();
            options.putAll(certificates.options());
            return measure(options);
        }
    }

    private Measurements measure(Map<String, String> options) throws IOException {
        Histogram took = Measurements.histogram();
        Rank rank = new Rank(1, Rank.SECRET, options);
        Pinning pinning = new Pinning(arguments.isTrue("pinned"), rank.platform());
        options.putAll(pinning.ofService());
        try (PeerJvm service = PeerJvm.service("echo", options);
                EchoCaller caller = new EchoCaller(rank, () -> Addresses.parse(service.line()))) {
            pinning.pinCaller();
            long warmupNs = arguments.nanos("warmup");
            WarmUp.run(warmupNs, () -> caller.run(WarmUp.partNs(warmupNs), Measurements.histogram()));
            caller.run(arguments.nanos("seconds"), took);
        }
        Measurements found = new Measurements();
        found.add("rtt", took);
        return found;
    }
}
