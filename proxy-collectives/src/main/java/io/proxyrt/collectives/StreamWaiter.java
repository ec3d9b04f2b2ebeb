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
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.runtime.ProxyState;
import java.time.Duration;
import java.util.List;

/**
 * Waits for the stream and for the ops, and does their work in INVOKER mode. It ends with an error when a rank fails,
 * or when nothing at all has moved for too long. Allocates nothing unless it fails.
 */
final class StreamWaiter implements Agent {
    private static final Duration DUMP_TIMEOUT = Duration.ofSeconds(1);
    private static final int CHECK_INTERVAL = 256;
    /** Between two looks of the control agents', which cost system calls. */
    private static final long CONTROL_INTERVAL_NS = 1_000_000;

    /** What a peer stored before it left reaches a GPU's kernel sooner. */
    private static final long LAST_WORD_NS = 100_000_000;

    private final ProxyState proxy;
    private final Agreement agreement;
    private final KernelLauncher stream;
    private final OpsPoster poster;
    private final FirstFailure failure;
    private final IdleStrategy idle;
    private final String name;
    private final boolean isInvoker;
    private long controlledNs;
    /** When it was first seen that kernels wait in vain, since anything has moved; 0 if they do not. */
    private long hopelessNs;

    StreamWaiter(ProxyState proxy, KernelLauncher stream, OpsPoster poster, FirstFailure failure, IdleStrategy idle) {
        this.failure = failure;
        this.agreement = failure.agreement();
        this.proxy = proxy;
        this.stream = stream;
        this.poster = poster;
        this.idle = idle;
        this.isInvoker = proxy.isInvoker();
        this.name = "rank " + proxy.rank();
    }

    /** One round of work, if it is this thread that does it. */
    int drive() {
        return isInvoker ? stream.doWork() + (poster.outstanding() > 0 ? proxy.invoke() : 0) : 0;
    }

    /** A kernel begins when it is launched, also where the caller's thread runs it: what it sends is on its way. */
    void driveKernels() {
        agreement.launched();
        if (isInvoker) {
            stream.doWork();
        }
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
        await(0, timeout);
        failure.check();
        requireSoundStream();
    }

    /** Until fewer than {@code kernels} are outstanding. A caller that only launches learns here of a failed job. */
    void awaitKernel(int kernels, Duration timeout) {
        failure.check();
        if (stream.outstanding() >= kernels) {
            await(kernels - 1, timeout);
        }
    }

    /** Until kernels are retired, or too long; says nothing of failures. */
    void drain(long deadlineNs) {
        idle.reset();
        while (stream.outstanding() > 0 && !failure.isKnown() && stream.failure() == null
                && System.nanoTime() - deadlineNs < 0) {
            idle.idle(drive(), this);
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

    private void await(int kernels, Duration timeout) {
        idle.reset();
        long lastMoveNs = 0;
        long lastLeft = -1;
        for (int turn = 0; !isBelow(kernels); turn++) {
            int moved = drive();
            idle.idle(moved, this);
            if ((turn & CHECK_INTERVAL - 1) == 0) {
                long left = progressMark();
                long now = System.nanoTime();
                if (lastLeft != left || lastMoveNs == 0) {
                    lastLeft = left;
                    lastMoveNs = now;
                    hopelessNs = 0;
                }
                endHopeless(now);
                check(now - lastMoveNs, timeout);
                driveControl(now);
            }
        }
    }

    /** The runtime hears of it as of any failure on its threads. */
    private void endHopeless(long nowNs) {
        ProxyException why = stream.whyHopeless();
        if (why == null) {
            hopelessNs = 0;
        } else if (hopelessNs == 0) {
            hopelessNs = nowNs;
        } else if (nowNs - hopelessNs > LAST_WORD_NS) {
            proxy.asyncResult().fail(new ProxyException(why.result(), why.getMessage() + kernelWaits(), why));
        }
    }

    private boolean isBelow(int kernels) {
        return stream.outstanding() <= kernels && (kernels > 0 || poster.outstanding() == 0);
    }

    /** Changes whenever data move, by kernels or by bytes of the network: a large transfer is no standstill. */
    private long progressMark() {
        return stream.moves() + stream.outstanding() + poster.outstanding()
                + proxy.counters().get(Counter.NET_BYTES_SENT)
                + proxy.counters().get(Counter.NET_BYTES_RECEIVED);
    }

    private void requireSoundStream() {
        ProxyException why = stream.failure();
        if (why != null) {
            throw failure.of(why);
        }
    }

    private void check(long standstillNs, Duration timeout) {
        failure.check();
        requireSoundStream();
        agreement.standsStill(Math.max(1, stream.outstanding()), standstillNs);
        if (standstillNs > timeout.toNanos()) {
            throw failure.of(new ProxyException(ProxyResult.TIMEOUT, name + ": nothing has moved for "
                    + timeout.toMillis() + " ms; waiting are " + activeOps() + kernelWaits() + agreement.others()));
        }
        if (Thread.currentThread().isInterrupted()) {
            throw failure.of(new ProxyException(ProxyResult.INVALID_USAGE,
                    name + ": interrupted while waiting for the stream"));
        }
    }

    private String kernelWaits() {
        String waits = stream.waits();
        return waits.isEmpty() ? "" : "; kernels: " + waits;
    }

    private String activeOps() {
        try {
            List<String> ops = proxy.await(proxy.dump(), DUMP_TIMEOUT, "dump of active ops and kernels");
            return ops.isEmpty() ? "no op and no kernel of the host" : String.join("; ", ops);
        } catch (ProxyException e) {
            return "unknown, the progress thread does not answer";
        }
    }
}
