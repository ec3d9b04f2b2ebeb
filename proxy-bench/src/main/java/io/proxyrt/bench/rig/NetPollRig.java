/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.io.IOException;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;

/**
 * Receives outstanding on many connections, asked for one by one or all at once: a pass when nothing comes, and the
 * time from asking another process for messages until they are there.
 */
final class NetPollRig {
    private static final int ORDER_BYTES = 8;
    private static final int PASSES = 256;

    private final RigArguments arguments;
    private final SplittableRandom random = new SplittableRandom(1);

    NetPollRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() throws IOException {
        Measurements found = new Measurements();
        try (PeerJvm peer = PeerJvm.of("netpoll", arguments.words());
                NetEnd end = new NetEnd(0, arguments, peer, 1)) {
            for (long connections : arguments.sizes()) {
                try (NetFan fan = NetFan.listen(end.plugin(), (int) connections)) {
                    peer.tell("fan " + fan.handles());
                    fan.accept();
                    measure(end, fan, (int) connections, found);
                    order(end, -1, 0);
                }
            }
        }
        return found;
    }

    private void measure(NetEnd end, NetFan fan, int connections, Measurements found) {
        long warmupNs = arguments.nanos("warmup");
        long durationNs = arguments.nanos("seconds");
        boolean isBatch = arguments.isTrue("batch");
        String scenario = Integer.toString(connections);
        run(end, fan, connections, connections, isBatch, warmupNs / 2);
        run(end, fan, connections, 1, isBatch, warmupNs / 2);
        found.add(scenario, "one", run(end, fan, connections, 1, isBatch, durationNs));
        found.add(scenario, "all", run(end, fan, connections, connections, isBatch, durationNs));
        found.add(scenario, "none_ns", pass(fan, isBatch, durationNs / 2));
    }

    /** Nanoseconds of a pass while nothing comes. */
    private static double pass(NetFan fan, boolean isBatch, long durationNs) {
        long start = System.nanoTime();
        long passes = 0;
        long now = start;
        while (now - start < durationNs) {
            for (int i = 0; i < PASSES; i++) {
                if (fan.receive(isBatch) != 0) {
                    throw new IllegalStateException("a message came that was not sent");
                }
            }
            passes += PASSES;
            now = System.nanoTime();
        }
        return (double) (now - start) / passes;
    }

    private Histogram run(NetEnd end, NetFan fan, int connections, int ready, boolean isBatch, long durationNs) {
        Histogram took = Measurements.histogram();
        long limit = System.nanoTime() + durationNs;
        long start = System.nanoTime();
        while (start - limit < 0) {
            order(end, random.nextInt(connections - ready + 1), ready);
            int received = 0;
            while (received < ready) {
                received += fan.receive(isBatch);
            }
            took.recordValue(System.nanoTime() - start);
            start = System.nanoTime();
        }
        return took;
    }

    private static void order(NetEnd end, int first, int count) {
        end.sendBuffer().set(JAVA_INT_UNALIGNED, 0, first);
        end.sendBuffer().set(JAVA_INT_UNALIGNED, Integer.BYTES, count);
        end.send(ORDER_BYTES);
    }

    /** The other end: sends what it is asked for, until it is asked for connection -1. */
    static void obey(NetEnd end, String handles) {
        try (NetFan fan = NetFan.connect(end.plugin(), handles)) {
            int first = 0;
            while (first >= 0) {
                end.receive(ORDER_BYTES);
                first = end.recvBuffer().get(JAVA_INT_UNALIGNED, 0);
                if (first >= 0) {
                    fan.send(first, end.recvBuffer().get(JAVA_INT_UNALIGNED, Integer.BYTES));
                }
            }
        }
    }
}
