/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.LinkType;
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
import io.proxyrt.core.device.DeviceModule;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.DmaBuf;
import io.proxyrt.core.device.PeerDevice;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * A GPU. Threads that call it get it for their driver's current device, and it stays that; a thread that uses its
 * streams does not change it past this library.
 */
final class GpuDevice implements Device {
    private static final Logger LOGGER = Subsystem.INIT.logger();
    /** For what is on streams to end. */
    static final long CLOSE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    /** Any thread but those that confine memory to themselves. */
    private static final Thread OTHER_THREAD = Thread.ofPlatform().unstarted(() -> { });

    private final GpuProcess process;
    private final GpuApi api;
    private final int ordinal;
    private final KernelCache kernels;
    private final Set<DeviceCapability> capabilities;
    private final DeviceAttributes attributes;
    private final GpuAllocator allocator;
    private final GpuForeign foreign;
    private final GpuExporter exporter;
    private final AtomicLong nextId = new AtomicLong(1);
    private final Map<Long, GpuMemory> memories = new ConcurrentHashMap<>();
    private final Set<GpuStream> streams = ConcurrentHashMap.newKeySet();
    /** Events and graphs. */
    private final Set<GpuHandle> handles = ConcurrentHashMap.newKeySet();
    private final Set<GpuModule> modules = ConcurrentHashMap.newKeySet();
    /** Ordinals of devices that use this one's memory. */
    private final Set<Integer> users = new TreeSet<>();
    private final GpuPeers peers;
    private final GpuFlush flush;
    private volatile boolean isClosed;

    /** Makes the driver's context, unless this process has one. */
    GpuDevice(GpuProcess process, int ordinal) {
        this(process, ordinal, null, new KernelCache(null));
    }

    /**
     * The same.
     *
     * @param gdrCopy to flush by, if it can be used; null if it is not asked for
     * @param kernels that were compiled before
     */
    GpuDevice(GpuProcess process, int ordinal, GdrCopy gdrCopy, KernelCache kernels) {
        this.process = process;
        this.api = process.api();
        this.ordinal = ordinal;
        this.kernels = kernels;
        enter();
        GpuProbe probe = new GpuProbe(process, ordinal);
        Set<DeviceCapability> found = probe.capabilities();
        this.attributes = probe.attributes(found.contains(DeviceCapability.SHAREABLE_MEMORY));
        this.peers = new GpuPeers(process, this);
        this.allocator = new GpuAllocator(this, process.reclaimer());
        this.foreign = new GpuForeign(this);
        this.exporter = new GpuExporter(this);
        this.flush = GpuFlush.of(this, allocator, gdrCopy);
        this.capabilities = flush.capabilities(found);
    }

    GpuApi api() {
        return api;
    }

    int ordinal() {
        return ordinal;
    }

    long granularity() {
        return attributes.limits().granularityBytes();
    }

    int maxBlockThreads() {
        return attributes.limits().maxBlockThreads();
    }

    void checkThread() {
        process.checkThread(ordinal);
    }

    void enter() {
        process.enter(ordinal);
    }

    boolean isEntered() {
        return process.isCurrent(ordinal);
    }

    /** Whether something is being freed that would wait for a kernel. */
    boolean isFreeing() {
        return process.reclaimer().isFreeing();
    }

    /** 1, or a negated result. */
    int tryEnter() {
        if (isEntered()) {
            return 1;
        }
        try {
            enter();
            return 1;
        } catch (ProxyException e) {
            LOGGER.debug("{}: {}", name(), e.getMessage());
            return -e.result().code();
        }
    }

    @Override
    public String name() {
        return process.name(ordinal);
    }

    @Override
    public Set<DeviceCapability> capabilities() {
        return capabilities;
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes;
    }

    @Override
    public DeviceMemory allocate(long bytes) {
        enterOpen();
        return allocator.allocate(bytes);
    }

