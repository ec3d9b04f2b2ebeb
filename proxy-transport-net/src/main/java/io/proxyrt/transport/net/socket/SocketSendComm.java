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
 * Sends. On the control socket bytes leave in this order: what is in the staging buffer, then the rest of the message
 * {@code staged}. Headers of all messages up to that one are in the staging buffer, or were; only its last message may
 * have a rest outside. A gathering write would save the copy, but allocates for buffers that belong to an arena.
 */
final class SocketSendComm extends SocketComm implements NetSendComm {
    /** Messages up to this size are copied as a whole: one system call instead of two is worth more than the copy. */
    private static final int COPY_BYTES = 32 << 10;
    /** What is copied of larger ones, so that the receiver's first read brings more than a header. */
    private static final int FIRST_BYTES = 4 << 10;
    private static final int STAGING_BYTES = COPY_BYTES + SocketFrame.HEADER_BYTES;

    private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGING_BYTES).limit(0);
    private final MemorySegment stagingMemory = MemorySegment.ofBuffer(staging.duplicate().clear());
    private final long inlineBytes;
    private long staged;
    /** Messages up to this one have left the control socket. */
    private long flushed;
    private long restOffset;
    private long restBytes;
    private long total;

    SocketSendComm(SocketCommFactory factory, SocketChannel[] channels, SocketTerms terms, String peer) {
        super(factory, channels, terms, peer);
        this.inlineBytes = terms.sockets() == 0 ? Long.MAX_VALUE : factory.settings().sharing().inlineBytes();
    }

    @Override
    SocketStream stream(int index, SocketWire wire) {
        return new SocketSendStream(index, wire, messages);
    }

    @Override
    public long isend(NetMemory memory, long offset, long bytes, int tag) {
        boolean isIdle = flushed == posted;
        long request = post(memory, offset, bytes, tag);
        if (request > 0 && isIdle) {
            ready();
            drive(request);
            return result().isError() ? -result().code() : request;
        }
        return request;
    }

    @Override
    void progress(long request) throws IOException {
        while (complete < request) {
            boolean isMoving = push();
            isMoving |= driveStreams();
            settle();
            if (!isMoving) {
                return;
            }
        }
    }

    @Override
    int controlOps() {
        return flushed < posted ? SelectionKey.OP_WRITE : 0;
    }

    @Override
    long controlDone() {
        return flushed;
    }

    @Override
    long controlTotal() {
        return total;
    }

    @Override
    boolean isPeerInDebt() {
        return complete < posted;
    }

    /** One system call, if there is something to write. Returns whether another one would be worth it. */
    private boolean push() throws IOException {
        if (isFlushed()) {
            stage();
        }
        boolean isTaken = !isFlushed() && write();
        if (isFlushed()) {
            flushed = staged;
        }
        return isTaken;
    }

    private boolean isFlushed() {
        return restBytes == 0 && !staging.hasRemaining();
    }

    private void stage() throws IOException {
        staging.clear();
        while (staged < posted && restBytes == 0 && hasRoom(messages.sizes[SocketMessages.place(staged + 1)])) {
            stage(++staged);
        }
        staging.flip();
    }

    private boolean hasRoom(long bytes) {
        return staging.remaining() >= SocketFrame.HEADER_BYTES + stagedBytes(bytes);
    }

    private int stagedBytes(long bytes) {
        if (bytes > inlineBytes) {
            return 0;
        }
        return bytes <= COPY_BYTES ? (int) bytes : FIRST_BYTES;
    }

    private void stage(long message) throws IOException {
        int place = SocketMessages.place(message);
        long bytes = messages.sizes[place];
        boolean isInline = bytes <= inlineBytes;
        staging.putLong(SocketFrame.sizeAndFlags(bytes, isInline)).putInt(messages.tags[place]).putInt((int) message);
        if (isInline) {
            messages.inline(message);
            stage(place, stagedBytes(bytes));
        } else {
            stripe(message);
        }
    }

    private void stage(int place, int copied) {
        long offset = messages.offsets[place];
        MemorySegment.copy(messages.memories[place].segment(), offset, stagingMemory, staging.position(), copied);
        staging.position(staging.position() + copied);
        restOffset = offset + copied;
        restBytes = messages.sizes[place] - copied;
    }

    /** One system call. Returns whether the socket took all it was offered. */
    private boolean write() throws IOException {
        if (staging.hasRemaining()) {
            total += control.writeStaged(staging, stagingMemory);
            return !staging.hasRemaining();
        }
        ByteBuffer view = messages.memories[SocketMessages.place(staged)].view(0, restOffset,
                Math.min(restBytes, SocketStream.CALL_BYTES));
        int written = control.write(view);
        restOffset += written;
        restBytes -= written;
        total += written;
        return !view.hasRemaining();
    }
}
