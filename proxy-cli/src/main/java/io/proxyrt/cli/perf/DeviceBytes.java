/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * The CPU's way to the bytes of a device's memory: directly where it reaches them, else piece by piece through pinned
 * memory of the host. For one thread; blocks while the device copies.
 */
final class DeviceBytes implements AutoCloseable {
    /** A multiple of any element's size; large enough for a copy engine to be busy with. */
    static final long PIECE_BYTES = 4L << 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Device device;
    /** Both null until memory turns up that the CPU does not reach. */
    private DeviceMemory staging;
    private DeviceStream stream;

    DeviceBytes(Device device) {
        this.device = device;
    }

    /** Looks at a piece that begins at an offset within the whole; what it returns is added up. */
    interface Reader {
        long read(MemorySegment piece, long offset);
    }

    /** Makes all of a piece that begins at an offset within the whole. */
    interface Writer {
        void write(MemorySegment piece, long offset);
    }

    /** Returns the sum of what the reader returned. */
    long read(DeviceMemory memory, long offset, long bytes, Reader reader) {
        if (memory.isHostAccessible()) {
            return reader.read(memory.segment().asSlice(offset, bytes), 0);
        }
        long sum = 0;
        for (long at = 0; at < bytes; at += PIECE_BYTES) {
            long length = Math.min(PIECE_BYTES, bytes - at);
            done(stream().copy(staging, 0, memory.base(), memory.baseOffset() + offset + at, length));
            sum += reader.read(staging.segment().asSlice(0, length), at);
        }
        return sum;
    }

    void write(DeviceMemory memory, long offset, long bytes, Writer writer) {
        if (memory.isHostAccessible()) {
            writer.write(memory.segment().asSlice(offset, bytes), 0);
            return;
        }
        for (long at = 0; at < bytes; at += PIECE_BYTES) {
            long length = Math.min(PIECE_BYTES, bytes - at);
            DeviceStream copies = stream();
            writer.write(staging.segment().asSlice(0, length), at);
            done(copies.copy(memory.base(), memory.baseOffset() + offset + at, staging, 0, length));
        }
    }

    @Override
    public void close() {
        if (stream != null) {
            stream.close();
            staging.close();
        }
    }

    private DeviceStream stream() {
        if (stream == null) {
            staging = device.allocateHost(PIECE_BYTES);
            stream = device.stream("proxyrt-perf");
        }
        return stream;
    }

    private void done(int taken) {
        if (taken < 1) {
            throw new ProxyException(taken == 0 ? ProxyResult.INTERNAL_ERROR : ProxyResult.of(-taken), device.name()
                    + " does not copy between its memory and the host's: " + stream.failure());
        }
        stream.synchronize(TIMEOUT);
    }
}
