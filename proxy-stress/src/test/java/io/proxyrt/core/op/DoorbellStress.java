/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.core.platform.Platform;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The consumer goes to sleep, as the progress agent does, while a poster posts or a command comes: it sees the work, or
 * it is woken. This takes a full fence on either side, on x86 too: a store may not be passed by the load that follows.
 *
 * <p>Measured on two cores of x86: without the fence of {@code ringIfArmed} a wake-up is lost once in 420 posts to a
 * lane, and in 13,000 to the queue; with a load and a store in place of the compare-and-set of {@code arm}, once in
 * 2,300 and in 76,000; with a load and a store in place of {@code ring}'s exchange, once in 540 commands. Posters that
 * the consumer makes pass a barrier have no fence of their own; with one that does nothing, a wake-up is lost once in 8
 * posts.
 */
public class DoorbellStress {
    private final WatchedFutex futex;
    private final OpsPool pool;
    private final OpsPoster poster;
    private final OpsFetcher fetcher;
    private final AtomicBoolean hasCommand = new AtomicBoolean();

    DoorbellStress(StressPools pools, Optional<Runnable> barrier) {
        futex = new WatchedFutex(barrier);
        pool = pools.next(futex);
        poster = pool.poster();
        fetcher = pool.fetcher();
        MarkedOp.append(poster, 1);
    }

    final void post() {
        poster.post();
    }

    final void command() {
        hasCommand.setRelease(true);
        pool.wakeup();
    }

    final void park() {
        if (fetcher.arm() && !fetcher.hasPosted() && !hasCommand.getAcquire()) {
            fetcher.sleep(Long.MAX_VALUE);
        }
    }

    final void note(II_Result result) {
        result.r1 = futex.hasSlept() ? 1 : 0;
        result.r2 = futex.wasWoken() ? 1 : 0;
    }

    /** A post through the ring of a lane. */
    @JCStressTest
    @State
    @Outcome(id = {"0, 0", "0, 1"}, expect = Expect.ACCEPTABLE, desc = "the consumer saw it in time")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "slept and was woken")
    @Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "sleeps, and is not woken")
    public static class Lanes extends DoorbellStress {
        private static final StressPools POOLS = new StressPools(OpsPoolKind.LANES, 1, 2);

        public Lanes() {
            super(POOLS, Optional.empty());
        }

        @Actor
        public void ringer() {
            post();
        }

        @Actor
        public void consumer() {
            park();
        }

        @Arbiter
        public void look(II_Result result) {
            note(result);
        }
    }

    /** A post without a fence: the consumer's barrier stands in for it. */
    @JCStressTest
    @State
    @Outcome(id = {"0, 0", "0, 1"}, expect = Expect.ACCEPTABLE, desc = "the consumer saw it in time")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "slept and was woken")
    @Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "sleeps, and is not woken")
    public static class Barrier extends DoorbellStress {
        private static final Optional<Runnable> BARRIER =
                Optional.of(Platform.find().processBarrier().orElseThrow());
        private static final StressPools POOLS = new StressPools(OpsPoolKind.LANES, 1, 2);

        public Barrier() {
            super(POOLS, BARRIER);
        }

        @Actor
        public void ringer() {
            post();
        }

        @Actor
        public void consumer() {
            park();
        }

        @Arbiter
        public void look(II_Result result) {
            note(result);
        }
    }

    /** A post through the queue of all posters. */
    @JCStressTest
    @State
    @Outcome(id = {"0, 0", "0, 1"}, expect = Expect.ACCEPTABLE, desc = "the consumer saw it in time")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "slept and was woken")
    @Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "sleeps, and is not woken")
    public static class Mpsc extends DoorbellStress {
        private static final StressPools POOLS = new StressPools(OpsPoolKind.MPSC, 1, 2);

        public Mpsc() {
            super(POOLS, Optional.empty());
        }

        @Actor
        public void ringer() {
            post();
        }

        @Actor
        public void consumer() {
            park();
        }

        @Arbiter
        public void look(II_Result result) {
            note(result);
        }
    }

    /** A command, and the wake-up that follows each. */
    @JCStressTest
    @State
    @Outcome(id = {"0, 0", "0, 1"}, expect = Expect.ACCEPTABLE, desc = "the consumer saw it in time")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "slept and was woken")
    @Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "sleeps, and is not woken")
    public static class Command extends DoorbellStress {
        private static final StressPools POOLS = new StressPools(OpsPoolKind.LANES, 1, 2);

        public Command() {
            super(POOLS, Optional.empty());
        }

        @Actor
        public void ringer() {
            command();
        }

        @Actor
        public void consumer() {
            park();
        }

        @Arbiter
        public void look(II_Result result) {
            note(result);
        }
    }
}
