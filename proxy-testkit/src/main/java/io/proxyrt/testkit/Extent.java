/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * How much of the tests is run: {@code -Dtests=short|full|long}. A class that asks is tagged {@link #SCALED}, so that
 * CI can run it again in full.
 */
public enum Extent {
    /** What a person waits for: some of the variants, a fifth of the repetitions. */
    SHORT,
    /** What CI runs: all variants. */
    FULL,
    /** All variants, ten times the repetitions of {@link #FULL}. */
    LONG;

    /** The tag of tests that do less when they are run short. */
    public static final String SCALED = "scaled";
    /** The tag of tests that are not run at all when tests are run short. */
    public static final String ONLY_FULL = "full";

    private static final int SHORTER = 5;
    private static final int LONGER = 10;

    /**
     * What the run was asked for; {@link #SHORT} by default.
     *
     * @return the extent
     */
    public static Extent asked() {
        return valueOf(System.getProperty("tests", "short").toUpperCase(Locale.ROOT));
    }

    /**
     * Repetitions, or anything else that is counted.
     *
     * @param full how many a full run makes
     * @return how many this run makes
     */
    public static int count(int full) {
        return switch (asked()) {
            case SHORT -> Math.max(1, full / SHORTER);
            case FULL -> full;
            case LONG -> full * LONGER;
        };
    }

    /**
     * Variants of a test: all of them, or each n-th in a short run.
     *
     * @param <T>   a variant
     * @param every n; it should have no factor in common with the sizes of the product that the variants are, or a
     *              value of one dimension is never tried
     * @param all   all variants
     * @return the variants of this run
     */
    public static <T> Stream<T> sample(int every, Stream<T> all) {
        if (asked() != SHORT) {
            return all;
        }
        AtomicInteger i = new AtomicInteger();
        return all.filter(_ -> i.getAndIncrement() % every == 0);
    }
}
