/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.progress.PeerInfo;
import java.time.Duration;

/** One way for memory to get from the rank that made it to another one. Any thread. */
interface MemoryWay {
    /** Empty if memory of both ranks' devices can go this way, else the reason. Both ranks come to the same answer. */
    String whyNot(PeerInfo self, PeerInfo peer);

    /**
     * Allocates memory that can go this way.
     *
     * @param owner whose
     * @param bytes how much
     * @return zeroed; owned by the caller
     */
    DeviceMemory allocate(Device owner, long bytes);

    /**
     * Lets a rank open memory, until it is {@linkplain #withdraw withdrawn}.
     *
     * @param owner  whose
     * @param memory of {@link #allocate}
     * @param peer   the rank that may
     * @return what to tell it, and whether it has
     */
    MemoryOffer offer(Device owner, DeviceMemory memory, int peer);

    /** Undoes {@link #offer}; who has opened the memory keeps it. Idempotent. */
    void withdraw(MemoryOffer offer);

    /**
     * Opens memory of a peer. Blocks.
     *
     * @param importer the device that is to reach it
     * @param name     as the peer told, not to be trusted
     * @param bytes    its size
     * @param timeout  for the answer
     * @return owned by the caller; what is in it is not to be trusted
     */
    DeviceMemory open(Device importer, MemoryName name, long bytes, Duration timeout);
}
