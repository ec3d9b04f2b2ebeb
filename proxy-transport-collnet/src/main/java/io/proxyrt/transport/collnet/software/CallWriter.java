/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.transport.collnet.wire.CallHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Writes calls to the switch, one behind the other. Bytes leave in this order: what is in the staging buffer, which is
 * the header of the call {@code staged} and perhaps the beginning of its payload, then the rest of the payload,
 * straight from its memory; both in one call of the system where the platform can do that. Without it more is copied
 * instead.
 */
final class CallWriter {
    /** Payloads up to this size are copied as a whole: one system call instead of two is worth more than the copy. */
    private static final int COPY_BYTES = 32 << 10;
    /** The same where one call takes what is staged and the rest as well. */
    private static final int GATHERED_BYTES = 4 << 10;
    /** What is copied of larger ones, so that the switch's first read brings more than a header. */
    private static final int FIRST_BYTES = 4 << 10;
    /** Bounds the time that one system call may take. */
    static final int MOST_BYTES = 1 << 20;

    private final SwitchSocket socket;
    private final SwitchRequests requests;
    private final ByteBuffer staging = ByteBuffer.allocateDirect(CallHeader.BYTES + COPY_BYTES).limit(0);
    private final MemorySegment stagingMemory = MemorySegment.ofBuffer(staging.duplicate().clear());
    private long staged;
    private long flushed;
    private long restOffset;
    private long restBytes;

    CallWriter(SwitchSocket socket, SwitchRequests requests) {
        this.socket = socket;
        this.requests = requests;
    }

    /** Calls up to this one are written, or under way. */
    long staged() {
        return staged;
    }

    /** Calls up to this one are written. */
    long flushed() {
        return flushed;
    }

    /** One system call, if there is something to write. Returns whether another one would be worth it. */
    boolean push() throws IOException {
        if (flushed == staged) {
            if (staged == requests.posted()) {
                return false;
            }
            stage(++staged);
        }
        boolean isTaken = write();
        if (restBytes == 0 && !staging.hasRemaining()) {
            flushed = staged;
        }
        return isTaken;
    }

    private void stage(long request) {
        SwitchCall call = requests.call(request);
        int copied = copiedBytes(call.sendBytes);
        staging.clear();
        CallHeader.put(staging, call.function, call.type, call.op, request - 1, call.window, call.sendBytes);
        if (copied > 0) {
            MemorySegment.copy(call.send.segment(), call.sendOffset, stagingMemory, CallHeader.BYTES, copied);
        }
        staging.limit(CallHeader.BYTES + copied);
        restOffset = call.sendOffset + copied;
        restBytes = call.sendBytes - copied;
    }

    private int copiedBytes(long bytes) {
        if (socket.isGathering()) {
            return bytes <= GATHERED_BYTES ? (int) bytes : 0;
        }
        return bytes <= COPY_BYTES ? (int) bytes : FIRST_BYTES;
    }

    /** One system call. Returns whether the socket took all it was offered. */
    private boolean write() throws IOException {
        if (!staging.hasRemaining()) {
            ByteBuffer view = requests.call(staged).send.view(restOffset, Math.min(restBytes, MOST_BYTES));
            advance(socket.write(view));
            return !view.hasRemaining();
        }
        if (restBytes > 0 && socket.isGathering()) {
            return writeGathered();
        }
        socket.write(staging);
        return !staging.hasRemaining();
    }

    private boolean writeGathered() throws IOException {
        int bytes = (int) Math.min(restBytes, MOST_BYTES);
        int ahead = staging.remaining();
        int written = socket.write(staging, stagingMemory, requests.call(staged).send.segment(), restOffset, bytes);
        advance(Math.max(0, written - ahead));
        return written == ahead + bytes;
    }

    private void advance(int bytes) {
        restOffset += bytes;
        restBytes -= bytes;
    }
}
