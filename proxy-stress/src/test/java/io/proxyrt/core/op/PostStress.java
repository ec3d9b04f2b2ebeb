/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.OpsPoolKind;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Two ops are posted together while the consumer fetches: it gets neither or both, in order, with all their fields. On
 * x86, which keeps stores in order, and loads too, only a compiler could break this, and C2 was not seen to when both
 * accesses to {@code published} were plain; on Arm the processor could as well.
 */
public class PostStress {
    private final OpsPoster poster;
    private final OpsFetcher fetcher;
    private int count;
    private int first;
    private int second;

    PostStress(StressPools pools) {
        OpsPool pool = pools.next();
        poster = pool.poster();
        fetcher = pool.fetcher();
    }

    final void post() {
        MarkedOp.append(poster, 1);
        MarkedOp.append(poster, 2);
        poster.post();
    }

    final void fetch(III_Result result) {
        fetcher.fetch(this::note, Integer.MAX_VALUE);
        result.r1 = count;
        result.r2 = first;
        result.r3 = second;
    }

    private void note(ProxyOp op) {
        if (count++ == 0) {
            first = MarkedOp.number(op);
        } else {
            second = MarkedOp.number(op);
        }
    }

    /** Through the ring of a lane. */
    @JCStressTest
    @State
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "fetched before the post")
    @Outcome(id = "2, 1, 2", expect = Expect.ACCEPTABLE, desc = "both, whole")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a part of the batch, or of an op")
    public static class Lanes extends PostStress {
        private static final StressPools POOLS = new StressPools(OpsPoolKind.LANES, 1, 2);

        public Lanes() {
            super(POOLS);
        }

        @Actor
        public void poster() {
            post();
        }

        @Actor
        public void consumer(III_Result result) {
            fetch(result);
        }
    }

    /** Through the queue of all posters. */
    @JCStressTest
    @State
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "fetched before the post")
    @Outcome(id = "2, 1, 2", expect = Expect.ACCEPTABLE, desc = "both, whole")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a part of the batch, or of an op")
    public static class Mpsc extends PostStress {
        private static final StressPools POOLS = new StressPools(OpsPoolKind.MPSC, 1, 2);

        public Mpsc() {
            super(POOLS);
        }

        @Actor
        public void poster() {
            post();
        }

        @Actor
        public void consumer(III_Result result) {
            fetch(result);
        }
    }

    /** Through the list under a mutex. */
    @JCStressTest
    @State
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "fetched before the post")
    @Outcome(id = "2, 1, 2", expect = Expect.ACCEPTABLE, desc = "both, whole")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a part of the batch, or of an op")
    public static class Locked extends PostStress {
        private static final StressPools POOLS = new StressPools(OpsPoolKind.LOCKED, 1, 2);

        public Locked() {
            super(POOLS);
        }

        @Actor
        public void poster() {
            post();
        }

        @Actor
        public void consumer(III_Result result) {
            fetch(result);
        }
    }
}
