/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

/** How fast bytes come, without those of the first moments, in which the sender may still be getting ready. */
final class StreamRate {
    /** Part of the time that is not counted. */
    private static final double WARM_UP = 0.2;

    private final long warmupNs;
    private final long start = System.nanoTime();
    private long begin;
    private long last = start;
    private long counted;
    private long all;

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
