/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.PeerInfo;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceMemory;
import java.time.Duration;

/** Which kind of segment two ranks use, and where it comes from. Any thread. */
final class SegmentKinds implements AutoCloseable {
    private final SegmentKind wanted;
    private final SegmentSource memfds;

    SegmentKinds(ProxyConfig config, SegmentSource memfds) {
        this.wanted = config.get(ShmOptions.SEGMENT);
        this.memfds = memfds;
    }

    /** Empty if there is a kind that both ranks can use. The other rank comes to the same answer. */
    String whyNot(PeerInfo self, PeerInfo peer) {
        return whyNoMemfd(self, peer);
    }

    String describe() {
        return "segments: " + wanted;
    }

    /** The kind of this rank's segment; call {@link #whyNot} first. */
    SegmentKind choose(PeerInfo self, PeerInfo peer) {
        return SegmentKind.MEMFD;
    }

    SegmentSource source(SegmentKind kind) {
        return memfds;
    }

    /** As {@link SegmentSource#open}. */
    DeviceMemory open(SegmentAddress address, Duration timeout) {
        return source(address.kind()).open(address, timeout);
    }

    private static String whyNoMemfd(PeerInfo self, PeerInfo peer) {
        for (PeerInfo rank : new PeerInfo[] {self, peer}) {
            if (rank.uds().isEmpty()) {
                return "rank " + rank.rank() + " passes no file descriptors";
            }
        }
        return "";
    }

    @Override
    public void close() {
    }
}
