/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.platform.Futex;
import io.proxyrt.core.platform.Platform;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A word in the mapped file: AWAKE, ARMED, or RUNG. With a futex on it a ring is heard across processes; without, the
 * consumer parks as any Java thread, its own process unparks it, and another one leaves RUNG for the next look.
 *
 * <p>Where the system has a barrier that the consumer can make all of its process's threads pass, posters need no fence
 * of their own: the consumer pays when it goes to sleep, which is seldom and dear already, and a post is one store and
 * one load. Posters in other processes keep theirs.
 */
final class MappedDoorbell implements Doorbell {
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();
    private static final int AWAKE = 0;
    private static final int ARMED = 1;
    private static final int RUNG = 2;
    private static final long OFFSET = OpsPoolDescriptor.DOORBELL_OFFSET;

    private final MemorySegment memory;
    private Futex futex;
    private final Runnable barrier;
    private Runnable wakeup = () -> LockSupport.unpark(this.sleeper);
    private volatile Thread sleeper;

    /** Futex and barrier may be null. */
    MappedDoorbell(MemorySegment memory, Futex futex, Runnable barrier) {
        this.memory = memory;
        this.futex = futex;
        this.barrier = barrier;
    }

    /** A doorbell as the consumer and the posters of its process use it. */
    static MappedDoorbell ofProxy(MemorySegment memory, Platform platform) {
        return new MappedDoorbell(memory, futex(memory, platform), platform.processBarrier().orElse(null));
    }

    /** A doorbell as posters of another process use it. */
    static MappedDoorbell ofPoster(MemorySegment memory, Platform platform) {
        return new MappedDoorbell(memory, futex(memory, platform), null);
    }

    private static Futex futex(MemorySegment memory, Platform platform) {
        return platform.whyNot().isEmpty() ? platform.futex(memory.asSlice(OFFSET, Integer.BYTES)) : null;
    }

    @Override
    public boolean arm() {
        sleeper = Thread.currentThread();
        // Volatile, so a full fence before the consumer's last look; pairs with the fence in ringIfArmed.
        if (!(boolean) INT.compareAndSet(memory, OFFSET, AWAKE, ARMED)) {
            disarm();
            return false;
        }
        if (barrier != null) {
            barrier.run();
        }
        return true;
    }

    @Override
    public void sleep(long maxNs) {
        if (futex != null) {
            futex.await(ARMED, maxNs);
        } else if ((int) INT.getAcquire(memory, OFFSET) == ARMED) {
            LockSupport.parkNanos(this, maxNs);
        }
    }

    @Override
    public void disarm() {
        INT.setVolatile(memory, OFFSET, AWAKE);
    }

    @Override
    public void ring() {
        if ((int) INT.getAndSet(memory, OFFSET, RUNG) == ARMED) {
            wake();
        }
    }

    @Override
    public void ringIfArmed() {
        // The store of what was posted must be visible before this load; pairs with the compare-and-set in arm, or
        // with the barrier there. A compiler keeps a release store and an opaque load of off-heap memory in order.
        if (barrier == null) {
            VarHandle.fullFence();
        }
        if ((int) INT.getOpaque(memory, OFFSET) == ARMED) {
            ring();
        }
    }

    @Override
    public void wakeBy(Runnable otherWakeup) {
        futex = null;
        wakeup = otherWakeup;
    }

    @Override
    public boolean isHeardAcrossProcesses() {
        return futex != null;
    }

    private void wake() {
        if (futex != null) {
            futex.wake();
        } else {
            wakeup.run();
        }
    }
}
