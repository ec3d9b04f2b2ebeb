/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * Memory of a rank's device that a test fills and reads by copies. Drivers may wait for all kernels of a device before
 * they free anything, and ranks may share one: so it is closed when none runs.
 */
final class RankBuffer implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final DeviceMemory memory;
    private final DeviceMemory staging;
    private final DeviceStream stream;
    private final long offset;

    RankBuffer(Communicator comm, long bytes) {
        this(comm, bytes, 0);
    }

    /** Begins a number of bytes behind an aligned address. */
    RankBuffer(Communicator comm, long bytes, long offset) {
        this(comm, comm.allocate(bytes + offset), offset);
    }

    /** Of memory that it closes in the end. */
    RankBuffer(Communicator comm, DeviceMemory memory, long offset) {
        Device device = comm.proxy().device();
        this.memory = memory;
        this.staging = device.allocateHost(memory.bytes() - offset);
        this.stream = device.stream("test");
        this.offset = offset;
    }

    MemorySegment range() {
        return memory.range().asSlice(offset);
    }

    MemorySegment range(long from, long bytes) {
        return memory.range().asSlice(offset + from, bytes);
    }

    void write(MemorySegment from) {
        staging.segment().copyFrom(from);
        stream.copy(memory.base(), memory.baseOffset() + offset, staging, 0, from.byteSize());
        stream.synchronize(TIMEOUT);
    }

    /** A copy of its beginning. */
    MemorySegment read(long bytes) {
        stream.copy(staging, 0, memory.base(), memory.baseOffset() + offset, bytes);
        stream.synchronize(TIMEOUT);
        return Arena.ofAuto().allocate(bytes, Long.BYTES).copyFrom(staging.segment().asSlice(0, bytes));
    }

    @Override
    public void close() {
        stream.close();
        staging.close();
        memory.close();
    }
}
