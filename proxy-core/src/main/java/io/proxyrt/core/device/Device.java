/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

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

    /** Frees what is still allocated. Idempotent. */
    @Override
    void close();
}
