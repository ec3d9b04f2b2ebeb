/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.device.DeviceMemory;

/** A segment that this rank made. Service thread. */
interface Segment extends AutoCloseable {
    /** All of it. */
    DeviceMemory memory();

    /** What the peer has to know. */
    SegmentAddress address();

    /** Lets nobody else map it: the peer has, or never will. Idempotent. */
    void seal();

    /** Seals and frees it; a peer that has mapped it keeps what it has. Idempotent. */
    @Override
    void close();
}
