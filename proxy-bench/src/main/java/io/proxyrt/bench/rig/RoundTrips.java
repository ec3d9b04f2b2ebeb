/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;

/** Messages to another process and back, one at a time, both ends spinning. Their number is checked. */
final class RoundTrips {
    /** What the number of a message is when no other one follows. */
    private static final long LAST = -1;

    private final Messages end;
    private final LongConsumer peer;
    private long messages;

    /** The peer is told to {@link #echo} messages of so many bytes. */
    private RoundTrips(Messages end, LongConsumer peer) {
        this.end = end;
        this.peer = peer;
    }

    /** Over what a rig is for. */
    static Measurements measure(String rig, RigArguments arguments) throws IOException {
        try (PeerJvm peer = PeerJvm.of(rig, arguments.words()); End end = End.of(rig, 0, arguments, peer)) {
            return new RoundTrips(end.messages(), bytes -> peer.tell("echo " + bytes)).measure(arguments);
        }
    }

    private Measurements measure(RigArguments arguments) {
        List<Long> sizes = arguments.sizes();
        Measurements found = new Measurements();
        long warmupNs = arguments.nanos("warmup") / sizes.size();
        for (long bytes : sizes) {
            WarmUp.run(warmupNs, () -> run(bytes, WarmUp.partNs(warmupNs)).getValueAtPercentile(50));
        }
        for (long bytes : sizes) {
            found.add(Long.toString(bytes), "rtt", run(bytes, arguments.nanos("seconds")));
        }
        return found;
    }

    private Histogram run(long bytes, long durationNs) {
        peer.accept(bytes);
        Histogram took = Measurements.histogram();
        long limit = System.nanoTime() + durationNs;
        long start = System.nanoTime();
        while (start - limit < 0) {
            roundTrip(bytes, ++messages);
            long done = System.nanoTime();
            took.recordValue(done - start);
            start = done;
        }
        roundTrip(bytes, LAST);
        return took;
    }

    private void roundTrip(long bytes, long number) {
        set(end.sendBuffer(), bytes, number, number);
        end.exchange(bytes);
        long first = first(end.recvBuffer());
        long last = last(end.recvBuffer(), bytes);
        if (first != number || last != number) {
            throw new IllegalStateException("message " + number + " of " + bytes + " bytes came back as " + first
                    + " to " + last);
        }
    }

    /** The other end. */
    static void echo(Messages end, long bytes) {
        long number = 0;
        while (number != LAST) {
            end.receive(bytes);
            number = first(end.recvBuffer());
            set(end.sendBuffer(), bytes, number, last(end.recvBuffer(), bytes));
            end.send(bytes);
        }
    }

    private static void set(MemorySegment message, long bytes, long first, long last) {
        message.set(JAVA_LONG_UNALIGNED, 0, first);
        message.set(JAVA_LONG_UNALIGNED, bytes - Long.BYTES, last);
    }

    private static long first(MemorySegment message) {
        return message.get(JAVA_LONG_UNALIGNED, 0);
    }

    private static long last(MemorySegment message, long bytes) {
        return message.get(JAVA_LONG_UNALIGNED, bytes - Long.BYTES);
    }
}
