/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.transport.shm.ShmMessages.ConnectInfo;

/**
 * A segment that the peer made, mapped here and found to be what the peer said.
 *
 * @param info   what the peer said
 * @param memory all of it
 */
record PeerSegment(ConnectInfo info, DeviceMemory memory) implements AutoCloseable {
    @Override
    public void close() {
        memory.close();
    }
}
