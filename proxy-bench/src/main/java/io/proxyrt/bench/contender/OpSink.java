/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

import org.HdrHistogram.Histogram;

/** The consumer's side of an op: where its copy goes, and whether every op came once, whole and in order. */
public final class OpSink {
    private static final int PLACES = 64;

    private final long[][] places = new long[PLACES][OpTemplate.WORDS];
    private final long[] expected;
    private final Histogram latency;
    private long ops;

    /**
     * A sink for some producers.
     *
     * @param producers how many
     * @param latency   gets the time from the op's {@link OpTemplate#TIME} until now; null for none
     */
    public OpSink(int producers, Histogram latency) {
        this.expected = new long[producers];
        this.latency = latency;
    }

    /**
     * Where the next op is to be copied.
     *
     * @return 24 words, to be handed to {@link #take(long[])}
     */
    public long[] place() {
        return places[(int) ops & PLACES - 1];
    }

    /**
     * Takes an op.
     *
     * @param words its copy
     */
    public void take(long[] words) {
        take((int) words[OpTemplate.PRODUCER], words[OpTemplate.SEQUENCE], words[OpTemplate.TIME],
                words[OpTemplate.MIDDLE] == words[OpTemplate.LAST] ? words[OpTemplate.LAST] : 0);
    }

    /**
     * Takes an op that was copied elsewhere.
     *
     * @param producer who posted it
     * @param sequence its number
     * @param time     what latency counts from
     * @param check    the complement of its number, if {@link OpTemplate#MIDDLE} and {@link OpTemplate#LAST} have it
     * @throws IllegalStateException if an op was lost, doubled, overtaken or torn
     */
    public void take(int producer, long sequence, long time, long check) {
        if (sequence != expected[producer] || check != ~sequence) {
            throw new IllegalStateException("producer " + producer + ": op " + expected[producer] + " was due, op "
                    + sequence + " came" + (check == ~sequence ? "" : ", and torn"));
        }
        expected[producer] = sequence + 1;
        ops++;
        if (latency != null) {
            latency.recordValue(Math.max(0, System.nanoTime() - time));
        }
    }

    /**
     * How many ops came.
     *
     * @return all producers together
     */
    public long ops() {
        return ops;
    }
}
