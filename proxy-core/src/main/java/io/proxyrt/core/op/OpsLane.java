/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** The words of one lane, as {@link OpsPoolDescriptor} lays them out. */
final class OpsLane {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final MemorySegment memory;
    private final int index;
    private final int capacity;

    OpsLane(MemorySegment pool, int index, int capacity) {
        this.memory = pool.asSlice(OpsPoolDescriptor.laneOffset(index, capacity),
                OpsPoolDescriptor.laneBytes(capacity));
        this.index = index;
        this.capacity = capacity;
    }

    int index() {
        return index;
    }

    int capacity() {
        return capacity;
    }

    ProxyOp op(ProxyOp view, long position) {
        return view.wrap(memory, slot(position));
    }

    ProxyOpEncoder op(ProxyOpEncoder view, long position, long opCount) {
        return view.wrap(memory, slot(position), opCount);
    }

    /** Acquire; pairs with {@link #posted(long)}: the ops below are complete. */
    long posted() {
        return (long) LONG.getAcquire(memory, OpsPoolDescriptor.POSTED_OFFSET);
    }

    void posted(long position) {
        LONG.setRelease(memory, OpsPoolDescriptor.POSTED_OFFSET, position);
    }

    /** Acquire; for audits: the consumer knows it without looking. */
    long fetched() {
        return (long) LONG.getAcquire(memory, OpsPoolDescriptor.FETCHED_OFFSET);
    }

    void fetched(long position) {
        LONG.setRelease(memory, OpsPoolDescriptor.FETCHED_OFFSET, position);
    }

    /** Acquire; pairs with {@link #completed(long)}: the consumer's reads of those slots happened before. */
    long completed() {
        return (long) LONG.getAcquire(memory, OpsPoolDescriptor.COMPLETED_OFFSET);
    }

    void completed(long count) {
        LONG.setRelease(memory, OpsPoolDescriptor.COMPLETED_OFFSET, count);
    }

    boolean claim(long pid) {
        return LONG.compareAndSet(memory, OpsPoolDescriptor.OWNER_OFFSET, 0L, pid);
    }

    void release() {
        LONG.setVolatile(memory, OpsPoolDescriptor.OWNER_OFFSET, 0L);
    }

    private long slot(long position) {
        return OpsPoolDescriptor.SLOTS_OFFSET + (position & capacity - 1) * ProxyOpDescriptor.BYTES;
    }
}
