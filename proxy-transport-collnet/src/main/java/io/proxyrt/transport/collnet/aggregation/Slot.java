/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.transport.collnet.wire.CallHeader;
import io.proxyrt.transport.collnet.wire.ResultHeader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * One chunk of a call's outcome, with room for a header before it: one write of one buffer sends both, which costs the
 * JDK no allocation.
 */
final class Slot {
    /** Of the chunk in the slot's memory. */
    static final int PAYLOAD_AT = CallHeader.BYTES;

    private final Call call = new Call();
    private final MemorySegment segment;
    private final ByteBuffer buffer;
    private final ByteBuffer frame;
    private long offset;
    private int bytes;

    Slot(MemorySegment memory) {
        this.segment = memory.asSlice(PAYLOAD_AT);
        this.buffer = segment.asByteBuffer();
        this.frame = memory.asByteBuffer();
    }

    /** Says what is in it. */
    void set(Call of, long newOffset, int newBytes) {
        call.set(of);
        offset = newOffset;
        bytes = newBytes;
    }

    Call call() {
        return call;
    }

    MemorySegment segment() {
        return segment;
    }

    /** The same memory; the caller sets position and limit. */
    ByteBuffer buffer() {
        return buffer;
    }

    /** All memory of the slot, with a call's header behind which the chunk comes, ready to be sent. */
    ByteBuffer callFrame() {
        call.put(frame, bytes);
        return frame.clear().limit(PAYLOAD_AT + bytes);
    }

    /** Writes a result's header before the chunk; returns where it begins in {@link #frame()}. */
    int putResult() {
        ResultHeader.put(frame.clear().position(PAYLOAD_AT - ResultHeader.BYTES), call.seq(), bytes);
        return PAYLOAD_AT - ResultHeader.BYTES;
    }

    /** All memory of the slot; the caller sets position and limit. */
    ByteBuffer frame() {
        return frame;
    }

    /** Of its first byte in the call's outcome. */
    long offset() {
        return offset;
    }

    int bytes() {
        return bytes;
    }
}
