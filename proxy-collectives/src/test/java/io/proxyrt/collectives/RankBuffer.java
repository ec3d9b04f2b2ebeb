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

/** Memory of a rank's device that a test fills and reads: by copies where the CPU does not reach it. */
final class RankBuffer implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Communicator comm;
    private final DeviceMemory memory;
    private final long offset;

    RankBuffer(Communicator comm, long bytes) {
        this(comm, bytes, 0);
    }

    /** Begins so many bytes behind an aligned address. */
    RankBuffer(Communicator comm, long bytes, long offset) {
        this.comm = comm;
        this.memory = comm.allocate(Math.max(1, bytes + offset));
        this.offset = offset;
    }

    MemorySegment range() {
        return memory.range().asSlice(offset);
    }

    MemorySegment range(long from, long bytes) {
        return memory.range().asSlice(offset + from, bytes);
    }

    void write(MemorySegment from) {
        transfer(from, true);
    }

    /** What it holds; on the heap. */
    MemorySegment read(long bytes) {
        MemorySegment copy = Arena.ofAuto().allocate(Math.max(1, bytes), Long.BYTES).asSlice(0, bytes);
        transfer(copy, false);
        return copy;
    }

    private void transfer(MemorySegment host, boolean isWrite) {
        long bytes = host.byteSize();
        if (bytes == 0) {
            return;
        }
        Device device = comm.proxy().device();
        try (DeviceMemory staging = device.allocateHost(bytes); DeviceStream stream = device.stream("test")) {
            if (isWrite) {
                staging.segment().copyFrom(host);
                stream.copy(memory.base(), memory.baseOffset() + offset, staging, 0, bytes);
            } else {
                stream.copy(staging, 0, memory.base(), memory.baseOffset() + offset, bytes);
            }
            stream.synchronize(TIMEOUT);
            if (!isWrite) {
                host.copyFrom(staging.segment().asSlice(0, bytes));
            }
        }
    }

    @Override
    public void close() {
        memory.close();
    }
}
