/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.collectives.Algorithm;
import io.proxyrt.core.CollFunction;
import java.util.ArrayList;
import java.util.List;

/** One algorithm with one size, and how long a call took in each round. */
final class TuneTrial {
    /** Of a round: long enough for the clock, short enough for many rounds. */
    private static final double CALLS_NS = 2e6;
    private static final int MAX_CALLS = 200;
    /** One whose single call takes longer than so many times that is not in all rounds. */
    private static final double LONG = 4;
    private static final double NANOS_PER_MICRO = 1e3;

    private final Collective collective;
    private final CollFunction function;
    private final long bytes;
    private final Algorithm algorithm;
    private final List<Double> roundsNs = new ArrayList<>();
    /** Of all rounds; before the first a call is taken for long. */
    private double fastestNs = CALLS_NS;
    private boolean isMeasured;

    TuneTrial(Collective collective, CollFunction function, long bytes, Algorithm algorithm) {
        this.collective = collective;
        this.function = function;
        this.bytes = bytes;
        this.algorithm = algorithm;
    }

    Collective collective() {
        return collective;
    }

    CollFunction function() {
        return function;
    }

    long bytes() {
        return bytes;
    }

    Algorithm algorithm() {
        return algorithm;
    }

    /** How many to do in the next round. */
    int calls() {
        return (int) Math.clamp(CALLS_NS / fastestNs, 1, MAX_CALLS);
    }

    /** Whether it takes part in a round, counted from 0 since the start; what disturbs one costs it no other. */
    boolean isDue(int round) {
        return roundsNs.size() * fastestNs <= LONG * CALLS_NS * round;
    }

    /** How long a call took. */
    void took(double ns) {
        fastestNs = isMeasured ? Math.min(fastestNs, ns) : ns;
        isMeasured = true;
        roundsNs.add(ns);
    }

    /** Forgets how long calls took, but for how many there are in a round. */
    void restart() {
        roundsNs.clear();
    }

    /** The lower quartile, for what disturbs the machine makes rounds longer, and none shorter. */
    double us() {
        return part(4) / NANOS_PER_MICRO;
    }

    /** By how much the median is more, of it. */
    double noise() {
        return part(2) / part(4) - 1;
    }

    private double part(int ofHowMany) {
        return roundsNs.stream().sorted().toList().get((roundsNs.size() - 1) / ofHowMany);
    }
}
