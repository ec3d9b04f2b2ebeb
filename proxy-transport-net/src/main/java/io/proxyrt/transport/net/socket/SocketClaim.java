/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Who may use a comm that can be resumed: its owner, call by call, or the keeper in between. Nobody waits for it: the
 * owner's calls say that nothing moved, the keeper comes again later.
 */
final class SocketClaim {
    private static final VarHandle TAKEN;

    static {
        try {
            TAKEN = MethodHandles.lookup().findVarHandle(SocketClaim.class, "taken", int.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("UnusedVariable")
    private int taken;

    /** Pairs with give(): what the other one did to the comm is seen. */
    boolean take() {
        return TAKEN.compareAndSet(this, 0, 1);
    }

    void give() {
        TAKEN.setRelease(this, 0);
    }
}
