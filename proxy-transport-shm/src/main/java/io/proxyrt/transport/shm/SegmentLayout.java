/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import java.lang.foreign.MemorySegment;

/**
 * Where what lies in a segment.
 *
 * <pre>
 *   0        128      control            control + 4096     8192
 *  +--------+--------+------------------+------------------+------+---------+----------+
 *  | header |        | sendMem, recvMem |                  |  LL  |  LL128  |  Simple  |
 *  +--------+--------+------------------+------------------+------+---------+----------+
 *                     sendMem in the sender's segment,       in one of the two segments
 *                     recvMem in the receiver's
 * </pre>
 *
 * <p>Where control begins differs from segment to segment, see {@link DeviceConnection#controlOffset}.
 *
 * @param control    offset of sendMem or recvMem
 * @param hasBuffers whether the buffers lie here
 * @param buffers    their sizes, wherever they lie
 */
record SegmentLayout(long control, boolean hasBuffers, BufferBytes buffers) {
    static final long BUFFERS = DeviceConnection.CONTROL_ROOM + RecvMem.BYTES;

    /** Of a segment that is new. */
    static SegmentLayout of(long memoryId, boolean hasBuffers, BufferBytes buffers) {
        return new SegmentLayout(SegmentHeader.BYTES + DeviceConnection.controlOffset(memoryId), hasBuffers, buffers);
    }

    /** What a segment takes. */
    static long bytes(boolean hasBuffers, BufferBytes buffers) {
        return BUFFERS + (hasBuffers ? buffers.sum() : 0);
    }

    long bytes() {
        return bytes(hasBuffers, buffers);
    }

    boolean isSound() {
        return control >= SegmentHeader.BYTES && control <= BUFFERS - RecvMem.BYTES
                && control % SegmentHeader.BYTES == 0 && buffers.isSound();
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
        return segment.asSlice(control, RecvMem.BYTES);
    }
}
