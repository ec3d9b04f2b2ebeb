/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.OpsPoolKind;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Ops end and others take their entries in the book of ops in flight, all within one tick of the clock, while another
 * thread reads it: each op that it reports is one of them, whole. On x86, which keeps stores in order, and loads too,
 * only a compiler could reorder anything here; but interleavings alone can mix two ops: when entries of one tick had
 * the same time of fetch, that was seen once in 120,000 looks.
 */
@JCStressTest
@State
@Outcome(id = {"0, 0", "1, 1", "1, 2", "1, 3"}, expect = Expect.ACCEPTABLE, desc = "one op, whole, or none")
@Outcome(expect = Expect.FORBIDDEN, desc = "fields of two ops, or one op too many")
public class InFlightStress {
    private static final StressPools POOLS = new StressPools(OpsPoolKind.LANES, 1, 4);
    private static final int OPS = 3;

    private final OpsPool pool = POOLS.next();
    private final OpsFetcher fetcher = pool.fetcher();
    private int ticket;

    /** A first op in flight, and others to come. */
    public InFlightStress() {
        OpsPoster poster = pool.poster();
        for (int number = 1; number <= OPS; number++) {
            MarkedOp.append(poster, number);
        }
        poster.post();
        fetch();
        fetcher.publishInFlight();
    }

    @Actor
    public void consumer() {
        for (int i = 1; i < OPS; i++) {
            fetcher.complete(ticket);
            fetch();
            fetcher.publishInFlight();
        }
    }

    @Actor
    public void reader(II_Result result) {
        List<OpInFlight> ops = pool.inFlight();
        result.r1 = ops.size();
        result.r2 = ops.isEmpty() ? 0 : number(ops.getFirst());
    }

    private void fetch() {
        fetcher.fetch(op -> ticket = op.ticket(), 1);
    }

    private static int number(OpInFlight op) {
        boolean isWhole = op.connection() == op.opCount() && op.peer() == op.opCount()
                && op.channelId() == op.opCount() && op.lane() == 0;
        return isWhole ? op.peer() : MarkedOp.TORN;
    }
}
