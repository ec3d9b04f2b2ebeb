/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.IOException;
import java.util.Map;
import java.util.function.BiFunction;
import org.HdrHistogram.Histogram;

/** Blocking calls of 64 bytes, or for the descriptor of some memory, to a service in another JVM, one at a time. */
final class CallRig {
    private CallRig() {
    }

    /** Calls one right after the other for so long, and notes the time of each; returns the median. */
    interface Caller extends AutoCloseable {
        double run(long durationNs, Histogram took);

        @Override
        void close();
    }

    static Measurements call(RigArguments arguments) throws IOException {
        try (Certificates certificates = new Certificates(arguments.isTrue("tls"))) {
            Map<String, String> options = arguments.options();
            options.putAll(certificates.options());
            return measure(arguments, "echo", options,
                    (rank, service) -> new EchoCaller(rank, () -> Addresses.parse(service.line())));
        }
    }

    static Measurements getFd(RigArguments arguments) throws IOException {
        return measure(arguments, "memory", arguments.options(),
                (rank, service) -> new FdCaller(rank, service.line()));
    }

    private static Measurements measure(RigArguments arguments, String what, Map<String, String> options,
            BiFunction<Rank, PeerJvm, Caller> connect) throws IOException {
        Rank rank = new Rank(1, Rank.SECRET, options);
        options.putAll(Pinning.ofService(arguments));
        try (PeerJvm service = PeerJvm.of(what, RigArguments.words(options));
                Caller caller = connect.apply(rank, service)) {
            Pinning.pin(arguments, 0);
            return WarmUp.measure(arguments, (durationNs, found) -> {
                Histogram took = Measurements.histogram();
                double median = caller.run(durationNs, took);
                found.add("rtt", took);
                return median;
            });
        }
    }
}
