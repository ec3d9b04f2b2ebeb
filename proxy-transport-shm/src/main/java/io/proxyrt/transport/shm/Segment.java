/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

/** A segment that this rank made; closing it seals it too. */
interface Segment extends MappedSegment {
    /** What the peer has to know. */
    SegmentAddress address();
}
