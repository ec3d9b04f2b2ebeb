/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.ForwardingMemory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A hold on memory of this process that several have: it is freed with the last of them. Any thread. */
final class SharedMemory extends ForwardingMemory {
    private final AtomicInteger holds;
    private final AtomicBoolean wasShared;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private SharedMemory(DeviceMemory memory, AtomicInteger holds, AtomicBoolean wasShared) {
        super(memory);
        this.holds = holds;
        this.wasShared = wasShared;
    }

    /** The first hold. */
    static SharedMemory of(DeviceMemory memory) {
        return new SharedMemory(memory, new AtomicInteger(1), new AtomicBoolean());
    }

    /** One more. */
    SharedMemory share() {
        int seen;
        do {
            seen = holds.get();
            if (seen == 0) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, this + " was freed");
            }
        } while (!holds.compareAndSet(seen, seen + 1));
        wasShared.set(true);
        return new SharedMemory(memory(), holds, wasShared);
    }

    /** Whether there has been more than one hold. */
    boolean isShared() {
        return wasShared.get();
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true) && holds.decrementAndGet() == 0) {
            super.close();
        }
    }
}
