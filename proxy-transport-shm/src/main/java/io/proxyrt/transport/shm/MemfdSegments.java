/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.progress.MemorySharing;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.transport.Owned;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Segments in memory that cannot shrink, of which the UDS thread gives a descriptor to the peer only. They
 * are the host's memory whatever the device is. One that is not the host registers each segment once, which takes it
 * milliseconds, for as long as the segment is mapped.
 */
final class MemfdSegments implements SegmentSource {
    private final Device host;
    private final Device device;
    private final Exports exports;

    /** Of memory of the host, which is the device itself, or whose memory it can register. */
    MemfdSegments(Device host, Device device, Exports exports) {
        this.host = host;
        this.device = device;
        this.exports = exports;
    }

    /** What the UDS thread does for it. */
    interface Exports {
        /** As {@link MemorySharing#whyNot(PeerInfo, PeerInfo)}. */
        String whyNot(PeerInfo self, PeerInfo peer);

        /** As {@link MemorySharing#address}. */
        String address();

        /** As {@link MemorySharing#export(Supplier, Set)}. */
        long export(Supplier<OwnedFd> source, Set<Integer> ranks);

        /** As {@link MemorySharing#revoke}. */
        boolean revoke(long handle);

        /** As {@link MemorySharing#getFd}, for one handle. */
        OwnedFd getFd(String address, long handle, Duration timeout);

        static Exports of(MemorySharing sharing) {
            return new Exports() {
                @Override
                public String whyNot(PeerInfo self, PeerInfo peer) {
                    return sharing.whyNot(self, peer);
                }

                @Override
                public String address() {
                    return sharing.address();
                }

                @Override
                public long export(Supplier<OwnedFd> source, Set<Integer> ranks) {
                    return sharing.export(source, ranks);
                }

                @Override
                public boolean revoke(long handle) {
                    return sharing.revoke(handle);
                }

                @Override
                public OwnedFd getFd(String address, long handle, Duration timeout) {
                    return sharing.getFd(address, timeout, handle).getFirst();
                }
            };
        }
    }

    @Override
    public String whyNot(PeerInfo self, PeerInfo peer) {
        return exports.whyNot(self, peer);
    }

    @Override
    public Segment make(long bytes, int peer) {
        try (Owned owned = new Owned()) {
            DeviceMemory memory = owned.add(allocate(bytes));
            DeviceMemory known = owned.add(known(memory));
            Segment made = new Exported(new Shared(memory, known),
                    exports.export(() -> host.exportFd(memory), Set.of(peer)));
            owned.release();
            return made;
        }
    }

    /** {@inheritDoc} The size is what was mapped. */
    @Override
    public MappedSegment open(SegmentAddress address, long bytes, Duration timeout) {
        try (Owned owned = new Owned()) {
            DeviceMemory memory = owned.add(map(exports.getFd(address.place(), address.key(), timeout)));
            MappedSegment mapped = new Imported(new Shared(memory, owned.add(known(memory))));
            owned.release();
            return mapped;
        }
    }

    private DeviceMemory allocate(long bytes) {
        return host instanceof HostDevice own ? own.allocateSegment(bytes) : host.allocateShareable(bytes);
    }

    private DeviceMemory map(OwnedFd fd) {
        return host instanceof HostDevice own ? own.importSegment(fd) : host.importFd(fd);
    }

    private DeviceMemory known(DeviceMemory memory) {
        return host == device ? memory : device.register(memory.segment());
    }

    @Override
    public String describe() {
        return "memfd by the UDS thread";
    }

    /** Memory of the host, and as the device knows it: the same, if the device is the host. */
    private record Shared(DeviceMemory memory, DeviceMemory known) implements AutoCloseable {
        /** The device forgets it before it is unmapped. */
        @Override
        public void close() {
            known.close();
            memory.close();
        }
    }

    private final class Exported implements Segment {
        private final Shared shared;
        private final SegmentAddress address;

        Exported(Shared shared, long handle) {
            this.shared = shared;
            this.address = new SegmentAddress(SegmentKind.MEMFD, exports.address(), handle);
        }

        @Override
        public DeviceMemory memory() {
            return shared.known;
        }

        @Override
        public SegmentAddress address() {
            return address;
        }

        @Override
        public void seal() {
            exports.revoke(address.key());
            host.unshare(shared.memory);
        }

        @Override
        public void close() {
            exports.revoke(address.key());
            shared.close();
        }
    }

    private record Imported(Shared shared) implements MappedSegment {
        @Override
        public DeviceMemory memory() {
            return shared.known;
        }

        /** Its maker does. */
        @Override
        public void seal() {
        }

        @Override
        public void close() {
            shared.close();
        }
    }
}
