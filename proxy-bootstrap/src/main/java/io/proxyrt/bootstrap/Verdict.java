/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import java.time.Duration;

/**
 * Finds out who is to blame for a failure: a neighbour's broken connection is often only the consequence of a third
 * rank's death, which the bootstrap learns a moment later.
 */
final class Verdict {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    /** Where a rank has left, that is the likely reason, and the bootstrap says no more of it. */
    private static final Duration GONE_TIMEOUT = Duration.ofMillis(300);
    private static final long POLL_NS = 1_000_000;

    private Verdict() {
    }

    /**
     * Blocks a moment if the failure may be another rank's. Tells the others, unless they know. If this rank saw a
     * peer die or leave, its own finding counts. Self says who tells it.
     */
    static ProxyException of(Bootstrap bootstrap, String self, ProxyException local) {
        long startNs = System.nanoTime();
        boolean isKnown = local.culprit().isPresent();
        boolean mayBeOther = local.result() == ProxyResult.REMOTE_ERROR && !isKnown;
        while (mayBeOther && bootstrap.failure().isEmpty() && System.nanoTime() - startNs
                < (bootstrap.isAnyGone() ? GONE_TIMEOUT : TIMEOUT).toNanos()) {
            Uninterruptibly.parkNanos(POLL_NS);
        }
        ProxyException verdict = isKnown ? null : bootstrap.failure().orElse(null);
        if (verdict == null) {
            bootstrap.abort(local.getMessage());
            verdict = local;
        }
        String message = verdict.getMessage();
        return new ProxyException(verdict.result(), message.startsWith(self) ? message : self + message,
                local);
    }
}
