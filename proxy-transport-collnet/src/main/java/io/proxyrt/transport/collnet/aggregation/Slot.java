/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** One chunk of a call's outcome. */
final class Slot {
    private final Call call = new Call();
    private final MemorySegment segment;
    private final ByteBuffer buffer;
    private long offset;
    private int bytes;

    Slot(MemorySegment segment) {
        this.segment = segment;
        this.buffer = segment.asByteBuffer();
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

    /** The same memory; whoever uses it sets position and limit. */
    ByteBuffer buffer() {
        return buffer;
    }

    /** Of its first byte in the call's outcome. */
    long offset() {
        return offset;
    }

    int bytes() {
        return bytes;
    }
}
