/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.device.DeviceMemory;

/** A segment that this process maps. Service thread. */
interface MappedSegment extends AutoCloseable {
    /** All of it, known to the device. */
    DeviceMemory memory();

    /** Lets no process map it any more: both ranks have, or never will. Idempotent. */
    void seal();

    /** Unmaps it; the other rank, if it has mapped it, keeps what it has. Idempotent. */
    @Override
    void close();
}
