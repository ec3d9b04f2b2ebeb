/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.device.DeviceConnection;
import java.lang.foreign.MemorySegment;

/**
 * The sender's part in copying a message between memory that both ranks registered. The receiver's kernel reads the
 * steps that are left to it; as long as it has two of them before it, the sender's kernel, which would only wait, puts
 * the next one where the receiver offered. Beyond the cache a copy is bound by how many lines one CPU can fetch.
 */
final class SharedCopy {
    private static final long NONE = -1;

    private final DeviceConnection send;
    private long firstStep;
    private long begin;
    private long bytes;
    private MemorySegment target;
    private long targetOffset;
    private long lastLeft;
    private long leftBefore;

    /** For the kernels of a direct connection. */
    SharedCopy(DeviceConnection send) {
        this.send = send;
    }

    /** Begins a message at the connection's step, of so many bytes from that offset of its buffer on; none with 0. */
    void start(long offset, long messageBytes) {
        firstStep = send.step();
        begin = offset;
        bytes = messageBytes;
        target = null;
        lastLeft = NONE;
        leftBefore = NONE;
    }

    /** Puts the next step where the receiver wants it, if it has enough to do; otherwise leaves it to the receiver. */
    boolean take(MemorySegment from, long offset, long stepBytes) {
        if (bytes > 0 && send.sendMem().head() <= leftBefore && isOffered()) {
            send.copier().copy(from, offset, target, targetOffset + offset - begin, stepBytes);
            return true;
        }
        leftBefore = lastLeft;
        lastLeft = send.step();
        return false;
    }

    /** An offer that does not hold the message, or is for another, is none: the receiver then reads by itself. */
    private boolean isOffered() {
        if (target == null && send.sendMem().isOffered(firstStep)) {
            MemorySegment found = send.peerMemory().find(send.sendMem().offeredHandle());
            targetOffset = send.sendMem().offeredPtr();
            boolean holds = found != null && send.sendMem().offeredBytes() == bytes && targetOffset >= 0
                    && targetOffset <= found.byteSize() - bytes;
            target = holds ? found : null;
        }
        return target != null;
    }
}
