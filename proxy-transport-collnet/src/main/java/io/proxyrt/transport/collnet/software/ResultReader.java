/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.collnet.wire.Abort;
import io.proxyrt.transport.collnet.wire.ResultHeader;
import io.proxyrt.transport.collnet.wire.WireDescriptor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Reads what the switch sends. Headers are read ahead, with what follows them; the rest of a result goes straight to
 * where it belongs.
 */
final class ResultReader {
    private static final int STAGING_BYTES = 16 << 10;

    private final SwitchSocket socket;
    private final SwitchRequests requests;
    private final CallWriter writer;
    /** What was read, and is still to be looked at, from 0 to its position. */
    private final ByteBuffer staging = ByteBuffer.allocateDirect(STAGING_BYTES);
    private final MemorySegment stagingMemory = MemorySegment.ofBuffer(staging.duplicate());
    /** Results up to this one are in place. */
    private long received;
    /** Bytes of the next one that are in place. */
    private long filled;
    /** Bytes of its frame that are still to come. */
    private long frameBytes;

    /** Results are for calls that the writer has begun to write. */
    ResultReader(SwitchSocket socket, SwitchRequests requests, CallWriter writer) {
        this.socket = socket;
        this.requests = requests;
        this.writer = writer;
    }

    /** Results up to this one are in place. */
    long received() {
        return received;
    }

    /**
     * One system call. Returns whether there was something to read.
     *
     * @throws ProxyException if the switch sends what it must not, or has ended the group
     */
    boolean pull() throws IOException {
        if (frameBytes > 0) {
            SwitchCall call = requests.call(received + 1);
            ByteBuffer view = call.recv.view(call.recvOffset + filled, Math.min(frameBytes, CallWriter.MOST_BYTES));
            int bytes = socket.read(view);
            advance(bytes);
            return bytes > 0;
        }
        int bytes = socket.read(staging);
        if (bytes > 0) {
            parse();
        }
        return bytes > 0;
    }

    /** Takes frame by frame what is there. */
    private void parse() {
        for (int bytes = headBytes(); bytes > 0; bytes = headBytes()) {
            begin();
            drop(bytes + unstage(bytes));
        }
    }

    /** The length of what was read, up to a payload; 0 if it is not all there. */
    private int headBytes() {
        if (frameBytes > 0 || staging.position() == 0) {
            return 0;
        }
        int bytes = WireDescriptor.bytesFromSwitch(staging);
        return staging.position() < bytes ? 0 : bytes;
    }

    private void begin() {
        switch (staging.get(0)) {
            case WireDescriptor.RESULT -> beginResult();
            case WireDescriptor.ABORT -> throw aborted(Abort.decode(staging));
            default -> throw WireDescriptor.malformed("a frame of type " + staging.get(0) + " again");
        }
    }

    private void beginResult() {
        long bytes = ResultHeader.payloadBytes(staging);
        long seq = ResultHeader.seq(staging);
        if (received == writer.staged()) {
            throw WireDescriptor.malformed(bytes + " bytes of the result of call " + seq + ", when none was due");
        }
        long due = requests.call(received + 1).recvBytes - filled;
        if (seq != received || bytes < 0 || bytes > due || bytes == 0 && due > 0) {
            throw WireDescriptor.malformed(bytes + " bytes of the result of call " + seq + ", when " + due + " of call "
                    + received + " were due");
        }
        frameBytes = bytes;
        advance(0);
    }

    /** Moves what is there of a payload to where it belongs. Returns how much it was. */
    private int unstage(int headBytes) {
        int bytes = (int) Math.min(staging.position() - headBytes, frameBytes);
        if (bytes > 0) {
            SwitchCall call = requests.call(received + 1);
            MemorySegment.copy(stagingMemory, headBytes, call.recv.segment(), call.recvOffset + filled, bytes);
            advance(bytes);
        }
        return bytes;
    }

    private void drop(int bytes) {
        staging.flip().position(bytes);
        staging.compact();
    }

    private void advance(int bytes) {
        filled += bytes;
        frameBytes -= bytes;
        if (filled == requests.call(received + 1).recvBytes) {
            filled = 0;
            received++;
        }
    }

    /** What a switch says before it closes the connection: why the group ends. */
    static ProxyException aborted(Abort abort) {
        return new ProxyException(abort.result() == ProxyResult.INVALID_USAGE ? ProxyResult.INVALID_USAGE
                : ProxyResult.REMOTE_ERROR, abort.text());
    }
}
