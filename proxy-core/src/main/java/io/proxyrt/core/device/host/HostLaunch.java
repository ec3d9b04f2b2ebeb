/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.LaunchShape;
import java.lang.foreign.MemorySegment;

/** What a kernel of the host device was launched with. The stream's thread only. */
public interface HostLaunch {
    /**
     * How many threads a GPU would take.
     *
     * @return as it was launched
     */
    LaunchShape shape();

    /**
     * The argument block.
     *
     * @return a copy, aligned to 8
     */
    MemorySegment arguments();

    /**
     * Memory behind an address of the argument block. Looks through all memory of the device, so once a launch.
     *
     * @param address within a {@link DeviceMemory} of this device, or of a peer
     * @param bytes   from there on
     * @return good as long as the memory is not freed
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} if it is not all of
     *                                        one such memory: where a GPU would fault
     */
    MemorySegment memory(long address, long bytes);
}
