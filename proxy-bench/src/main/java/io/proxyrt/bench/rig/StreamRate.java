/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.util.List;

/** How fast bytes come, without those of the first moments, in which the sender may still be getting ready. */
final class StreamRate {
    /** Part of the time that is not counted. */
    private static final double WARM_UP = 0.2;
    private static final int WARM_UP_ROUNDS = 2;

    private final long warmupNs;
    private final long start = System.nanoTime();
    private long begin;
    private long last = start;
    private long counted;
    private long all;

    /** A stream of messages of one size for so many nanoseconds; bytes a nanosecond. */
    interface Stream {
        double run(long bytes, long durationNs);
    }

    /** All sizes, after some rounds of them that warm up. */
    static Measurements measure(RigArguments arguments, Stream stream) {
        List<Long> sizes = arguments.sizes();
        long warmupNs = arguments.nanos("warmup") / sizes.size() / WARM_UP_ROUNDS;
        for (int i = 0; i < WARM_UP_ROUNDS; i++) {
            sizes.forEach(bytes -> stream.run(bytes, warmupNs));
        }
        Measurements found = new Measurements();
        for (long bytes : sizes) {
            found.add(Long.toString(bytes), "gbs", stream.run(bytes, arguments.nanos("seconds")));
        }
        return found;
    }

    /** Of so many nanoseconds that are counted. */
    StreamRate(long durationNs) {
        this.warmupNs = (long) (durationNs * WARM_UP);
    }

    /** How long a sender has to send for that. */
    static long sendingNs(long durationNs) {
        return (long) (durationNs * (1 + WARM_UP));
    }

    /** So many bytes have come. */
    void add(long bytes) {
        all += bytes;
        last = System.nanoTime();
        if (begin != 0) {
            counted += bytes;
        } else if (last - start > warmupNs) {
            begin = last;
        }
    }

    /** Bytes a nanosecond; of all if, on a busy machine, they had come by the first look at the clock. */
    double perNs() {
        return counted > 0 ? (double) counted / (last - begin) : (double) all / (last - start);
    }
}
