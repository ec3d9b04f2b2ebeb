/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.io.IOException;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Messages to another process and back, one at a time, both ends spinning. */
final class NetRoundTripRig {
    /** What the number of a message is when no other one follows. */
    private static final long LAST = -1;

    private final RigArguments arguments;
    private long messages;

    NetRoundTripRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() throws IOException {
        List<Long> sizes = arguments.sizes();
        Measurements found = new Measurements();
        try (NetPeer peer = NetPeer.start("echo", arguments); NetEnd end = peer.connect()) {
            long warmupNs = arguments.nanos("warmup");
            for (long bytes : sizes) {
                WarmUp.run(warmupNs / sizes.size(), () ->
                        run(peer, end, bytes, WarmUp.partNs(warmupNs / sizes.size())).getValueAtPercentile(50));
            }
            for (long bytes : sizes) {
                found.add(Long.toString(bytes), "rtt", run(peer, end, bytes, arguments.nanos("seconds")));
            }
        }
        return found;
    }

    private Histogram run(NetPeer peer, NetEnd end, long bytes, long durationNs) {
        peer.tell("echo", bytes);
        Histogram took = Measurements.histogram();
        long limit = System.nanoTime() + durationNs;
        long start = System.nanoTime();
        while (start - limit < 0) {
            roundTrip(end, bytes, ++messages);
            long done = System.nanoTime();
            took.recordValue(done - start);
            start = done;
        }
        roundTrip(end, bytes, LAST);
        return took;
    }

    private static void roundTrip(NetEnd end, long bytes, long number) {
        end.sendBuffer().set(JAVA_LONG_UNALIGNED, 0, number);
        end.sendBuffer().set(JAVA_LONG_UNALIGNED, bytes - Long.BYTES, number);
        long received = end.irecv(0, bytes);
        long sent = end.isend(0, bytes);
        while (!end.isSent(sent)) {
            Thread.onSpinWait();
        }
        while (!end.isReceived(received)) {
            Thread.onSpinWait();
        }
        check(end, bytes, number);
    }

    /** The other end of {@link #run}. */
    static void echo(NetEnd end, long bytes) {
        long number = 0;
        while (number != LAST) {
            long received = end.irecv(0, bytes);
            while (!end.isReceived(received)) {
                Thread.onSpinWait();
            }
            number = end.recvBuffer().get(JAVA_LONG_UNALIGNED, 0);
            end.sendBuffer().set(JAVA_LONG_UNALIGNED, 0, number);
            end.sendBuffer().set(JAVA_LONG_UNALIGNED, bytes - Long.BYTES,
                    end.recvBuffer().get(JAVA_LONG_UNALIGNED, bytes - Long.BYTES));
            long sent = end.isend(0, bytes);
            while (!end.isSent(sent)) {
                Thread.onSpinWait();
            }
        }
    }

    private static void check(NetEnd end, long bytes, long number) {
        long first = end.recvBuffer().get(JAVA_LONG_UNALIGNED, 0);
        long last = end.recvBuffer().get(JAVA_LONG_UNALIGNED, bytes - Long.BYTES);
        if (first != number || last != number) {
            throw new IllegalStateException("message " + number + " of " + bytes + " bytes came back as " + first
                    + " to " + last);
        }
    }
}
