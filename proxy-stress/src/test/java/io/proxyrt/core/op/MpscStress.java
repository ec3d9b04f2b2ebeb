/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.OpsPoolKind;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The queue of all posters: no post is lost, and each poster's ops keep their order. jcstress has no third processor on
 * small machines, so two of the three threads race at a time; the Lincheck and the sleep test have
 * all three. On x86 the processor could only lose the race for a place in the queue, which a compare-and-set decides.
 */
public class MpscStress {
    private static final StressPools POOLS = new StressPools(OpsPoolKind.MPSC, 2, 2);

    final OpsPoster firstPoster;
    final OpsPoster secondPoster;
    private final OpsFetcher fetcher;
    private int order;

    MpscStress() {
        OpsPool pool = POOLS.next();
        firstPoster = pool.poster();
        secondPoster = pool.poster();
        fetcher = pool.fetcher();
    }

    static void post(OpsPoster poster, int number) {
        MarkedOp.append(poster, number);
        poster.post();
    }

    /** The numbers of the ops in their order, as decimal digits. */
    final int fetch() {
        order = 0;
        fetcher.fetch(op -> order = order * 10 + MarkedOp.number(op), Integer.MAX_VALUE);
        return order;
    }

    /** Two posters at a time. */
    @JCStressTest
    @State
    @Outcome(id = {"1234, 0", "1324, 0", "1342, 0", "3124, 0", "3142, 0", "3412, 0"}, expect = Expect.ACCEPTABLE,
            desc = "all ops, in the order of each poster")
    @Outcome(expect = Expect.FORBIDDEN, desc = "an op was lost, doubled, torn, or passed another")
    public static class TwoPosters extends MpscStress {
        @Actor
        public void first() {
            post(firstPoster, 1);
            post(firstPoster, 2);
        }

        @Actor
        public void second() {
            post(secondPoster, 3);
            post(secondPoster, 4);
        }

        @Arbiter
        public void fetchAll(II_Result result) {
            result.r1 = fetch();
            result.r2 = fetch();
        }
    }

    /** A poster and the consumer, who finds another poster's op before. */
    @JCStressTest
    @State
    @Outcome(id = {"1, 23", "12, 3", "123, 0"}, expect = Expect.ACCEPTABLE, desc = "all ops, in order of arrival")
    @Outcome(expect = Expect.FORBIDDEN, desc = "an op was lost, doubled, torn, or passed another")
    public static class PosterAndConsumer extends MpscStress {
        public PosterAndConsumer() {
            post(firstPoster, 1);
        }

        @Actor
        public void poster() {
            post(secondPoster, 2);
            post(secondPoster, 3);
        }

        @Actor
        public void consumer(II_Result result) {
            result.r1 = fetch();
        }

        @Arbiter
        public void fetchRest(II_Result result) {
            result.r2 = fetch();
        }
    }
}