    @Override
    public DeviceMemory allocateHost(long bytes) {
        enterOpen();
        return allocator.allocateHost(bytes);
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
    public long deviceAddress(MemorySegment segment, long bytes) {
        return segment.isNative() ? process.addresses().find(ordinal, segment.address(), bytes) : 0;
    }

    @Override
    public DeviceMemory allocateShareable(long bytes) {
        enterOpen(DeviceCapability.SHAREABLE_MEMORY);
        return allocator.allocateShareable(bytes);
    }

    @Override
    public OwnedFd exportFd(DeviceMemory memory) {
        enterOpen(DeviceCapability.SHAREABLE_MEMORY);
        return exporter.fd(own(memory));
    }

    @Override
    public DeviceMemory importFd(OwnedFd fd) {
        try (fd) {
            need(DeviceCapability.SHAREABLE_MEMORY);
            throw new ProxyException(ProxyResult.INVALID_USAGE, name() + " has to be told how much memory " + fd
                    + " is of: the driver's descriptors do not say");
        }
    }

    /** {@inheritDoc} Refuses more than {@link GpuAllocator#MAX_FOREIGN_BYTES}; there may be more than was said. */
    @Override
    public DeviceMemory importFd(OwnedFd fd, long bytes) {
        try (fd) {
            enterOpen(DeviceCapability.SHAREABLE_MEMORY);
            return allocator.importFd(fd, bytes);
        }
    }

    @Override
    public DeviceMemory allocateIpc(long bytes) {
        enterOpen(DeviceCapability.IPC_HANDLES);
        return allocator.allocateIpc(bytes);
    }

    @Override
    public byte[] ipcHandle(DeviceMemory memory) {
        need(DeviceCapability.IPC_HANDLES);
        return exporter.ipcHandle(own(memory));
    }

    @Override
    public DeviceMemory openIpc(byte[] handle) {
        enterOpen(DeviceCapability.IPC_HANDLES);
        return allocator.openIpc(handle);
    }

    /** {@inheritDoc} It must be memory that any thread may use, since the device does when it likes. */
    @Override
    public DeviceMemory register(MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0 || !memory.isAccessibleBy(OTHER_THREAD)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name() + " cannot register " + memory
                    + ": it must be native, not empty, and of an arena that all threads may use");
        }
        enterOpen();
        return allocator.register(memory);
    }

    @Override
    public DeviceMemory wrap(long address, long bytes) {
        enterOpen(DeviceCapability.FOREIGN_HANDLES);
        return foreign.wrap(address, bytes);
    }

    /** Of this device, and allocated. */
    private GpuMemory own(DeviceMemory memory) {
        if (memory instanceof GpuMemory own && own.device() == this && own.isAlive()) {
            return own;
        }
        throw new ProxyException(ProxyResult.INVALID_ARGUMENT, memory + " is freed, or not of " + name());
    }

    /** Peers get at what is mapped one by one; all else they have reached since access was enabled. */
    synchronized GpuMemory add(DeviceMemoryKind kind, GpuMemory.Place place, GpuBacking backing) {
        GpuMemory memory = new GpuMemory(this, nextId.getAndIncrement(), kind, place, backing);
        try {
            checkOpen();
            users.forEach(user -> grant(memory, user));
        } catch (ProxyException e) {
            if (place.arena() != null) {
                place.arena().close();
            }
            throw e;
        }
        memories.put(memory.id(), memory);
        process.addresses().add(memory);
        return memory;
    }

    private void grant(GpuMemory memory, int user) {
        if (memory.backing() instanceof GpuBacking.Mapped mapped) {
            api.memSetAccess(mapped.address(), mapped.bytes(), user);
        }
    }

    void zero(long address, long bytes) {
        enter();
        api.memset(address, 0, bytes);
    }

    /** Registered memory is its owner's again when this returns, so that it waits until no stream can be using it. */
    void release(GpuMemory memory, long timeoutNs) {
        memories.remove(memory.id());
        process.addresses().remove(memory);
        if (memory.kind() == DeviceMemoryKind.FOREIGN) {
            return;
        }
        GpuBacking backing = memory.backing();
        GpuReclaimer.Release release = new GpuReclaimer.Release(ordinal, memory.toString(), backing.isBlocking(),
                backing::free);
        if (memory.kind() != DeviceMemoryKind.REGISTERED) {
            process.reclaimer().release(release);
        } else if (!process.reclaimer().release(release, timeoutNs)) {
            throw new ProxyException(ProxyResult.TIMEOUT, memory + " stays pinned until the streams that may use it are"
                    + " done; do not unmap it before");
        }
    }

    @Override
    public DeviceStream stream(String name) {
        enterOpen();
        return opened(GpuStream.create(this, name));
    }

    @Override
    public DeviceStream wrapStream(long handle, String name) {
        enterOpen(DeviceCapability.FOREIGN_HANDLES);
        return opened(GpuStream.wrap(this, name, handle));
    }

    private GpuStream opened(GpuStream stream) {
        streams.add(stream);
        process.reclaimer().add(stream);
        if (isClosed) {
            stream.close();
            checkOpen();
        }
        return stream;
    }

    void destroy(GpuStream stream) {
        streams.remove(stream);
        GpuReclaimer reclaimer = process.reclaimer();
        reclaimer.release(new GpuReclaimer.Release(ordinal, stream.toString(), false,
                gpu -> reclaimer.destroy(stream)));
    }

    @Override
    public DeviceEvent event() {
        enterOpen();
        return opened(new GpuEvent(this, api.eventCreate()));
    }

    /** Has it closed with the device, if that does not come first. */
    <T extends GpuHandle> T opened(T made) {
        handles.add(made);
        if (isClosed) {
            made.close();
            checkOpen();
        }
        return made;
    }

    void destroy(GpuHandle made) {
        if (!handles.remove(made)) {
            return;
        }
        try {
            enter();
            made.destroy(api);
        } catch (ProxyException e) {
            LOGGER.debug("{} does not take back an event or a graph: {}", name(), e.getMessage());
        }
    }

    @Override
    public boolean canAccessPeer(Device peer) {
        return peer instanceof GpuDevice other && other.process == process && peers.canAccess(other.ordinal);
    }

    @Override
    public LinkType linkTo(PeerDevice peer) {
        return peers.linkTo(attributes.kind(), peer);
    }

    @Override
    public void enablePeerAccess(Device peer) {
        if (!(peer instanceof GpuDevice other) || !canAccessPeer(peer)) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name() + " cannot access memory of " + peer.name());
        }
        enterOpen();
        if (other.ordinal != ordinal) {
            api.enablePeerAccess(other.ordinal);
            other.grantAll(ordinal);
        }
        peers.add(other);
    }

    private synchronized void grantAll(int user) {
        memories.values().forEach(memory -> grant(memory, user));
        users.add(user);
    }

    /** Whether streams of this device may use memory and events of that one. */
    boolean reaches(GpuDevice other) {
        return peers.has(other);
    }

    @Override
    public String whyNoPeer(PeerDevice peer) {
        return peers.whyNot(attributes.kind(), peer);
    }

    @Override
    public DmaBuf exportDmaBuf(DeviceMemory memory, long offset, long bytes) {
        enterOpen(DeviceCapability.DMA_BUF);
        return exporter.dmaBuf(own(memory), offset, bytes);
    }

    @Override
    public MemorySegment hdpRegister() {
        need(DeviceCapability.HDP_REGISTER);
        return api.hdpRegister(ordinal);
    }

    @Override
    public int flush() {
        need(DeviceCapability.WRITE_FLUSH);
        return flush.flush();
    }

    @Override
    public GpuModule loadModule(MemorySegment image) {
        enterOpen();
        GpuModule module = GpuModule.load(this, image);
        modules.add(module);
        if (isClosed) {
            module.close();
            checkOpen();
        }
        return module;
    }

    @Override
    public DeviceModule compile(String name, String source) {
        enterOpen();
        return kernels.load(this, name, source);
    }

    @Override
    public void compileAhead(String name, String source) {
        kernels.compileAhead(this, name, source);
    }

    long function(long module, String name) {
        enterOpen();
        return api.moduleFunction(module, name);
    }

    void unload(GpuModule module) {
        modules.remove(module);
        process.reclaimer().release(new GpuReclaimer.Release(ordinal, "a module", true,
                gpu -> gpu.moduleUnload(module.handle())));
    }

    private void need(DeviceCapability capability) {
        if (!capabilities.contains(capability)) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name() + " has no " + capability);
        }
    }

    private void enterOpen(DeviceCapability needed) {
        need(needed);
        enterOpen();
    }

    private void enterOpen() {
        checkOpen();
        enter();
    }

    private void checkOpen() {
        if (isClosed) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name() + " is closed");
        }
    }

    @Override
    public void disown(DeviceMemory memory) {
        own(memory).disown();
    }

    /** {@inheritDoc} What a stream that does not end may use, the driver gets back when it has ended. */
    @Override
    public void close() {
        checkThread();
        synchronized (this) {
            isClosed = true;
        }
        long deadline = System.nanoTime() + CLOSE_TIMEOUT_NS;
        streams.forEach(stream -> stream.close(deadline - System.nanoTime()));
        handles.forEach(GpuHandle::close);
        modules.forEach(GpuModule::close);
        RuntimeException inUse = flush.close();
        for (GpuMemory memory : memories.values()) {
            try {
                if (!memory.isDisowned()) {
                    memory.close(deadline - System.nanoTime());
                }
            } catch (ProxyException | IllegalStateException e) {
                inUse = e;
            }
        }
        if (inUse != null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name() + " is closed, but for memory that is still"
                    + " used; close it again when it is not: " + inUse.getMessage(), inUse);
        }
    }
}
