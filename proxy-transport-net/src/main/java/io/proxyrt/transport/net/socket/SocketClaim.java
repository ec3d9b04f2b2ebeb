/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Says which thread may use a comm that can be resumed: its owner, call by call, or the keeper, when it was not used
 * for a while. The keeper has it for a few system calls, none of which blocks. Any other comm is its owner's alone.
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

    private final boolean isShared;
    @SuppressWarnings("UnusedVariable")
    private int taken;
    /**
     * How often the owner had it. The keeper may see an older number: then it looks after the comm later, or once more.
     */
    private int uses;
    private int usesSeen;

    SocketClaim(boolean isShared) {
        this.isShared = isShared;
    }

    /**
     * For the owner: gets it at once, unless the keeper has it. Pairs with give(): what was done to the comm is seen.
     */
    void take() {
        if (isShared) {
            uses++;
            takeForALook();
        }
    }

    /** Takes it without counting as a use: the sockets are not served, so the keeper still has to look at them. */
    void takeForALook() {
        while (isShared && !TAKEN.compareAndSet(this, 0, 1)) {
            Thread.yield();
        }
    }

    /** For the keeper: takes it if it is free, and was not used since the last call, or has to be looked at. */
    boolean takeUnused(boolean isUrgent) {
        int now = uses;
        boolean isUnused = now == usesSeen;
        usesSeen = now;
        return (isUnused || isUrgent) && TAKEN.compareAndSet(this, 0, 1);
    }

    void give() {
        if (isShared) {
            TAKEN.setRelease(this, 0);
        }
    }
}
