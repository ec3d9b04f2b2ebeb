/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetMemory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Registered memory: the segment, and buffers over it for the system calls, so that none is made for a message. A
 * buffer has a position, so each socket of the comm has buffers of its own: its thread alone touches them.
 */
final class SocketMemory implements NetMemory {
    private static final int VIEW_SHIFT = 30;
    private static final long VIEW_BYTES = 1L << VIEW_SHIFT;

    private final MemorySegment segment;
    private final SocketMessages messages;
    private final ByteBuffer[][] views;
    private boolean isClosed;

    private SocketMemory(MemorySegment segment, SocketMessages messages, ByteBuffer[][] views) {
        this.segment = segment;
        this.messages = messages;
        this.views = views;
    }

    /** Memory for a comm of {@code sockets} sockets, the control socket included. */
    static SocketMemory of(MemorySegment segment, SocketMessages messages, int sockets) {
        if (!segment.isNative()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "memory on the Java heap cannot be registered");
        }
        if (!segment.scope().isAlive()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "memory that was freed cannot be registered");
        }
        int count = (int) ((segment.byteSize() + VIEW_BYTES - 1) >> VIEW_SHIFT);
        ByteBuffer[][] views = new ByteBuffer[sockets][count];
        for (ByteBuffer[] ofSocket : views) {
            for (int i = 0; i < count; i++) {
                long offset = (long) i << VIEW_SHIFT;
                ofSocket[i] = segment.asSlice(offset, Math.min(VIEW_BYTES, segment.byteSize() - offset)).asByteBuffer();
            }
        }
        return new SocketMemory(segment, messages, views);
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    /** Two comms that used the same buffers, each with helper threads, would move each other's positions. */
    boolean isFor(SocketMessages user) {
        return messages == user;
    }

    /** Whether it is still registered, and its owner has not freed it. */
    boolean isUsable() {
        return !isClosed && segment.scope().isAlive();
    }

    /**
     * A socket's buffer from offset on, of at most this many bytes: fewer at the end of a view. Valid until the
     * socket's next call.
     */
    ByteBuffer view(int socket, long offset, long bytes) {
        ByteBuffer view = views[socket][(int) (offset >> VIEW_SHIFT)];
        int position = (int) (offset & VIEW_BYTES - 1);
        return view.limit(position + (int) Math.min(bytes, view.capacity() - position)).position(position);
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
