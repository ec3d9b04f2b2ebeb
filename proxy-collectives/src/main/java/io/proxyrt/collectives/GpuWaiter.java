/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.agent.IdleStrategy;
import java.time.Duration;

/** Waits for kernels of a GPU, which works by itself, and knows nothing of peers that are gone. */
final class GpuWaiter extends StreamWaiter {
    /** What a peer stored before it left reaches a GPU's kernel sooner. */
    private static final long LAST_WORD_NS = 100_000_000;

    private final GpuLauncher launcher;
    /** When it was first seen that kernels wait in vain, since anything has moved; 0 if they do not. */
    private long hopelessNs;

    GpuWaiter(CommunicatorParts parts, GpuLauncher launcher, IdleStrategy idle) {
        super(parts, idle);
        this.launcher = launcher;
    }

    /** Until kernels are retired, or too long; says nothing of failures. */
    void drain(long deadlineNs) {
        idle.reset();
        while (outstanding() > 0 && !failure.isKnown() && streamFailure() == null
                && System.nanoTime() - deadlineNs < 0) {
            idle.idle(drive(), this);
        }
    }

    @Override
    long outstanding() {
        return launcher.outstanding();
    }

    @Override
    long moves() {
        return launcher.moves();
    }

    @Override
    ProxyException streamFailure() {
        return launcher.failure();
    }

    @Override
    void check(long nowNs, long standstillNs, Duration timeout) {
        if (standstillNs == 0) {
            hopelessNs = 0;
        }
        endHopeless(nowNs);
        super.check(nowNs, standstillNs, timeout);
    }

    /** The runtime hears of it as of any failure on its threads. */
    private void endHopeless(long nowNs) {
        ProxyException why = launcher.whyHopeless();
        if (why == null) {
            hopelessNs = 0;
        } else if (hopelessNs == 0) {
            hopelessNs = nowNs;
        } else if (nowNs - hopelessNs > LAST_WORD_NS) {
            proxy.asyncResult().fail(new ProxyException(why.result(), why.getMessage() + kernelWaits(), why));
        }
    }

    @Override
    String waiting() {
        return super.waiting() + kernelWaits();
    }

    private String kernelWaits() {
        String waits = launcher.waits();
        return waits.isEmpty() ? "" : "; kernels: " + waits;
    }
}
