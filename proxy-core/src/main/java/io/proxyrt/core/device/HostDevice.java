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
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
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
    /** Any thread but those that confine memory to themselves. */
    private static final Thread STRANGER = Thread.ofPlatform().unstarted(() -> { });

    private final int number;
    private final Platform platform;
    private final AtomicLong nextId = new AtomicLong(1);
    private final Map<Long, HostMemory> memories = new ConcurrentHashMap<>();
    private final Set<HostDeviceStream> streams = ConcurrentHashMap.newKeySet();

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
        if (bytes < 1) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name() + ": memory of " + bytes + " bytes");
        }
        Arena arena = Arena.ofShared();
        try {
            return add(DeviceMemoryKind.DEVICE, arena, arena.allocate(bytes, ALIGNMENT), null);
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
            return map(DeviceMemoryKind.DEVICE, fd, bytes, fd);
        } catch (RuntimeException e) {
            fd.close();
            throw e;
        }
    }

    @Override
    public OwnedFd exportFd(DeviceMemory memory) {
        if (!(memories.get(memory.id()) instanceof HostMemory own) || own != memory || own.fd() == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name() + ": memory " + memory.id()
                    + " has no file descriptor; allocate it shareable");
        }
        return platform.descriptors().duplicate(own.fd());
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
            return map(DeviceMemoryKind.IMPORTED, fd, bytes, null);
        }
    }

    /** Opened anew by its number, since Java maps only what it has opened itself. */
    private DeviceMemory map(DeviceMemoryKind kind, OwnedFd fd, long bytes, OwnedFd kept) {
        Arena arena = Arena.ofShared();
        try (FileChannel channel = fd.use(HostDevice::open)) {
            return add(kind, arena, channel.map(MapMode.READ_WRITE, 0, bytes, arena), kept);
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

    private HostMemory add(DeviceMemoryKind kind, Arena arena, MemorySegment segment, OwnedFd fd) {
        HostMemory memory = new HostMemory(this, nextId.getAndIncrement(), kind, arena, segment, fd);
        memories.put(memory.id(), memory);
        return memory;
    }

    /** All but what needs descriptors is there on every host. */
    @Override
    public Set<DeviceCapability> capabilities() {
        EnumSet<DeviceCapability> all = EnumSet.of(DeviceCapability.HOST_REGISTRATION, DeviceCapability.ASYNC_COPY);
        if (platform.whyNot().isEmpty()) {
            all.add(DeviceCapability.SHAREABLE_MEMORY);
        }
        return Collections.unmodifiableSet(all);
    }

    /** {@inheritDoc} The stream is a thread, which its first command starts. */
    @Override
    public DeviceStream stream(String name) {
        HostDeviceStream stream = new HostDeviceStream(this, new HostEngine(name));
        streams.add(stream);
        return stream;
    }

    @Override
    public DeviceEvent event() {
        return new HostEvent(this);
    }

    /** {@inheritDoc} It must be memory that any thread may use, since streams are threads. */
    @Override
    public DeviceMemory register(MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0 || !memory.isAccessibleBy(STRANGER)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name() + " cannot register " + memory
                    + ": it must be native, not empty, and of an arena that all threads may use");
        }
        return add(DeviceMemoryKind.REGISTERED, null, memory, null);
    }

    /** Whether streams of this device may use memory and events of that one. */
    boolean reaches(HostDevice other) {
        return other == this;
    }

    void forget(HostMemory memory) {
        memories.remove(memory.id());
    }

    void forget(HostDeviceStream stream) {
        streams.remove(stream);
    }

    @Override
    public void close() {
        streams.forEach(HostDeviceStream::close);
        memories.values().forEach(HostMemory::close);
    }
}
