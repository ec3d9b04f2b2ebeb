/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.transport.BufferBytes;
import java.lang.foreign.MemorySegment;

/**
 * Where what lies in a segment.
 *
 * <pre>
 *   0        128      control                4096
 *  +--------+--------+------------------+---+------+---------+----------+
 *  | header |        | sendMem, recvMem |   |  LL  |  LL128  |  Simple  |
 *  +--------+--------+------------------+---+------+---------+----------+
 *                     sendMem in the sender's segment,       in one of the two segments
 *                     recvMem in the receiver's
 * </pre>
 *
 * <p>Segments begin at a page. If control always began at the same place in it, the same word of every connection would
 * fall into the same few sets of the cache, and a pass over many connections would miss it each time; so it differs.
 *
 * @param control    offset of sendMem or recvMem
 * @param hasBuffers whether the buffers lie here
 * @param buffers    their sizes, wherever they lie
 */
record SegmentLayout(long control, boolean hasBuffers, BufferBytes buffers) {
    private static final long PAGE = 4096;
    private static final long BUFFERS = PAGE;
    private static final long LAST_CONTROL = BUFFERS - RecvMem.WORDS_BYTES;
    /** What a processor fetches at a time: two cache lines. */
    private static final long STRIDE = SegmentHeader.BYTES;

    /** Of a segment that is new. */
    static SegmentLayout of(long memoryId, boolean hasBuffers, BufferBytes buffers) {
        return new SegmentLayout(STRIDE + memoryId * STRIDE % LAST_CONTROL, hasBuffers, buffers);
    }

    /** What a segment takes: whole pages, for a device registers no less. */
    static long bytes(boolean hasBuffers, BufferBytes buffers) {
        return BUFFERS + (hasBuffers ? buffers.sum() + PAGE - 1 & -PAGE : 0);
    }

    long bytes() {
        return bytes(hasBuffers, buffers);
    }

    boolean isSound() {
        return control >= STRIDE && control <= LAST_CONTROL && control % STRIDE == 0 && buffers.isSound();
    }

    /** Of a buffer that lies here. */
    long offset(Protocol protocol) {
        return switch (protocol) {
            case LL -> BUFFERS;
            case LL128 -> BUFFERS + buffers.ll();
            case SIMPLE -> BUFFERS + buffers.ll() + buffers.ll128();
        };
    }

    MemorySegment control(MemorySegment segment) {
        return segment.asSlice(control, RecvMem.WORDS_BYTES);
    }
}
