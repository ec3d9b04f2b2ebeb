/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.MemorySharing;
import io.proxyrt.core.PeerInfo;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import java.time.Duration;
import java.util.Set;

/** Segments in memory that cannot shrink, of which the UDS thread gives the peer, and nobody else, a descriptor. */
final class MemfdSegments implements SegmentSource {
    private final Device device;
    private final Exports exports;

    MemfdSegments(Device device, Exports exports) {
        this.device = device;
        this.exports = exports;
    }

    /** What the UDS thread does for it. */
    interface Exports {
        /** As {@link MemorySharing#whyNot(PeerInfo, PeerInfo)}. */
        String whyNot(PeerInfo self, PeerInfo peer);

        /** As {@link MemorySharing#address}. */
        String address();

        /** As {@link MemorySharing#export}. */
        long export(DeviceMemory memory, Set<Integer> ranks);

        /** As {@link MemorySharing#revoke}. */
        boolean revoke(long handle);

        /** As {@link MemorySharing#open}. */
        DeviceMemory open(String address, long handle, Duration timeout);

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
                public long export(DeviceMemory memory, Set<Integer> ranks) {
                    return sharing.export(memory, ranks);
                }

                @Override
                public boolean revoke(long handle) {
                    return sharing.revoke(handle);
                }

                @Override
                public DeviceMemory open(String address, long handle, Duration timeout) {
                    return sharing.open(address, handle, timeout);
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
        DeviceMemory memory = device.allocateShareable(bytes);
        try {
            return new Exported(memory, exports.export(memory, Set.of(peer)));
        } catch (RuntimeException e) {
            memory.close();
            throw e;
        }
    }

    /** {@inheritDoc} The size is what was mapped. */
    @Override
    public MappedSegment open(SegmentAddress address, long bytes, Duration timeout) {
        return new Imported(exports.open(address.place(), address.key(), timeout));
    }

    @Override
    public String describe() {
        return "memfd by the UDS thread";
    }

    private final class Exported implements Segment {
        private final DeviceMemory memory;
        private final SegmentAddress address;

        Exported(DeviceMemory memory, long handle) {
            this.memory = memory;
            this.address = new SegmentAddress(SegmentKind.MEMFD, exports.address(), handle);
        }

        @Override
        public DeviceMemory memory() {
            return memory;
        }

        @Override
        public SegmentAddress address() {
            return address;
        }

        @Override
        public void seal() {
            exports.revoke(address.key());
        }

        @Override
        public void close() {
            seal();
            memory.close();
        }
    }

    private record Imported(DeviceMemory memory) implements MappedSegment {
        /** Its maker does. */
        @Override
        public void seal() {
        }

        @Override
        public void close() {
            memory.close();
        }
    }
}
