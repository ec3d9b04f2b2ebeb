/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.progress.PeerInfo;
import java.time.Duration;

/** Segments of one kind. Any thread. */
interface SegmentSource {
    /** Empty if two ranks can share segments of this kind, else the reason. Both ranks come to the same answer. */
    String whyNot(PeerInfo self, PeerInfo peer);

    /**
     * Makes a segment, zeroed. Does not wait.
     *
     * @param bytes its size
     * @param peer  the rank that may map it
     * @return owned by the caller
     */
    Segment make(long bytes, int peer);

    /**
     * Maps a segment of a peer. Blocks.
     *
     * @param address as the peer told, not to be trusted
     * @param bytes   its least size
     * @param timeout for the answer
     * @return owned by the caller; what is in it is not to be trusted
     */
    MappedSegment open(SegmentAddress address, long bytes, Duration timeout);

    /** For people. */
    String describe();
}
