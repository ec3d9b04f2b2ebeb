/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.BackoffIdle;
import io.proxyrt.core.agent.IdleStrategy;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.device.StreamTurns;
import io.proxyrt.core.diagnosis.CallWords;
import io.proxyrt.core.diagnosis.Diagnosis;
import io.proxyrt.core.diagnosis.RemoteRanks;
import io.proxyrt.core.op.OpsPoster;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Waits until all kernels of a stream have retired and all ops of a poster have ended, or for why they will not. The
 * waiting thread runs the kernels meanwhile, in turns with the stream's own; in {@link ThreadingMode#INVOKER} it drives
 * all there is, also while the poster waits for room.
 *
 * <p>For the one thread that launches and posts. A wait allocates nothing unless it fails.
 */
public final class StreamWait {
    private static final Duration DUMP_TIMEOUT = Duration.ofSeconds(1);
    /** Turns between two looks at what costs more than a load: a power of two. */
    private static final int CHECK_INTERVAL = 256;

    private final ProxyState proxy;
    private final HostStream stream;
    private final StreamTurns turns;
    private final OpsPoster poster;
    private final boolean isInvoker;
    private final UnaryOperator<ProxyException> verdict;
    private final Supplier<String> why;
    private final IdleStrategy idle;
    private final Agent parker = new Parker();

    private StreamWait(ProxyState proxy, HostStream stream, OpsPoster poster,
            UnaryOperator<ProxyException> verdict, Supplier<String> why) {
        this.proxy = Arguments.require(proxy, "proxy");
        this.stream = Arguments.require(stream, "stream");
        this.poster = Arguments.require(poster, "poster");
        this.verdict = Arguments.require(verdict, "verdict");
        this.why = Arguments.require(why, "why");
        this.turns = stream.turns();
        this.isInvoker = proxy.isInvoker();
        this.idle = new BackoffIdle(proxy.config());
        if (isInvoker) {
            poster.driver(this::drive);
        }
    }

    /**
     * Describes what to wait for.
     *
     * @param proxy  whose stream and poster they are, which stay the caller's
     * @param stream whose kernels have to retire
     * @param poster whose ops have to end
     * @return for as many waits as one likes
     */
    public static StreamWait of(ProxyState proxy, HostStream stream, OpsPoster poster) {
        return of(proxy, stream, poster, seen -> new ProxyException(seen.result(),
                "rank " + proxy.rank() + ": " + seen.getMessage(), seen), () -> Diagnosis.ofJobOf(proxy.config(),
                proxy.opsPool().getParent(), CallWords.NONE, RemoteRanks.NONE).map(Diagnosis::why).orElse(""));
    }

    /**
     * Describes what to wait for, in a job that knows more of failures than this runtime.
     *
     * @param proxy   whose stream and poster they are, which stay the caller's
     * @param stream  whose kernels have to retire
     * @param poster  whose ops have to end
     * @param verdict gets the failure that was seen here, and gives the one to throw; may block
     * @param why     says at a timeout why nothing moves, for people; empty if that is not known; may block
     * @return for as many waits as one likes
     */
    public static StreamWait of(ProxyState proxy, HostStream stream, OpsPoster poster,
            UnaryOperator<ProxyException> verdict, Supplier<String> why) {
        return new StreamWait(proxy, stream, poster, verdict, why);
    }

    /**
     * Waits. When it throws, the runtime was {@linkplain ProxyState#abort aborted}: no kernel begins any more and no op
     * goes on; one that is in a pass ends it, so memory of the user stays in use until the runtime is closed.
     *
     * @param timeout for how long nothing at all may move: not for the whole, as long as data move
     * @throws ProxyException the first failure of the runtime or a kernel, as it is told from here;
     *                        {@link ProxyResult#TIMEOUT} with what did not end, and why as far as that is known;
     *                        {@link ProxyResult#INVALID_USAGE} if the thread is interrupted, which stays so, or the
     *                        runtime is closed and kernels dropped
     */
    public void await(Duration timeout) {
        long timeoutNs = Timeouts.nanos(timeout);
        if (!isInvoker) {
            turns.claim();
        }
        try {
            turnUntilDone(timeoutNs);
        } catch (ProxyException e) {
            proxy.abort(e);
            throw verdict.apply(e);
        } finally {
            if (!isInvoker) {
                turns.release();
            }
        }
    }

    private void turnUntilDone(long timeoutNs) {
        idle.reset();
        long movedNs = System.nanoTime();
        long lastMark = mark();
        for (int turn = 1; isOutstanding(); turn++) {
            idle.idle(drive(), parker);
            if ((turn & CHECK_INTERVAL - 1) == 0) {
                long mark = mark();
                long now = System.nanoTime();
                movedNs = mark == lastMark ? movedNs : now;
                lastMark = mark;
                check(now - movedNs, timeoutNs);
            }
        }
        requireSound();
        requireFinished();
    }

    /** Of dropped kernels the ops are of no interest. */
    private boolean isOutstanding() {
        return stream.outstanding() > 0 || stream.abandoned().isEmpty() && poster.outstanding() > 0;
    }

    /** A runtime that is closed meanwhile drops kernels, and they are retired as those that have finished. */
    private void requireFinished() {
        String dropped = stream.abandoned();
        if (!dropped.isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "the runtime was closed; " + dropped);
        }
    }

    /** A pass of what this thread drives. */
    private int drive() {
        return isInvoker ? stream.doWork() + proxy.invoke() : turns.drive();
    }

    /** Changes whenever data move, by kernels or over a network. */
    private long mark() {
        return stream.moves() + stream.outstanding() + poster.outstanding()
                + proxy.counters().get(Counter.NET_BYTES_SENT) + proxy.counters().get(Counter.NET_BYTES_RECEIVED);
    }

    private void check(long standstillNs, long timeoutNs) {
        requireSound();
        if (standstillNs > timeoutNs) {
            throw new ProxyException(ProxyResult.TIMEOUT, "nothing has moved for " + timeoutNs / 1_000_000
                    + " ms" + reason() + "; waiting are " + waiting());
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "interrupted while waiting for " + stream.name());
        }
    }

    /** Behind a colon. Files that cannot be read are no reason to fail in another way. */
    private String reason() {
        try {
            String reason = why.get();
            return reason.isEmpty() ? "" : ": " + reason;
        } catch (ProxyException e) {
            return "";
        }
    }

    private void requireSound() {
        ProxyException first = proxy.asyncResult().failure();
        ProxyException why = first == null ? stream.failure() : first;
        if (why != null) {
            throw why;
        }
    }

    /** What has not ended, for people. */
    private String waiting() {
        try {
            List<String> all = proxy.await(proxy.dump(), DUMP_TIMEOUT, "dump of active ops and kernels");
            return all.isEmpty() ? "no op and no kernel" : String.join("; ", all);
        } catch (ProxyException e) {
            return "unknown, the progress thread does not answer";
        }
    }

    /** How this thread sleeps. */
    private final class Parker implements Agent {
        @Override
        public String name() {
            return stream.name();
        }

        @Override
        public int doWork() {
            return drive();
        }

        @Override
        public void park(long maxNs) {
            if (isInvoker) {
                proxy.invokeAll();
                proxy.park(maxNs);
            } else {
                Agent.super.park(maxNs);
            }
        }
    }
}
