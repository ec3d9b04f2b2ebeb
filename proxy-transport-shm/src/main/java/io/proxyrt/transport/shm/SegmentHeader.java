/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The beginning of a segment: by it a peer knows that it has mapped what it was told of, and says so.
 *
 * <pre>
 *   0        8         12         16      24      32
 *  +--------+---------+----------+-------+-------+---------+
 *  | magic  | version | attached | token | bytes | control |
 *  +--------+---------+----------+-------+-------+---------+
 * </pre>
 */
final class SegmentHeader {
    /** Its own cache line, and that which the processor fetches with it. */
    static final long BYTES = 128;

    private static final long MAGIC = 0x70726f7879534d31L;
    private static final int VERSION = 1;
    private static final long VERSION_AT = 8;
    private static final long ATTACHED = 12;
    private static final long TOKEN = 16;
    private static final long SEGMENT_BYTES = 24;
    private static final long CONTROL = 32;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();

    private SegmentHeader() {
    }

    /** Before the segment is shared. */
    static void write(MemorySegment segment, long token, SegmentLayout layout) {
        segment.set(ValueLayout.JAVA_LONG, 0, MAGIC);
        segment.set(ValueLayout.JAVA_INT, VERSION_AT, VERSION);
        segment.set(ValueLayout.JAVA_INT, ATTACHED, 0);
        segment.set(ValueLayout.JAVA_LONG, TOKEN, token);
        segment.set(ValueLayout.JAVA_LONG, SEGMENT_BYTES, layout.bytes());
        segment.set(ValueLayout.JAVA_LONG, CONTROL, layout.control());
    }

    /** Returns empty, or what is wrong with a segment that a peer told of. */
    static String fault(MemorySegment segment, long token, SegmentLayout layout) {
        if (segment.byteSize() < layout.bytes()) {
            return "has " + segment.byteSize() + " bytes, not " + layout.bytes();
        }
        if (segment.get(ValueLayout.JAVA_LONG, 0) != MAGIC) {
            return "is no segment of the SHM transport";
        }
        int version = segment.get(ValueLayout.JAVA_INT, VERSION_AT);
        if (version != VERSION) {
            return "has version " + version + " instead of " + VERSION;
        }
        if (segment.get(ValueLayout.JAVA_LONG, TOKEN) != token) {
            return "is that of another connection";
        }
        boolean isSame = segment.get(ValueLayout.JAVA_LONG, SEGMENT_BYTES) == layout.bytes()
                && segment.get(ValueLayout.JAVA_LONG, CONTROL) == layout.control();
        return isSame ? "" : "has another layout than " + layout;
    }

    /** Tells the segment's maker that its peer has mapped it. */
    static void attach(MemorySegment segment) {
        INT.setRelease(segment, ATTACHED, 1);
    }

    /** Whether the peer has mapped the segment; no name or handle is needed any more. */
    static boolean isAttached(MemorySegment segment) {
        return (int) INT.getAcquire(segment, ATTACHED) != 0;
    }
}
