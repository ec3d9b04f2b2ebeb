/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The first failure, and who wants to hear of it: each listener once, whether it came before or after. Thread-safe. */
final class FailureCell {
    private final List<Consumer<ProxyException>> listeners = new ArrayList<>();
    private ProxyException failure;
    private boolean isOwn;

    /** Takes a failure of another rank; false when there was one before. Calls no listener yet. */
    synchronized boolean fail(ProxyException e) {
        if (failure != null) {
            return false;
        }
        failure = e;
        return true;
    }

    /** Takes a failure that this rank itself declared, of which no listener hears. */
    synchronized boolean failOwn(ProxyException e) {
        if (!fail(e)) {
            return false;
        }
        isOwn = true;
        listeners.clear();
        return true;
    }

    /** Tells those who have registered so far, in the calling thread. */
    void tell() {
        final List<Consumer<ProxyException>> now;
        final ProxyException e;
        synchronized (this) {
            now = List.copyOf(listeners);
            listeners.clear();
            e = failure;
        }
        now.forEach(listener -> tell(listener, e));
    }

    /** Registers a listener; when the failure is known already, tells it in the calling thread. */
    void onFailure(Consumer<ProxyException> listener) {
        final ProxyException known;
        synchronized (this) {
            known = isOwn ? null : failure;
            if (failure == null) {
                listeners.add(listener);
            }
        }
        if (known != null) {
            tell(listener, known);
        }
    }

    private static void tell(Consumer<ProxyException> listener, ProxyException e) {
        try {
            listener.accept(e);
        } catch (RuntimeException bug) {
            BootstrapRoot.LOG.error("a listener for failures failed itself", bug);
        }
    }

    synchronized Optional<ProxyException> failure() {
        return Optional.ofNullable(failure);
    }
}
