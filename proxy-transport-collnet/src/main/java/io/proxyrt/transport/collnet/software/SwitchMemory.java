/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Registered memory: the segment, and buffers over it for the system calls, so that none is made for a call. */
final class SwitchMemory implements CollNetMemory {
    private static final int VIEW_SHIFT = 30;
    private static final long VIEW_BYTES = 1L << VIEW_SHIFT;

    private final MemorySegment segment;
    private final SwitchRequests user;
    private final ByteBuffer[] views;
    private volatile boolean isClosed;

    /** Memory for the comm that has these requests. */
    SwitchMemory(MemorySegment segment, SwitchRequests user) {
        if (!segment.isNative()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "memory on the Java heap cannot be registered");
        }
        if (segment.isReadOnly()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "memory that is read-only cannot be registered");
        }
        if (!segment.scope().isAlive()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "memory that was freed cannot be registered");
        }
        this.segment = segment;
        this.user = user;
        this.views = new ByteBuffer[(int) (segment.byteSize() + VIEW_BYTES - 1 >> VIEW_SHIFT)];
        for (int i = 0; i < views.length; i++) {
            long offset = (long) i << VIEW_SHIFT;
            views[i] = segment.asSlice(offset, Math.min(VIEW_BYTES, segment.byteSize() - offset)).asByteBuffer();
        }
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    boolean isFor(SwitchRequests requests) {
        return user == requests;
    }

    /** Whether it is still registered, and its owner has not freed it. */
    boolean isUsable() {
        return !isClosed && segment.scope().isAlive();
    }

    boolean has(long offset, long bytes) {
        return (offset | bytes) >= 0 && offset <= segment.byteSize() - bytes;
    }

    /** A buffer from offset on, of at most so many bytes: fewer at the end of a view. Valid until the next one. */
    ByteBuffer view(long offset, long bytes) {
        ByteBuffer view = views[(int) (offset >> VIEW_SHIFT)];
        int position = (int) (offset & VIEW_BYTES - 1);
        return view.limit(position + (int) Math.min(bytes, view.capacity() - position)).position(position);
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
