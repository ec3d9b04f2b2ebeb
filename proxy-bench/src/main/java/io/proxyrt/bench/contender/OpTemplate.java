/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

import java.util.Arrays;

/** The 128 bytes that a producer posts again and again, with a sequence number of their own each time. */
public final class OpTemplate {
    /** Words of an op. */
    public static final int WORDS = 16;
    /** The word with the producer's number. */
    public static final int PRODUCER = 0;
    /** The word with the time that latency counts from. */
    public static final int TIME = 1;
    /** The word with the sequence number. */
    public static final int SEQUENCE = 2;
    /** A word in the middle with the sequence number's complement. */
    public static final int MIDDLE = 8;
    /** The last word, with the sequence number's complement. */
    public static final int LAST = WORDS - 1;

    private final long[] words = new long[WORDS];

    /**
     * A template.
     *
     * @param producer whose ops they are
     */
    public OpTemplate(int producer) {
        Arrays.fill(words, 0x0101010101010101L);
        words[PRODUCER] = producer;
        sequence(0);
    }

    /**
     * The op that comes next.
     *
     * @return to be copied
     */
    public long[] words() {
        return words;
    }

    /**
     * The sequence number of the op that comes next: how many were posted.
     *
     * @return from 0
     */
    public long sequence() {
        return words[SEQUENCE];
    }

    /** Goes on to the next op. */
    public void advance() {
        sequence(words[SEQUENCE] + 1);
    }

    /**
     * Sets what the latency of the ops to come counts from.
     *
     * @param nanoTime as {@link System#nanoTime()} tells it
     */
    public void time(long nanoTime) {
        words[TIME] = nanoTime;
    }

    private void sequence(long value) {
        words[SEQUENCE] = value;
        words[MIDDLE] = ~value;
        words[LAST] = ~value;
    }
}
