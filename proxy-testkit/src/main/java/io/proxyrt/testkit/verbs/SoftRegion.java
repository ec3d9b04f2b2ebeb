/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import io.proxyrt.core.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;

/** Memory that is registered with a {@link SoftDomain}. */
final class SoftRegion implements MemoryRegion {
    private final SoftDomain domain;
    private final MemorySegment memory;
    private final int access;
    private final int index;
    private boolean isClosed;

    SoftRegion(SoftDomain domain, MemorySegment memory, int access) {
        this.domain = domain;
        this.memory = memory;
        this.access = access;
        this.index = domain.context().softDevice().add(this);
    }

    @Override
    public int lkey() {
        return SoftDevice.localKey(index);
    }

    @Override
    public int rkey() {
        return SoftDevice.remoteKey(index);
    }

    /** Whether a queue pair of some domain may use a piece of it. Memory that its owner has freed is not. */
    boolean permits(SoftDomain user, int wanted, long address, long bytes) {
        long offset = address - memory.address();
        return user == domain && (access & wanted) == wanted && offset >= 0 && bytes <= memory.byteSize() - offset
                && memory.scope().isAlive();
    }

    @Override
    public void close() {
        synchronized (domain.context().softDevice().fabric()) {
            if (!isClosed) {
                isClosed = true;
                domain.context().softDevice().remove(index);
                domain.leave();
            }
        }
    }
}
