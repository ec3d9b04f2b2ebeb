/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import java.util.Arrays;

/**
 * Which of two copies is faster for one size, as measured on copies that were to be made anyway: some by each, now and
 * then. The median counts, for a copy is slow at times for other reasons; both are tried in an order of which neither
 * gets the better half, since slots come in turns, too.
 */
final class CopyTrial {
    /** Copies of each kind. */
    static final int SAMPLES = 16;
    static final int FIRST_PAUSE = 64;
    static final int LONGEST_PAUSE = 1 << 14;
    /** Less may be chance. */
    private static final int GAIN_PERCENT = 10;
    private static final int HUNDRED = 100;
    private static final int FRACTION_BITS = 12;

    private final long[] jvm = new long[SAMPLES];
    private final long[] natively = new long[SAMPLES];
    private boolean isNative;
    private int sample;
    /** Copies until the next trial; 0 during one. */
    private int left;
    private int pause = FIRST_PAUSE / 2;
    private long jvmMedian;
    private long nativeMedian;

    /** Whether the next copy is to be timed, and told by {@link #took}; else by {@link #skip}. */
    boolean isRunning() {
        return left == 0;
    }

    /** A copy outside of trials was made. */
    void skip() {
        left--;
    }

    /** Whether the next copy is to be native: in a trial by Thue and Morse's order, else if that has won. */
    boolean isNextNative() {
        return isRunning() ? (Integer.bitCount(sample) & 1) != 0 : isNative;
    }

    /** How long the copy took that {@link #isNextNative} asked for. Returns whether there is another winner now. */
    boolean took(long ns, long bytes) {
        long each = (ns << FRACTION_BITS) / bytes;
        (isNextNative() ? natively : jvm)[sample >> 1] = each;
        return ++sample == 2 * SAMPLES && decide();
    }

    private boolean decide() {
        jvmMedian = median(jvm);
        nativeMedian = median(natively);
        long used = isNative ? nativeMedian : jvmMedian;
        long other = isNative ? jvmMedian : nativeMedian;
        boolean isChange = other * HUNDRED < used * (HUNDRED - GAIN_PERCENT);
        isNative ^= isChange;
        sample = 0;
        pause = Math.min(2 * pause, LONGEST_PAUSE);
        left = pause;
        return isChange;
    }

    private static long median(long[] samples) {
        Arrays.sort(samples);
        return samples[SAMPLES / 2];
    }

    boolean isNative() {
        return isNative;
    }

    /** For people, after a trial: how fast each was. */
    @Override
    public String toString() {
        return rate(nativeMedian) + " by the C library, " + rate(jvmMedian) + " by the JVM";
    }

    private static String rate(long median) {
        return String.format("%.1f GB/s", (double) (1 << FRACTION_BITS) / Math.max(1, median));
    }
}
