/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** Messages from another process, eight requests in flight and tested in order, each with a buffer of its own. */
final class NetStreamRig {
    /** Requests in flight, and buffers. */
    static final int WINDOW = 8;
    /** Added to the number of the last message. */
    private static final long LAST = Long.MIN_VALUE;
    /** However long that takes. */
    private static final long MIN_MESSAGES = 8;
    /** Part of the time that is not counted. */
    private static final double WARM_UP = 0.2;
    private static final long WARM_UP_ROUNDS = 2;

    private final RigArguments arguments;

    NetStreamRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() throws IOException {
        List<Long> sizes = arguments.sizes();
        Measurements found = new Measurements();
        try (NetPeer peer = NetPeer.start("stream", arguments); NetEnd end = peer.connect()) {
            long warmupNs = arguments.nanos("warmup") / sizes.size() / WARM_UP_ROUNDS;
            for (int i = 0; i < WARM_UP_ROUNDS; i++) {
                sizes.forEach(bytes -> run(peer, end, bytes, warmupNs));
            }
            for (long bytes : sizes) {
                found.add(Long.toString(bytes), "gbs", run(peer, end, bytes, arguments.nanos("seconds")));
            }
        }
        return found;
    }

    /** Bytes a nanosecond. */
    private static double run(NetPeer peer, NetEnd end, long bytes, long durationNs) {
        peer.tell("stream", bytes, (long) (durationNs * (1 + WARM_UP)));
        long[] requests = new long[WINDOW];
        for (int i = 0; i < WINDOW; i++) {
            requests[i] = end.irecv(i * bytes, bytes);
        }
        long start = System.nanoTime();
        long begin = 0;
        long counted = 0;
        long number = 0;
        boolean isLast = false;
        while (!isLast) {
            int slot = (int) (number % WINDOW);
            awaitReceived(end, requests[slot]);
            isLast = isLast(end, slot * bytes, number);
            if (!isLast) {
                requests[slot] = end.irecv(slot * bytes, bytes);
            }
            number++;
            if (begin != 0) {
                counted++;
            } else if (System.nanoTime() - start > durationNs * WARM_UP) {
                begin = System.nanoTime();
            }
        }
        // On a busy machine all may have come by the first look at the clock.
        double rate = counted > 0 ? (double) bytes * counted / (System.nanoTime() - begin)
                : (double) bytes * number / (System.nanoTime() - start);
        for (int i = 0; i < WINDOW - 1; i++) {
            awaitReceived(end, requests[(int) ((number + i) % WINDOW)]);
        }
        check(peer.line(), checksum(end.recvBuffer(), bytes, number), bytes);
        return rate;
    }

    private static void awaitReceived(NetEnd end, long request) {
        while (!end.isReceived(request)) {
            Thread.onSpinWait();
        }
    }

    private static boolean isLast(NetEnd end, long at, long number) {
        return isLast(end.recvBuffer().get(JAVA_LONG_UNALIGNED, at), number);
    }

    static boolean isLast(long found, long number) {
        if (found != number && found != number + LAST) {
            throw new IllegalStateException("message " + number + " says that it is number " + found);
        }
        return found != number;
    }

    static void check(String sent, String received, long bytes) {
        if (!sent.equals(received)) {
            throw new IllegalStateException("the last messages of " + bytes + " bytes arrived with checksum " + received
                    + ", and were sent with " + sent);
        }
    }

    /** The other end of {@link #run}; returns the checksum of what was sent last. */
    static String stream(NetEnd end, long bytes, long durationNs) {
        fill(end.sendBuffer().asSlice(0, WINDOW * bytes));
        long[] requests = new long[WINDOW];
        long limit = System.nanoTime() + durationNs;
        long number = 0;
        boolean isLast = false;
        while (!isLast) {
            int slot = (int) (number % WINDOW);
            awaitSent(end, requests[slot]);
            isLast = number >= MIN_MESSAGES && System.nanoTime() - limit >= 0;
            end.sendBuffer().set(JAVA_LONG_UNALIGNED, slot * bytes, isLast ? number + LAST : number);
            requests[slot] = end.isend(slot * bytes, bytes);
            number++;
        }
        finish(end, requests, number);
        return checksum(end.sendBuffer(), bytes, number);
    }

    /** Empty messages for the receives that are posted beyond the last message. */
    private static void finish(NetEnd end, long[] requests, long number) {
        for (int i = 0; i < 2 * WINDOW - 1; i++) {
            int slot = (int) ((number + i) % WINDOW);
            awaitSent(end, requests[slot]);
            requests[slot] = i < WINDOW - 1 ? end.isend(0, 0) : 0;
        }
    }

    private static void awaitSent(NetEnd end, long request) {
        while (request != 0 && !end.isSent(request)) {
            Thread.onSpinWait();
        }
    }

    private static void fill(MemorySegment memory) {
        SplittableRandom random = new SplittableRandom(memory.byteSize());
        for (long at = 0; at <= memory.byteSize() - Long.BYTES; at += Long.BYTES) {
            memory.set(JAVA_LONG_UNALIGNED, at, random.nextLong());
        }
    }

    /** Of the buffers that were used, in their order. */
    private static String checksum(MemorySegment memory, long bytes, long messages) {
        CRC32C sum = new CRC32C();
        for (int slot = 0; slot < Math.min(messages, WINDOW); slot++) {
            sum.update(memory.asSlice(slot * bytes, bytes).asByteBuffer());
        }
        return Long.toHexString(sum.getValue());
    }
}
