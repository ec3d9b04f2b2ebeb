/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DmaBuf;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.verbs.MemoryRegion;
import io.proxyrt.core.verbs.ProtectionDomain;
import io.proxyrt.transport.net.spi.NetMemory;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Memory registered at the ports of a device: for all of its comms. */
final class IbMemory implements NetMemory {
    private static final int ACCESS = ProtectionDomain.LOCAL_WRITE | ProtectionDomain.REMOTE_WRITE
            | ProtectionDomain.REMOTE_READ;

    private final IbDevice device;
    private final MemorySegment segment;
    private final boolean isHosts;
    /** By port; none for memory without bytes. */
    private final MemoryRegion[] regions;
    private final Registry registry;
    private boolean isClosed;

    private IbMemory(IbDevice device, MemorySegment segment, boolean isHosts, MemoryRegion[] regions,
            Registry registry) {
        this.device = device;
        this.segment = segment;
        this.isHosts = isHosts;
        this.regions = regions;
        this.registry = registry;
    }

    /** What a network has registered. Any thread. */
    static final class Registry implements AutoCloseable {
        private final int relaxedOrdering;
        private final Set<IbMemory> open = ConcurrentHashMap.newKeySet();

        /** As {@link IbSettings.Data#relaxedOrdering}. */
        Registry(int relaxedOrdering) {
            this.relaxedOrdering = relaxedOrdering;
        }

        /** Memory of the host, which receives unless it is read-only. */
        IbMemory register(IbDevice device, MemorySegment segment) {
            if (!segment.isNative()) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "memory on the Java heap cannot be registered");
            }
            if (!segment.scope().isAlive()) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "memory that was freed cannot be registered");
            }
            int access = segment.isReadOnly() ? 0 : ACCESS;
            MemoryRegion[] regions = segment.byteSize() == 0 ? new MemoryRegion[0] : regions(device,
                    port -> relaxed(access, with -> port.adapter().domain().register(segment, with)));
            return add(device, segment, true, regions);
        }

        /** Memory of a GPU. */
        IbMemory register(IbDevice device, MemorySegment range, DmaBuf dmaBuf) {
            return add(device, range, false, regions(device, port -> relaxed(ACCESS, with -> port.adapter().domain()
                    .registerDmaBuf(dmaBuf.fd().number(), dmaBuf.offset(), range.byteSize(), range.address(), with))));
        }

        private IbMemory add(IbDevice device, MemorySegment segment, boolean isHosts, MemoryRegion[] regions) {
            IbMemory memory = new IbMemory(device, segment, isHosts, regions, this);
            open.add(memory);
            return memory;
        }

        private MemoryRegion relaxed(int access, Function<Integer, MemoryRegion> registration) {
            if (relaxedOrdering == 0) {
                return registration.apply(access);
            }
            try {
                return registration.apply(access | ProtectionDomain.RELAXED_ORDERING);
            } catch (ProxyException e) {
                if (relaxedOrdering == 1) {
                    throw e;
                }
                return registration.apply(access);
            }
        }

        private static MemoryRegion[] regions(IbDevice device, Function<IbPort, MemoryRegion> registration) {
            MemoryRegion[] regions = new MemoryRegion[device.ports().size()];
            try {
                for (int i = 0; i < regions.length; i++) {
                    regions[i] = registration.apply(device.ports().get(i));
                }
                return regions;
            } catch (RuntimeException | Error e) {
                closing(regions);
                throw e;
            }
        }

        /** Ends what is registered still: domains end after their regions. */
        @Override
        public void close() {
            Closing closing = new Closing();
            open.forEach(closing::add);
            closing.end();
        }
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    /** The device that it is registered with. */
    IbDevice device() {
        return device;
    }

    /** Whether it is still registered, and its owner has not freed it. */
    boolean isUsable() {
        return !isClosed && segment.scope().isAlive();
    }

    /** Whether the CPU may read it. */
    boolean isHosts() {
        return isHosts;
    }

    int lkey(int port) {
        return regions.length == 0 ? 0 : regions[port].lkey();
    }

    int rkey(int port) {
        return regions.length == 0 ? 0 : regions[port].rkey();
    }

    /** How many ports it is registered at; 0 if it has no bytes. */
    int ports() {
        return regions.length;
    }

    @Override
    public void close() {
        isClosed = true;
        if (registry.open.remove(this)) {
            closing(regions).end();
        }
    }

    private static Closing closing(MemoryRegion[] regions) {
        Closing closing = new Closing();
        for (MemoryRegion region : regions) {
            closing.add(region);
        }
        return closing;
    }
}
