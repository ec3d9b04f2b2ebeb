/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Park and unpark for contenders that have no blocking call of their own. */
final class Sleeper {
    private final boolean isUsed;
    private volatile Thread thread;
    private volatile boolean isStopped;

    Sleeper(boolean isUsed) {
        this.isUsed = isUsed;
    }

    /** After a post; costs nothing where the consumer does not park. */
    void posted() {
        if (isUsed) {
            // The post must be visible before this load of thread; pairs with the volatile store in await.
            VarHandle.fullFence();
            wake();
        }
    }

    void await(BooleanSupplier isEmpty) {
        thread = Thread.currentThread();
        if (isEmpty.getAsBoolean() && !isStopped) {
            LockSupport.park(this);
        }
        thread = null;
    }

    void stop() {
        isStopped = true;
        wake();
    }

    private void wake() {
        Thread sleeping = thread;
        if (sleeping != null) {
            thread = null;
            LockSupport.unpark(sleeping);
        }
    }
}
