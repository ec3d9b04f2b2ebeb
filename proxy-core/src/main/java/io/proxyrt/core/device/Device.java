/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.uds.OwnedFd;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * What the proxies ask of a GPU, or of what plays it: memory that kernels and networks both reach. Any thread.
 */
public interface Device extends AutoCloseable {
    /**
     * Its kind and number.
     *
     * @return such as {@code host:0}
     */
    String name();

    /**
     * Allocates zeroed memory that kernels and the proxy read and write. Blocks for as long as the system takes.
     *
     * @param bytes how much, greater than 0; aligned to a page
     * @return owned by the caller
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#SYSTEM_ERROR} if there is no memory
     */
    DeviceMemory allocate(long bytes);

    /**
     * Finds memory of this device by the id under which a transport announced it within the process.
     *
     * @param id as {@link DeviceMemory#id()}
     * @return the memory
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} if it is unknown or
     *                                        was freed
     */
    DeviceMemory memory(long id);

    /**
     * Allocates zeroed memory that other processes of this host can map. Blocks for as long as the system takes.
     *
     * @param bytes how much, greater than 0; aligned to a page, and not rounded up to pages
     * @return owned by the caller
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#SYSTEM_ERROR} if there is none,
     *                                        {@link io.proxyrt.core.ProxyResult#INVALID_USAGE} with the reason if the
     *                                        device or the platform cannot
     */
    DeviceMemory allocateShareable(long bytes);

    /**
     * A file descriptor by which another process can map memory.
     *
     * @param memory of {@link #allocateShareable}
     * @return owned by the caller
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} if it is other memory
     */
    OwnedFd exportFd(DeviceMemory memory);

    /**
     * Maps memory that another process allocated.
     *
     * @param fd of {@link #exportFd} there; not to be trusted; owned by the device from now on, even if this throws
     * @return owned by the caller
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} if it is something
     *                                        else, or could shrink while it is mapped
     */
    DeviceMemory importFd(OwnedFd fd);

    /**
     * What it can do, here and now.
     *
     * @return by what the methods are named after; the rest throws {@link ProxyResult#INVALID_USAGE}
     */
    default Set<DeviceCapability> capabilities() {
        return Set.of();
    }

    /**
     * Makes a stream.
     *
     * @param name for its thread, if it has one
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} without {@link DeviceCapability#ASYNC_COPY}
     */
    default DeviceStream stream(String name) {
        throw lacks(DeviceCapability.ASYNC_COPY);
    }

    /**
     * Makes an event.
     *
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} without {@link DeviceCapability#ASYNC_COPY}
     */
    default DeviceEvent event() {
        throw lacks(DeviceCapability.ASYNC_COPY);
    }

    /**
     * Allocates zeroed memory of the host that kernels reach as well, and that copies need no staging for. Blocks for
     * as long as the system takes.
     *
     * @param bytes how much, greater than 0; aligned to a page
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if there is no memory
     */
    default DeviceMemory allocateHost(long bytes) {
        return allocate(bytes);
    }

    /**
     * Makes memory of the host that exists, such as a mapped file, reachable for kernels and copies.
     *
     * @param memory native; stays the caller's, who closes what this returns before he frees it
     * @return owned by the caller; closing it leaves the memory alone
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is not native,
     *                        {@link ProxyResult#INVALID_USAGE} without {@link DeviceCapability#HOST_REGISTRATION}
     */
    default DeviceMemory register(MemorySegment memory) {
        throw lacks(DeviceCapability.HOST_REGISTRATION);
    }

    private ProxyException lacks(DeviceCapability capability) {
        return new ProxyException(ProxyResult.INVALID_USAGE, name() + " has no " + capability);
    }

    /** Frees what is still allocated. Idempotent. */
    @Override
    void close();
}
