/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankGroup;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.runtime.ProxyState;

/**
 * Ends a communicator when anything fails, whatever it is: kernels and ops are dropped, the other ranks are told, and
 * every later call gets the same answer. Any thread.
 */
final class FirstFailure {
    private final ProxyState proxy;
    private final Agreement agreement;
    private volatile ProxyException verdict;
    private final RankGroup group;
    /** Null if the runtime ends all there is. */
    private volatile Runnable endKernels;

    FirstFailure(ProxyState proxy, RankGroup group) {
        this.proxy = proxy;
        this.group = group;
        this.agreement = new Agreement(group, proxy.counters().job(), this::end);
    }

    RankGroup group() {
        return group;
    }

    /** What the ranks were asked for. */
    Agreement agreement() {
        return agreement;
    }

    /** Ends kernels, too, from here on, which the runtime does not. Any thread will. */
    void alsoEnd(Runnable kernels) {
        endKernels = kernels;
        if (isKnown()) {
            kernels.run();
        }
    }

    boolean isKnown() {
        return first() != null;
    }

    /** What has failed first; null if nothing has. */
    ProxyException first() {
        return proxy.asyncResult().failure();
    }

    /** Ends all that runs here. Does not block. */
    void end(ProxyException cause) {
        proxy.abort(cause);
        Runnable kernels = endKernels;
        if (kernels != null) {
            kernels.run();
        }
    }

    /** Throws the failure, if there is one. */
    void check() {
        if (isKnown()) {
            throw of(first());
        }
    }

    /** Ends all that runs here, tells the others, and says what to throw. Blocks a moment if it may be another's. */
    ProxyException of(ProxyException local) {
        if (verdict == null) {
            end(local);
            judge();
        }
        return new ProxyException(verdict.result(), verdict.getMessage(), verdict);
    }

    /** One thread judges: another one would take what that tells the others for what has failed. */
    private synchronized void judge() {
        if (verdict == null) {
            verdict = agreement.judge(first());
        }
    }
}
