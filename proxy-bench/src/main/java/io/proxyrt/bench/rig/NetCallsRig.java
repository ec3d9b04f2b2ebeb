/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.IOException;

/** A receive that nothing is sent to, asked for again and again: what a call of test takes. */
final class NetCallsRig {
    /** Between two readings of the clock. */
    private static final int CALLS = 1000;

    private NetCallsRig() {
    }

    static Measurements measure(RigArguments arguments) throws IOException {
        Measurements found = new Measurements();
        try (PeerJvm peer = PeerJvm.of("netcalls", arguments.words());
                NetEnd end = new NetEnd(0, arguments, peer, 1)) {
            long request = end.irecv(0, 1);
            run(end, request, arguments.nanos("warmup"));
            found.add("1", "test_ns", run(end, request, arguments.nanos("seconds")));
        }
        return found;
    }

    /** Nanoseconds of a call. */
    private static double run(NetEnd end, long request, long durationNs) {
        long start = System.nanoTime();
        long calls = 0;
        long now = start;
        while (now - start < durationNs) {
            for (int i = 0; i < CALLS; i++) {
                if (end.isReceived(request)) {
                    throw new IllegalStateException("a message came that was not sent");
                }
            }
            calls += CALLS;
            now = System.nanoTime();
        }
        return (double) (now - start) / calls;
    }
}
