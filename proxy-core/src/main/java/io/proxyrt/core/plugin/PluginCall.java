/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;

/** A call of a plug-in on a thread of its own, and what is to be done once it has returned. */
class PluginCall extends FutureTask<Long> {
    /** Null if nothing is to be done, or it is being done. */
    private final AtomicReference<Runnable> sequel = new AtomicReference<>();

    /** The call gives a comm, or 0. */
    PluginCall(Callable<Long> call) {
        super(call);
    }

    /** Runs something once the call has returned, on its thread unless it has already. */
    final void whenOver(Runnable next) {
        sequel.set(next);
        if (state() != State.RUNNING) {
            runSequel();
        }
    }

    @Override
    protected final void done() {
        runSequel();
    }

    private void runSequel() {
        Runnable next = sequel.getAndSet(null);
        if (next != null) {
            next.run();
        }
    }
}
