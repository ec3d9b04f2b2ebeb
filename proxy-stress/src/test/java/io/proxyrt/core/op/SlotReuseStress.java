/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.core.ProxyException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * A full lane of two ops: the consumer copies both and ends them while the poster waits for room, takes it, and audits
 * the books. No copy has anything of the third op, and never have more ops ended than were fetched. On x86, which does
 * not let a store pass an earlier load, only a compiler could break this; on Arm the processor as well.
 */
public class SlotReuseStress {
    private static final int LOOKS = 50;

    private final OpsPool pool;
    private final OpsPoster poster;
    private final OpsFetcher fetcher;
    private final int[] numbers = new int[3];
    private final int[] tickets = new int[3];
    private int count;
    private int looks;

    SlotReuseStress(StressPools pools) {
        pool = pools.next();
        poster = pool.poster();
        fetcher = pool.fetcher();
        poster.onFull(waitedNs -> looks++ < LOOKS);
        MarkedOp.append(poster, 1);
        MarkedOp.append(poster, 2);
        poster.post();
    }

    /** 1 for a third op, 0 if it found no room, -1 if the books did not balance. */
    final int post() {
        try {
            MarkedOp.append(poster, 3);
        } catch (ProxyException e) {
            return 0;
        }
        poster.post();
        try {
            pool.audit();
        } catch (ProxyException e) {
            return -1;
        }
        return 1;
    }

    final void fetchAndComplete(IIII_Result result) {
        fetcher.fetch(this::note, 2);
        fetcher.complete(tickets[0]);
        fetcher.complete(tickets[1]);
        result.r1 = numbers[0];
        result.r2 = numbers[1];
    }

    final int fetchRest() {
        pool.audit();
        fetcher.fetch(this::note, 1);
        return numbers[2];
    }

    private void note(ProxyOp op) {
        numbers[count] = MarkedOp.number(op);
        tickets[count] = op.ticket();
        count++;
    }

    /** Through the ring of a lane. */
    @JCStressTest
    @State
    @Outcome(id = "1, 2, 1, 3", expect = Expect.ACCEPTABLE, desc = "the third op came into a slot that was read")
    @Outcome(id = "1, 2, 0, 0", expect = Expect.ACCEPTABLE, desc = "no room yet")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a slot was written before it was read, or the books do not balance")
    public static class Lanes extends SlotReuseStress {
        private static final StressPools POOLS = new StressPools(OpsPoolKind.LANES, 1, 2);

        public Lanes() {
            super(POOLS);
        }

        @Actor
        public void poster(IIII_Result result) {
            result.r3 = post();
        }

        @Actor
        public void consumer(IIII_Result result) {
            fetchAndComplete(result);
        }

        @Arbiter
        public void rest(IIII_Result result) {
            result.r4 = fetchRest();
        }
    }

    /** Through the queue of all posters. */
    @JCStressTest
    @State
    @Outcome(id = "1, 2, 1, 3", expect = Expect.ACCEPTABLE, desc = "the third op came into a slot that was read")
    @Outcome(id = "1, 2, 0, 0", expect = Expect.ACCEPTABLE, desc = "no room yet")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a slot was written before it was read, or the books do not balance")
    public static class Mpsc extends SlotReuseStress {
        private static final StressPools POOLS = new StressPools(OpsPoolKind.MPSC, 1, 2);

        public Mpsc() {
            super(POOLS);
        }

        @Actor
        public void poster(IIII_Result result) {
            result.r3 = post();
        }

        @Actor
        public void consumer(IIII_Result result) {
            fetchAndComplete(result);
        }

        @Arbiter
        public void rest(IIII_Result result) {
            result.r4 = fetchRest();
        }
    }

    /** Through the list under a mutex. */
    @JCStressTest
    @State
    @Outcome(id = "1, 2, 1, 3", expect = Expect.ACCEPTABLE, desc = "the third op came into a slot that was read")
    @Outcome(id = "1, 2, 0, 0", expect = Expect.ACCEPTABLE, desc = "no room yet")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a slot was written before it was read, or the books do not balance")
    public static class Locked extends SlotReuseStress {
        private static final StressPools POOLS = new StressPools(OpsPoolKind.LOCKED, 1, 2);

        public Locked() {
            super(POOLS);
        }

        @Actor
        public void poster(IIII_Result result) {
            result.r3 = post();
        }

        @Actor
        public void consumer(IIII_Result result) {
            fetchAndComplete(result);
        }

        @Arbiter
        public void rest(IIII_Result result) {
            result.r4 = fetchRest();
        }
    }
}
