/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** A place in a {@link HostEngine}'s ring: written by the stream's caller, read by the engine once it is posted. */
final class HostCommand {
    private enum Kind { COPY, WRITE, AWAIT }

    /** Longest copy between two safepoints of the JVM: about 100 µs. */
    private static final long CHUNK_BYTES = 1 << 20;
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private Kind kind;
    private HostMemory to;
    private HostMemory from;
    private long toOffset;
    private long fromOffset;
    private long bytesOrValue;
    private HostEngine awaited;

    void copy(HostMemory target, long targetOffset, HostMemory source, long sourceOffset, long bytes) {
        kind = Kind.COPY;
        to = target;
        toOffset = targetOffset;
        from = source;
        fromOffset = sourceOffset;
        bytesOrValue = bytes;
    }

    void write(HostMemory target, long offset, long value) {
        kind = Kind.WRITE;
        to = target;
        toOffset = offset;
        bytesOrValue = value;
    }

    void await(HostEngine engine, long count) {
        kind = Kind.AWAIT;
        awaited = engine;
        bytesOrValue = count;
    }

    /** Does it, on the engine's thread; what it throws is why it failed. */
    void execute(HostEngine engine) {
        switch (kind) {
            case COPY -> copy(to.segment(), from.segment());
            case WRITE -> WORD.setRelease(to.segment(), toOffset, bytesOrValue);
            case AWAIT -> engine.awaitOther(awaited, bytesOrValue);
        }
    }

    /** In pieces, for the JVM's safepoints and the freeing of memory wait for each. */
    private void copy(MemorySegment target, MemorySegment source) {
        for (long done = 0; done < bytesOrValue; done += CHUNK_BYTES) {
            MemorySegment.copy(source, fromOffset + done, target, toOffset + done,
                    Math.min(CHUNK_BYTES, bytesOrValue - done));
        }
    }

    @Override
    public String toString() {
        return switch (kind) {
            case COPY -> "copy of " + bytesOrValue + " bytes from " + from + " at " + fromOffset + " to " + to + " at "
                    + toOffset;
            case WRITE -> "write of " + bytesOrValue + " to " + to + " at " + toOffset;
            case AWAIT -> "wait for command " + bytesOrValue + " of stream " + awaited.name();
        };
    }
}
