/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * Sends. Bytes leave in this order: what is in the staging buffer, then the rest of the message {@code staged}. Headers
 * of all messages up to that one are in the staging buffer, or were; only its last message may have a rest outside. A
 * gathering write would save the copy, but allocates for buffers that belong to an arena.
 */
final class SocketSendComm extends SocketComm implements NetSendComm {
    /** Messages up to this size are copied as a whole: one system call instead of two is worth more than the copy. */
    private static final int COPY_BYTES = 32 << 10;
    /** What is copied of larger ones, so that the receiver's first read brings more than a header. */
    private static final int FIRST_BYTES = 4 << 10;
    private static final int STAGING_BYTES = COPY_BYTES + SocketFrame.HEADER_BYTES;
    /** Bounds the time that one system call may take. */
    private static final int WRITE_BYTES = 1 << 20;

    private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGING_BYTES).limit(0);
    private final MemorySegment stagingMemory = MemorySegment.ofBuffer(staging.duplicate().clear());
    private long staged;
    private long restOffset;
    private long restBytes;

    SocketSendComm(SocketChannel channel, String peer, SocketReadiness readiness) {
        super(channel, peer, readiness, SelectionKey.OP_WRITE);
    }

    @Override
    public long isend(NetMemory memory, long offset, long bytes, int tag) {
        boolean isIdle = complete == posted;
        long request = post(memory, offset, bytes, tag);
        if (request > 0 && isIdle) {
            drive(request);
            return result().isError() ? -result().code() : request;
        }
        return request;
    }

    @Override
    void progress(long request) throws IOException {
        while (complete < request) {
            if (isFlushed()) {
                stage();
            }
            boolean isSocketFull = !write();
            if (isFlushed()) {
                complete = staged;
            }
            if (isSocketFull) {
                return;
            }
        }
    }

    private boolean isFlushed() {
        return restBytes == 0 && !staging.hasRemaining();
    }

    private void stage() {
        staging.clear();
        while (staged < posted && restBytes == 0 && hasRoom(sizes[place(staged + 1)])) {
            stage(++staged);
        }
        staging.flip();
    }

    private boolean hasRoom(long bytes) {
        return staging.remaining() >= SocketFrame.HEADER_BYTES + stagedBytes(bytes);
    }

    private static int stagedBytes(long bytes) {
        return bytes <= COPY_BYTES ? (int) bytes : FIRST_BYTES;
    }

    private void stage(long request) {
        int place = place(request);
        int copied = stagedBytes(sizes[place]);
        staging.putLong(sizes[place]).putInt(tags[place]).putInt((int) request);
        MemorySegment.copy(memories[place].segment(), offsets[place], stagingMemory, staging.position(), copied);
        staging.position(staging.position() + copied);
        restOffset = offsets[place] + copied;
        restBytes = sizes[place] - copied;
    }

    /** One system call. Returns whether the socket took all it was offered. */
    private boolean write() throws IOException {
        if (staging.hasRemaining()) {
            channel.write(staging);
            return !staging.hasRemaining();
        }
        ByteBuffer view = memories[place(staged)].view(restOffset, Math.min(restBytes, WRITE_BYTES));
        int written = channel.write(view);
        restOffset += written;
        restBytes -= written;
        return !view.hasRemaining();
    }
}
