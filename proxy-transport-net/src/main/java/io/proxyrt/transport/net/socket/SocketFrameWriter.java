/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Writes messages to a control socket. Bytes leave in this order: what is in the staging buffer, then the rest of the
 * message {@code staged}. Headers of all messages up to that one are in the staging buffer, or were; only its last
 * message may have a rest outside, which leaves with what is staged where the platform can do that in one call. The
 * JDK's gathering write allocates for buffers that belong to an arena; without the platform more is copied instead.
 */
final class SocketFrameWriter {
    /** Messages up to this size are copied as a whole: one system call instead of two is worth more than the copy. */
    private static final int COPY_BYTES = 32 << 10;
    /** The same where one call takes what is staged and the rest as well. */
    private static final int GATHERED_BYTES = 4 << 10;
    /** What is copied of larger ones, so that the receiver's first read brings more than a header. */
    private static final int FIRST_BYTES = 4 << 10;

    private final SocketWire wire;
    private final SocketRequests requests;
    private final SocketMessages messages;
    private final SocketStreams streams;
    private final SocketChecksum checksum;
    private final ByteBuffer staging = ByteBuffer.allocateDirect(COPY_BYTES + SocketFrame.HEADER_BYTES).limit(0);
    private final MemorySegment stagingMemory = MemorySegment.ofBuffer(staging.duplicate().clear());
    private final long inlineBytes;
    private long staged;
    private long flushed;
    /** Messages up to this one were made known to the data sockets. */
    private long announced;
    /** Bytes of the next message to be staged that the receiver has already. */
    private long kept;
    private long restOffset;
    private long restBytes;
    private long total;

    /** Over a connected socket, which stays the caller's; messages of more than so many bytes go to the streams. */
    SocketFrameWriter(SocketWire wire, SocketRequests requests, SocketStreams streams, boolean isChecked,
            long inlineBytes) {
        this.wire = wire;
        this.requests = requests;
        this.messages = requests.messages;
        this.streams = streams;
        this.checksum = isChecked ? new SocketChecksum() : null;
        this.inlineBytes = inlineBytes;
    }

    /** Messages up to this one are written, or under way. */
    long staged() {
        return staged;
    }

    /** Messages up to this one are written. */
    long flushed() {
        return flushed;
    }

    /** Bytes written so far. */
    long total() {
        return total;
    }

    /** One system call, if there is something to write. Returns whether another one would be worth it. */
    boolean push() throws IOException {
        if (isFlushed()) {
            stage();
        }
        boolean isTaken = !isFlushed() && write();
        if (isFlushed()) {
            flushed = staged;
        }
        return isTaken;
    }

    /** Writes that no message follows, if none is under way. */
    void writeGoodbye() throws IOException {
        if (isFlushed()) {
            staging.clear();
            staging.putLong(SocketFrame.goodbye());
            wire.write(staging.position(SocketFrame.HEADER_BYTES).flip());
        }
    }

    /** Whether the receiver can be there, as it says. */
    boolean isWithin(SocketCursor cursor) {
        return cursor.at <= staged + 1 && cursor.moved >= 0
                && cursor.moved <= (cursor.at <= staged ? size(cursor.at) : 0);
    }

    /** Goes on where the receiver is, on another socket. */
    void resume(SocketCursor cursor) {
        staged = cursor.at - 1;
        flushed = staged;
        kept = cursor.moved;
        restBytes = 0;
        staging.clear().limit(0);
    }

    private long size(long message) {
        return messages.sizes[SocketMessages.place(message)];
    }

    private boolean isFlushed() {
        return restBytes == 0 && !staging.hasRemaining();
    }

    private void stage() throws IOException {
        staging.clear();
        while (staged < requests.posted() && restBytes == 0 && hasRoom(size(staged + 1))) {
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
        if (wire.isGathering()) {
            return bytes <= GATHERED_BYTES ? (int) bytes : 0;
        }
        return bytes <= COPY_BYTES ? (int) bytes : FIRST_BYTES;
    }

    private void stage(long message) throws IOException {
        int place = SocketMessages.place(message);
        boolean isInline = messages.sizes[place] <= inlineBytes;
        stageHeader(message, place, isInline);
        if (message > announced) {
            announce(message, isInline);
        }
        if (isInline) {
            stagePayload(place);
        }
        kept = 0;
    }

    private void stageHeader(long message, int place, boolean isInline) {
        staging.putLong(SocketFrame.sizeAndFlags(messages.sizes[place], isInline)).putInt(messages.tags[place])
                .putInt((int) message).putInt(messages.stamps[place]).putInt(checksum == null ? 0
                        : checksum.of(messages.memories[place], messages.offsets[place], messages.sizes[place]));
    }

    private void announce(long message, boolean isInline) throws IOException {
        announced = message;
        if (isInline) {
            messages.inline(message);
        } else {
            streams.stripe(message);
        }
    }

    private void stagePayload(int place) {
        long offset = messages.offsets[place] + kept;
        long bytes = messages.sizes[place] - kept;
        int copied = stagedBytes(bytes);
        MemorySegment.copy(messages.memories[place].segment(), offset, stagingMemory, staging.position(), copied);
        staging.position(staging.position() + copied);
        restOffset = offset + copied;
        restBytes = bytes - copied;
    }

    /** One system call. Returns whether the socket took all it was offered. */
    private boolean write() throws IOException {
        if (staging.hasRemaining()) {
            return restBytes > 0 && wire.isGathering() ? writeGathered() : writeStaged();
        }
        ByteBuffer view = messages.memories[SocketMessages.place(staged)].view(0, restOffset,
                Math.min(restBytes, SocketStream.CALL_BYTES));
        int written = wire.write(view);
        advanceRest(written);
        total += written;
        return !view.hasRemaining();
    }

    private boolean writeStaged() throws IOException {
        total += wire.writeStaged(staging, stagingMemory);
        return !staging.hasRemaining();
    }

    private boolean writeGathered() throws IOException {
        int bytes = (int) Math.min(restBytes, SocketStream.CALL_BYTES);
        int ahead = staging.remaining();
        int written = wire.writeGathered(staging, stagingMemory,
                messages.memories[SocketMessages.place(staged)].segment(), restOffset, bytes);
        advanceRest(Math.max(0, written - ahead));
        total += written;
        return written == ahead + bytes;
    }

    private void advanceRest(int bytes) {
        restOffset += bytes;
        restBytes -= bytes;
    }
}
