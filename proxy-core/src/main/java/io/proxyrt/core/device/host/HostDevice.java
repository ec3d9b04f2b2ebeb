/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceAttributes;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceMemoryKind;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.PeerDevice;
import io.proxyrt.core.platform.Arenas;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.core.platform.Descriptors;
import io.proxyrt.core.platform.MappingBatch;
import io.proxyrt.core.platform.Platform;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/** Plays the GPU: its memory is the host's, its kernels run on the host's threads, its control words are the same. */
public final class HostDevice implements Device {
    /**
     * What {@link #importFd} maps at most: 64 GiB. A size costs the exporter nothing, and mapping one for which
     * there is no address space costs the importing thread a garbage collection of the whole heap and 100 ms, before it
     * fails. So it can below this size, too, where the process's address space is limited ({@code ulimit -v}).
     */
    public static final long MAX_IMPORT_BYTES = 64L << 30;

    /** How the names of its shareable memory begin, as the system's tools show them. */
    static final String MEMORY_NAME = "proxyrt-host:";

    private static final Logger LOGGER = Subsystem.INIT.logger();
    private static final long ALIGNMENT = 4096;
    /** Any thread but those that confine memory to themselves. */
    private static final Thread OTHER_THREAD = Thread.ofPlatform().unstarted(() -> { });

