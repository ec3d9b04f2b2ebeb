/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.IdleStrategy;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.runtime.ProxyState;
import java.time.Duration;
import java.util.List;

/**
 * Waits for the stream and for the ops, and does the work that is the caller's meanwhile: in INVOKER mode all there is.
 * It ends with an error when a rank fails, or when nothing at all has moved for too long. Allocates nothing unless it
 * fails.
 */
abstract sealed class StreamWaiter implements Agent permits HostWaiter, GpuWaiter {
    private static final Duration DUMP_TIMEOUT = Duration.ofSeconds(1);
    private static final int CHECK_INTERVAL = 256;
    /** Between two looks of the control agents', which cost system calls. */
    private static final long CONTROL_INTERVAL_NS = 1_000_000;

    final ProxyState proxy;
    final FirstFailure failure;
    IdleStrategy idle;
    final boolean isInvoker;
    private final Agreement agreement;
    private final LanePoster poster;
    private final Lanes lanes;
    private final String name;
    private final StallWatch stall;
    private final Standstill standstill = new Standstill();
    private long controlledNs;

    StreamWaiter(CommunicatorParts parts, IdleStrategy idle) {
        this.failure = parts.failure;
        this.agreement = failure.agreement();
        this.proxy = parts.proxy;
        this.poster = parts.poster;
        this.lanes = parts.lanes;
        this.idle = idle;
        this.isInvoker = proxy.isInvoker();
        this.name = parts.setup.group().self();
        this.stall = StallWatch.of(proxy.config(), name, parts.diagnosis, agreement);
    }

    /** Waits in another way from here on. */
    void idle(IdleStrategy other) {
        idle = other;
    }

    /** Why nothing moves, if that lasts. */
    StallWatch stall() {
        return stall;
    }

    /** Kernels that were launched and are not retired. */
    abstract long outstanding();

    /** Changes whenever kernels move data. */
    abstract long moves();

    /** Why a kernel gave up; null if none did. */
    abstract ProxyException streamFailure();

    /** A wait begins that may take long: until {@link #end} the calling thread may do the stream's work. */
    void begin() {
    }

    /** The wait is over, whatever it came to. */
    void end() {
    }

    /** One round of work, if it is this thread that does it. */
    int drive() {
        return isInvoker && (poster.outstanding() > 0 || lanes.isAnyOutstanding()) ? proxy.invoke() : 0;
    }

    /** What was noted last is launched. */
    void launched() {
        agreement.launched();
    }

    /** Without ops of this rank nothing else drives its proxy, and its service may have requests of other ranks. */
    private void driveControl(long nowNs) {
        if (isInvoker && nowNs - controlledNs >= CONTROL_INTERVAL_NS) {
            controlledNs = nowNs;
            proxy.invokeAll();
        }
    }

    /** Until kernels are retired and ops ended. */
    void await(Duration timeout) {
        await(0, true, timeout);
        failure.check();
        requireSoundStream();
        agreement.finished();
    }

    /** Until kernels are retired; ops may be left, such as those of one that gave up. */
    void awaitKernels(Duration timeout) {
        await(0, false, timeout);
    }

    /** Until fewer than {@code kernels} are outstanding. A caller that only launches learns here of a failed job. */
    void awaitKernel(int kernels, Duration timeout) {
        failure.check();
        if (outstanding() >= kernels) {
            await(kernels - 1, kernels == 1, timeout);
        }
    }

    @Override
    public String name() {
        return name;
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

    private void await(int kernels, boolean alsoOps, Duration timeout) {
        begin();
        try {
            turnUntil(kernels, alsoOps, timeout);
        } finally {
            end();
        }
    }

    private void turnUntil(int kernels, boolean alsoOps, Duration timeout) {
        idle.reset();
        standstill.begin();
        for (int turn = 0; !isOver(kernels, alsoOps); turn++) {
            int moved = drive();
            idle.idle(moved, this);
            if ((turn & CHECK_INTERVAL - 1) == 0) {
                look(standstill, timeout);
                driveControl(System.nanoTime());
            }
        }
    }

    /** For how long nothing has moved, as one thread sees it. */
    static final class Standstill {
        private long mark;
        private long sinceNs;
        private boolean isBegun;

        /** Begins to look. */
        void begin() {
            isBegun = false;
        }

        private long ns(long newMark, long nowNs) {
            if (!isBegun || mark != newMark) {
                isBegun = true;
                mark = newMark;
                sinceNs = nowNs;
            }
            return nowNs - sinceNs;
        }
    }

    /** Throws if all is in vain, or nothing has moved for that long. */
    final void look(Standstill seen, Duration timeout) {
        long now = System.nanoTime();
        check(now, seen.ns(progressMark(), now), timeout);
    }

    private boolean isOver(int kernels, boolean alsoOps) {
        return outstanding() <= kernels && (!alsoOps || poster.outstanding() == 0);
    }

    /** Changes whenever data move, by kernels or by bytes of the network: a large transfer is no standstill. */
    private long progressMark() {
        return moves() + outstanding() + poster.outstanding()
                + proxy.counters().get(Counter.NET_BYTES_SENT)
                + proxy.counters().get(Counter.NET_BYTES_RECEIVED);
    }

    private void requireSoundStream() {
        ProxyException why = streamFailure();
        if (why != null) {
            throw failure.of(why);
        }
    }

    /** Throws if all is in vain; nothing has moved for that long. */
    void check(long nowNs, long standstillNs, Duration timeout) {
        failure.check();
        requireSoundStream();
        agreement.waits(nowNs - standstillNs);
        agreement.standsStill(Math.max(1, outstanding()), standstillNs);
        if (standstillNs > timeout.toNanos()) {
            throw failure.of(new ProxyException(ProxyResult.TIMEOUT, name + ": nothing has moved for "
                    + timeout.toMillis() + " ms" + stall.why() + "; waiting are " + waiting() + agreement.others()));
        }
        ProxyException stuck = stall.look(standstillNs);
        if (stuck != null) {
            throw failure.of(stuck);
        }
        if (Thread.currentThread().isInterrupted()) {
            throw failure.of(new ProxyException(ProxyResult.INVALID_USAGE,
                    name + ": interrupted while waiting for the stream"));
        }
    }

    /** What has not ended, for people. */
    String waiting() {
        try {
            List<String> ops = proxy.await(proxy.dump(), DUMP_TIMEOUT, "dump of active ops and kernels");
            return ops.isEmpty() ? "no op and no kernel of the host" : String.join("; ", ops);
        } catch (ProxyException e) {
            return "unknown, the progress thread does not answer";
        }
    }
}
