/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.transport.ConnectorEnd;
import io.proxyrt.core.transport.OpenedEnd;
import io.proxyrt.transport.shm.ShmMessages.ConnectInfo;

/**
 * A segment that the peer made, mapped here and found to be what the peer said.
 *
 * @param info   what the peer said
 * @param mapped the segment
 */
record PeerSegment(ConnectInfo info, MappedSegment mapped) implements OpenedEnd {
    @Override
    public ConnectorEnd end() {
        return info.setup().end();
    }

    DeviceMemory memory() {
        return mapped.memory();
    }

    /** Tells its maker that it is mapped, so that it can be sealed. */
    void attach() {
        SegmentHeader.attach(memory().segment());
        mapped.seal();
    }

    @Override
    public void close() {
        mapped.close();
    }
}