    private final int number;
    private final Platform platform;
    private final HostPlacement placement;
    private final AtomicLong nextId = new AtomicLong(1);
    private final Map<Long, HostMemory> memories = new ConcurrentHashMap<>();
    private volatile HostDevice[] peers = {};
    private volatile boolean isClosed;
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
        this(number, platform, HostPlacement.ordinary(platform));
    }

    /**
     * A device without memory yet.
     *
     * @param number    for its name
     * @param platform  for memory that other processes can map; without one that works, there is none of that
     * @param placement of its memory
     */
    public HostDevice(int number, Platform platform, HostPlacement placement) {
        this.number = number;
        this.platform = platform;
        this.placement = placement;
    }

    /**
     * What pages its memory has, and where they lie.
     *
     * @return as it was given
     */
    public HostPlacement placement() {
        return placement;
    }

    @Override
    public String name() {
        return "host:" + number;
    }

    @Override
    public DeviceMemory allocate(long bytes) {
        return allocate(bytes, DeviceMemoryKind.DEVICE);
    }

    private DeviceMemory allocate(long bytes, DeviceMemoryKind kind) {
        if (bytes < 1) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name() + ": memory of " + bytes + " bytes");
        }
        Arena arena = Arena.ofShared();
        try {
            return add(kind, () -> Arenas.close(arena), placement.map(bytes, ALIGNMENT, arena), null);
        } catch (ProxyException e) {
            free(arena);
            throw new ProxyException(e.result(), name() + ": cannot allocate " + bytes + " bytes: " + e.getMessage(),
                    e);
        } catch (OutOfMemoryError | IllegalArgumentException e) {
            free(arena);
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
        return allocateFile(DeviceCapability.SHAREABLE_MEMORY, bytes, this::map);
    }

    /**
     * As {@link #allocateShareable}, for a connection's segment, of which there are many: giving it back costs no
     * handshake with all threads, and a later use finds zeros, or an {@link IllegalStateException}.
     *
     * @param bytes how much
     * @return shareable memory
     */
    public DeviceMemory allocateSegment(long bytes) {
        return allocateFile(DeviceCapability.SHAREABLE_MEMORY, bytes, this::mapInBatch);
    }

    /**
     * As {@link #importFd(OwnedFd)}, for a segment of {@link #allocateSegment}.
     *
     * @param fd of the segment; closed
     * @return all of it
     */
    public DeviceMemory importSegment(OwnedFd fd) {
        return importFd(fd, this::mapInBatch);
    }

    private DeviceMemory allocateFile(DeviceCapability capability, long bytes, Mapper mapper) {
        descriptors(capability);
        OwnedFd fd = placement.memfd(MEMORY_NAME + number, placement.fileBytes(bytes));
        try {
            return mapper.map(DeviceMemoryKind.DEVICE, fd, bytes, placement.fileBytes(bytes), fd);
        } catch (ProxyException e) {
            fd.close();
            throw new ProxyException(e.result(), name() + ": cannot allocate " + bytes + " bytes: " + e.getMessage(),
                    e);
        } catch (Throwable t) {
            fd.close();
            throw t;
        }
    }

    @Override
    public OwnedFd exportFd(DeviceMemory memory) {
        return descriptors(DeviceCapability.SHAREABLE_MEMORY).duplicate(shareable(memory).fd());
    }

    @Override
    public void unshare(DeviceMemory memory) {
        shareable(memory).fd().close();
    }

    private Descriptors descriptors(DeviceCapability capability) {
        if (!platform.whyNot().isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name() + " has no " + capability + ": "
                    + platform.whyNot());
        }
        return platform.descriptors();
    }

    private HostMemory shareable(DeviceMemory memory) {
        if (memories.get(memory.id()) instanceof HostMemory own && own == memory && own.fd() != null) {
            return own;
        }
        throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name() + ": memory " + memory.id()
                + " has no file descriptor; allocate it shareable");
    }

    /** {@inheritDoc} Refuses memory of more than {@link #MAX_IMPORT_BYTES}. */
    @Override
    public DeviceMemory importFd(OwnedFd fd) {
        return importFd(fd, this::map);
    }

    private DeviceMemory importFd(OwnedFd fd, Mapper mapper) {
        try (fd) {
            long sealed = descriptors(DeviceCapability.SHAREABLE_MEMORY).sealedBytes(fd);
            return imported(fd, sealed, sealed, mapper);
        }
    }

    /** {@inheritDoc} Refuses memory of more than {@link #MAX_IMPORT_BYTES}; it may be more than was said. */
    @Override
    public DeviceMemory importFd(OwnedFd fd, long bytes) {
        try (fd) {
            long sealed = descriptors(DeviceCapability.SHAREABLE_MEMORY).sealedBytes(fd);
            if (bytes < 1 || bytes > sealed) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name() + ": " + fd + " is memory of " + sealed
                        + " bytes, and said to have " + bytes);
            }
            return imported(fd, bytes, sealed, this::map);
        }
    }

    private DeviceMemory imported(OwnedFd fd, long bytes, long sealed, Mapper mapper) {
        if (sealed > MAX_IMPORT_BYTES) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name() + ": " + fd + " is memory of " + sealed
                    + " bytes; at most " + MAX_IMPORT_BYTES + " are mapped");
        }
        // All of it: who knows how large its pages are, and the system unmaps only whole ones.
        return mapper.map(DeviceMemoryKind.IMPORTED, fd, bytes, sealed, null);
    }

    /** Maps a file as memory of the device. */
    @FunctionalInterface
    private interface Mapper {
        /** Null for kept: the memory is another process's. */
        DeviceMemory map(DeviceMemoryKind kind, OwnedFd fd, long bytes, long whole, OwnedFd kept);
    }

    private DeviceMemory mapInBatch(DeviceMemoryKind kind, OwnedFd fd, long bytes, long whole, OwnedFd kept) {
        MappingBatch batch = MappingBatch.join(platform.pages(), number);
        MemorySegment all = null;
        try {
            all = map(fd, whole, batch.arena());
            MemorySegment memory = placement.shared(all, kept != null);
            MemorySegment mapping = all;
            return add(kind, () -> batch.leave(mapping), memory.asSlice(0, bytes), kept);
        } catch (RuntimeException | Error e) {
            batch.leave(all);
            throw e;
        }
    }

    private DeviceMemory map(DeviceMemoryKind kind, OwnedFd fd, long bytes, long whole, OwnedFd kept) {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = placement.shared(map(fd, whole, arena), kept != null);
            return add(kind, () -> Arenas.close(arena), memory.asSlice(0, bytes), kept);
        } catch (RuntimeException e) {
            free(arena);
            throw e;
        }
    }

    /** Unless closing the device did. */
    private static void free(Arena arena) {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    /** Opened anew by its number, since Java maps only what it has opened itself. */
    private MemorySegment map(OwnedFd fd, long bytes, Arena arena) {
        try (FileChannel channel = fd.use(HostDevice::open)) {
            return channel.map(MapMode.READ_WRITE, 0, bytes, arena);
        } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR,
                    name() + ": cannot map " + fd + " of " + bytes + " bytes: " + e + DescriptorLimit.advice(e, ""), e);
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

    private HostMemory add(DeviceMemoryKind kind, Runnable unmapper, MemorySegment segment, OwnedFd fd) {
        HostMemory memory = new HostMemory(this, nextId.getAndIncrement(), kind, unmapper, segment, fd);
        memories.put(memory.id(), memory);
        // Put first, looked afterwards; close() does it the other way round: one of the two finds it.
        if (isClosed) {
            memories.remove(memory.id());
            throw new ProxyException(ProxyResult.INVALID_USAGE, name() + " is closed");
        }
        return memory;
    }

    /** All but what needs descriptors is there on every host. Its kernels are Java and in no modules. */
    @Override
    public Set<DeviceCapability> capabilities() {
        EnumSet<DeviceCapability> all = EnumSet.of(DeviceCapability.HOST_REGISTRATION, DeviceCapability.ASYNC_COPY,
                DeviceCapability.PEER_ACCESS, DeviceCapability.CONCURRENT_PROCESSES);
        if (platform.whyNot().isEmpty()) {
            all.add(DeviceCapability.SHAREABLE_MEMORY);
            all.add(DeviceCapability.IPC_HANDLES);
        }
        return Collections.unmodifiableSet(all);
    }

    @Override
    public DeviceAttributes attributes() {
        return HostHardware.read(ALIGNMENT);
    }

    /** {@inheritDoc} The stream is a thread, which its first command starts. */
    @Override
    public DeviceStream stream(String name) {
        HostDeviceStream stream = new HostDeviceStream(this, new HostEngine(name, this::leaveCpus));
        streams.add(stream);
        if (isClosed) {
            stream.close();
            throw new ProxyException(ProxyResult.INVALID_USAGE, name() + " is closed");
        }
        return stream;
    }

    /** A thread begins on the CPUs of the one that starts it, say the progress thread's; a GPU would take none. */
    private void leaveCpus() {
        try {
            if (platform.whyNot().isEmpty()) {
                platform.bindThread(platform.processCpus());
            }
        } catch (ProxyException e) {
            LOGGER.warn("{}: a stream shares the CPUs of the thread that uses it: {}", name(), e.getMessage());
        }
    }

    @Override
    public DeviceEvent event() {
        return new HostEvent(this);
    }

    /** {@inheritDoc} It must be memory that any thread may use, since streams are threads. */
    @Override
    public DeviceMemory register(MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0 || !memory.isAccessibleBy(OTHER_THREAD)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name() + " cannot register " + memory
                    + ": it must be native, not empty, and of an arena that all threads may use");
        }
        return add(DeviceMemoryKind.REGISTERED, null, memory, null);
    }

    /** {@inheritDoc} There is no driver that could say what is there. */
    @Override
    public DeviceMemory wrap(long address, long bytes) {
        throw new ProxyException(ProxyResult.INVALID_USAGE, name() + " has no " + DeviceCapability.FOREIGN_HANDLES
                + ": its kernels take any segment, such as MemorySegment.ofAddress(address).reinterpret(bytes)");
    }

    @Override
    public DeviceMemory allocateHost(long bytes) {
        return allocate(bytes, DeviceMemoryKind.HOST);
    }

    @Override
    public DeviceMemory allocateIpc(long bytes) {
        return allocateFile(DeviceCapability.IPC_HANDLES, bytes, this::map);
    }

    /** {@inheritDoc} It says where in this process the memory's descriptor is; the system checks the user. */
    @Override
    public byte[] ipcHandle(DeviceMemory memory) {
        descriptors(DeviceCapability.IPC_HANDLES);
        HostMemory own = shareable(memory);
        long fileBytes = placement.fileBytes(own.bytes());
        return own.fd().use(number -> HostIpcHandle.of(number, fileBytes)).encode();
    }

    @Override
    public DeviceMemory openIpc(byte[] handle) {
        Descriptors descriptors = descriptors(DeviceCapability.IPC_HANDLES);
        HostIpcHandle there = HostIpcHandle.decode(handle);
        OwnedFd fd = descriptors.open(there.path());
        try {
            if (!fd.use(there::isIt) || descriptors.sealedBytes(fd) != there.bytes()) {
                throw new ProxyException(ProxyResult.REMOTE_ERROR, name() + ": " + there + " was freed");
            }
        } catch (Throwable t) {
            fd.close();
            throw t;
        }
        return importFd(fd);
    }

    @Override
    public boolean canAccessPeer(Device peer) {
        return peer instanceof HostDevice;
    }

    /** {@inheritDoc} All host devices of a host have the same memory. */
    @Override
    public String whyNoPeer(PeerDevice peer) {
        return peer.kind().equals(Devices.HOST) ? "" : name() + " reaches no memory of a " + peer.kind() + " device";
    }

    @Override
    public synchronized void enablePeerAccess(Device peer) {
        if (!(peer instanceof HostDevice other)) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name() + " cannot access memory of " + peer.name());
        }
        if (!reaches(other)) {
            HostDevice[] more = Arrays.copyOf(peers, peers.length + 1);
            more[peers.length] = other;
            peers = more;
        }
    }

    /** Whether streams of this device may use memory and events of that one. */
    boolean reaches(HostDevice other) {
        if (other == this) {
            return true;
        }
        for (HostDevice peer : peers) {
            if (peer == other) {
                return true;
            }
        }
        return false;
    }

    void forget(HostMemory memory) {
        memories.remove(memory.id());
    }

    void forget(HostDeviceStream stream) {
        streams.remove(stream);
    }

    @Override
    public void disown(DeviceMemory memory) {
        ((HostMemory) memory(memory.id())).disown();
    }

    @Override
    public void close() {
        isClosed = true;
        streams.forEach(HostDeviceStream::close);
        IllegalStateException inUse = null;
        for (HostMemory memory : memories.values()) {
            try {
                if (!memory.isDisowned()) {
                    memory.close();
                }
            } catch (IllegalStateException e) {
                inUse = e;
            }
        }
        if (inUse != null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name() + " cannot free memory that a call still uses;"
                    + " close it again when the call has returned", inUse);
        }
    }
}
