/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.Bootstrap;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.runtime.ProxyState;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Ends a communicator when anything fails, whatever it is: kernels and ops are dropped, the other ranks are told, and
 * every later call gets the same answer. Any thread.
 */
final class FirstFailure {
    private final ProxyState proxy;
    private final Agreement agreement;
    private final AtomicReference<ProxyException> verdict = new AtomicReference<>();
    private volatile KernelLauncher launcher;

    FirstFailure(ProxyState proxy, Bootstrap bootstrap) {
        this.proxy = proxy;
        this.agreement = new Agreement(bootstrap, this::end);
    }

    /** What the ranks were asked for. */
    Agreement agreement() {
        return agreement;
    }

    /** Whose kernels end, too, from here on. */
    void kernels(KernelLauncher kernels) {
        launcher = kernels;
        if (isKnown()) {
            kernels.abort();
        }
    }

    boolean isKnown() {
        return proxy.asyncResult().failure() != null;
    }

    /** Ends all that runs here. Does not block. */
    void end(ProxyException cause) {
        proxy.abort(cause);
        KernelLauncher kernels = launcher;
        if (kernels != null) {
            kernels.abort();
        }
    }

    /** Throws the failure, if there is one. */
    void check() {
        if (isKnown()) {
            throw of(proxy.asyncResult().failure());
        }
    }

    /** Ends all that runs here, tells the others, and says what to throw. Blocks a moment if it may be another's. */
    ProxyException of(ProxyException local) {
        if (verdict.get() == null) {
            end(local);
            verdict.compareAndSet(null, agreement.judge(proxy.asyncResult().failure()));
        }
        ProxyException first = verdict.get();
        return new ProxyException(first.result(), first.getMessage(), first);
    }
}
