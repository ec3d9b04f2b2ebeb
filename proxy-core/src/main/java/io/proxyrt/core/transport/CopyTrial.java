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
    /** What is a twentieth faster may be so by chance. */
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

    /** Whether the next copy is to be timed. */
    boolean isRunning() {
        return left == 0;
    }

    /** A copy outside of trials, which is the winner's. Returns whether that is the native one. */
    boolean next() {
        left--;
        return isNative;
    }

    /** Whether the next copy of a trial is to be native. Thue and Morse's order. */
    boolean isNextNative() {
        return (Integer.bitCount(sample) & 1) != 0;
    }

    /** How long the copy took that {@link #isNextNative} asked for. Returns whether it was the last of its trial. */
    boolean took(long ns, long bytes) {
        long each = (ns << FRACTION_BITS) / bytes;
        (isNextNative() ? natively : jvm)[sample >> 1] = each;
        if (++sample < 2 * SAMPLES) {
            return false;
        }
        decide();
        return true;
    }

    private void decide() {
        jvmMedian = median(jvm);
        nativeMedian = median(natively);
        long used = isNative ? nativeMedian : jvmMedian;
        long other = isNative ? jvmMedian : nativeMedian;
        isNative ^= other * HUNDRED < used * (HUNDRED - GAIN_PERCENT);
        sample = 0;
        pause = Math.min(2 * pause, LONGEST_PAUSE);
        left = pause;
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
