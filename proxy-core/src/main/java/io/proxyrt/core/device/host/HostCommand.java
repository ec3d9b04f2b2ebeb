/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import io.proxyrt.core.device.LaunchShape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** A place in a {@link HostEngine}'s ring: written by the stream's caller, read by the engine once it is posted. */
final class HostCommand implements HostLaunch {
    private enum Kind { COPY, WRITE, AWAIT, LAUNCH }

    /** Longest copy between two safepoints of the JVM: about 100 µs. */
    private static final long CHUNK_BYTES = 1 << 20;
    private static final MemorySegment NO_ROOM = MemorySegment.ofArray(new long[0]);
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private Kind kind;
    private HostMemory to;
    private HostMemory from;
    private long toOffset;
    private long fromOffset;
    private long bytesOrValue;
    private HostEngine awaited;
    private HostDevice device;
    private HostDeviceModule.Kernel kernel;
    private LaunchShape shape;
    private MemorySegment room = NO_ROOM;

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

    /** Arguments are copied to where the place had room for some before. */
    void launch(HostDevice on, HostDeviceModule.Kernel program, LaunchShape threads, MemorySegment arguments) {
        kind = Kind.LAUNCH;
        device = on;
        kernel = program;
        shape = threads;
        bytesOrValue = arguments.byteSize();
        if (room.byteSize() < bytesOrValue) {
            room = MemorySegment.ofArray(new long[(int) (bytesOrValue + Long.BYTES - 1) / Long.BYTES]);
        }
        MemorySegment.copy(arguments, 0, room, 0, bytesOrValue);
    }

    @Override
    public LaunchShape shape() {
        return shape;
    }

    @Override
    public MemorySegment arguments() {
        return room.asSlice(0, bytesOrValue);
    }

    @Override
    public MemorySegment memory(long address, long bytes) {
        return device.at(address, bytes);
    }

    /** Does it, on the engine's thread; what it throws is why it failed. */
    void execute(HostEngine engine) {
        switch (kind) {
            case COPY -> copy(to.segment(), from.segment());
            case WRITE -> WORD.setRelease(to.segment(), toOffset, bytesOrValue);
            case AWAIT -> engine.awaitOther(awaited, bytesOrValue);
            case LAUNCH -> engine.run(kernel.program().start(this));
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
            case LAUNCH -> "kernel " + kernel;
            case AWAIT -> "wait for command " + bytesOrValue + " of stream " + awaited.name();
        };
    }
}
