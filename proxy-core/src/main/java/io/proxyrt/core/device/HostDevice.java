/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.spi.Platform;
import io.proxyrt.core.uds.OwnedFd;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Plays the GPU: its memory is the host's, its kernels run on the host's threads, its control words are the same. */
public final class HostDevice implements Device {
    /**
     * What {@link #importFd} maps at most: 64 GiB. A size costs whoever exports it nothing, and mapping one for which
     * there is no address space costs the importing thread a garbage collection of the whole heap and 100 ms, before it
     * fails. So it can below this size, too, where the process's address space is limited ({@code ulimit -v}).
     */
    public static final long MAX_IMPORT_BYTES = 64L << 30;

    private static final long ALIGNMENT = 4096;

    private final int number;
    private final Platform platform;
    private final AtomicLong nextId = new AtomicLong(1);
    private final Map<Long, HostMemory> memories = new ConcurrentHashMap<>();

    /**
     * A device without memory yet.
     *
     * @param number for its name
     */
    public HostDevice(int number) {
        this(number, Platform.find());
    }

    /**
     * A device without memory yet.
     *
     * @param number   for its name
     * @param platform for memory that other processes can map; without one that works, there is none of that
     */
    public HostDevice(int number, Platform platform) {
        this.number = number;
        this.platform = platform;
    }

    @Override
    public String name() {
        return "host:" + number;
    }

    @Override
    public DeviceMemory allocate(long bytes) {
        Arena arena = Arena.ofShared();
        try {
            return add(arena, arena.allocate(bytes, ALIGNMENT), null);
        } catch (OutOfMemoryError | IllegalArgumentException e) {
            arena.close();
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, name() + ": cannot allocate " + bytes
                    + " bytes: " + e.getMessage() + "; raise -XX:MaxDirectMemorySize or lower proxyrt.buffer.bytes", e);
        }
    }

    @Override
    public DeviceMemory memory(long id) {
        DeviceMemory memory = memories.get(id);
        if (memory == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name() + " has no memory with id " + id);
        }
        return memory;
    }

    @Override
    public DeviceMemory allocateShareable(long bytes) {
        OwnedFd fd = platform.descriptors().memfd("proxyrt-" + name(), bytes);
        try {
            return map(fd, bytes, fd);
        } catch (RuntimeException e) {
            fd.close();
            throw e;
        }
    }

    @Override
    public OwnedFd exportFd(DeviceMemory memory) {
        if (!(memories.get(memory.id()) instanceof HostMemory own) || own != memory || own.fd == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name() + ": memory " + memory.id()
                    + " has no file descriptor; allocate it shareable");
        }
        return platform.descriptors().duplicate(own.fd);
    }

    /** {@inheritDoc} Refuses memory of more than {@link #MAX_IMPORT_BYTES}. */
    @Override
    public DeviceMemory importFd(OwnedFd fd) {
        try (fd) {
            long bytes = platform.descriptors().sealedBytes(fd);
            if (bytes > MAX_IMPORT_BYTES) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name() + ": " + fd + " is memory of " + bytes
                        + " bytes; at most " + MAX_IMPORT_BYTES + " are mapped");
            }
            return map(fd, bytes, null);
        }
    }

    /** Opened anew by its number, since Java maps only what it has opened itself. */
    private DeviceMemory map(OwnedFd fd, long bytes, OwnedFd kept) {
        Arena arena = Arena.ofShared();
        try (FileChannel channel = fd.use(HostDevice::open)) {
            return add(arena, channel.map(MapMode.READ_WRITE, 0, bytes, arena), kept);
        } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
            arena.close();
            throw new ProxyException(ProxyResult.SYSTEM_ERROR,
                    name() + ": cannot map " + fd + " of " + bytes + " bytes: " + e, e);
        }
    }

    private static FileChannel open(int number) {
        try {
            return FileChannel.open(Path.of("/proc/self/fd/" + number), StandardOpenOption.READ,
                    StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private HostMemory add(Arena arena, MemorySegment segment, OwnedFd fd) {
        HostMemory memory = new HostMemory(nextId.getAndIncrement(), arena, segment, fd);
        memories.put(memory.id, memory);
        return memory;
    }

    @Override
    public void close() {
        memories.values().forEach(HostMemory::close);
    }

    private final class HostMemory implements DeviceMemory {
        private final long id;
        private final Arena arena;
        private final MemorySegment segment;
        private final OwnedFd fd;

        HostMemory(long id, Arena arena, MemorySegment segment, OwnedFd fd) {
            this.id = id;
            this.arena = arena;
            this.segment = segment;
            this.fd = fd;
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public long id() {
            return id;
        }

        /** Stays what it is if a call still uses it, for then the arena refuses; so the caller can try again. */
        @Override
        public synchronized void close() {
            if (memories.containsKey(id)) {
                arena.close();
                memories.remove(id);
                if (fd != null) {
                    fd.close();
                }
            }
        }
    }
}
