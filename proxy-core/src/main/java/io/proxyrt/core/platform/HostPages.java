/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Pages of this host's memory: how large they are, and on which NUMA node they lie. Any thread. */
public interface HostPages {
    /**
     * Maps memory of this process alone. It takes no page of the host before the page is touched.
     *
     * @param bytes how much, greater than 0
     * @param arena unmaps it when it closes; shared, or of the calling thread
     * @return zeroed; aligned to a huge page if it is as large as one, else to a page
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    MemorySegment map(long bytes, Arena arena);

    /**
     * Puts untouched pages of this process alone in the place of others, which go back to the system unless someone
     * else has them, too. The addresses stay taken.
     *
     * @param memory all of one mapping
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    void empty(MemorySegment memory);

    /**
     * The size of a huge page.
     *
     * @return bytes
     */
    long hugePageBytes();

    /**
     * Why the system gives no huge pages by itself where they are asked for.
     *
     * @param isShared for memory with a descriptor; else for that of {@link #map}
     * @return empty if it does; else one line: why not, and what to do
     */
    String whyNoHuge(boolean isShared);

    /**
     * Asks for huge pages where memory has not been touched yet. The system gives them as far as it has them.
     *
     * @param memory mapped as whole pages
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    void adviseHuge(MemorySegment memory);

    /**
     * The NUMA nodes that this process may have memory on.
     *
     * @return their numbers, ascending
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system does not say
     */
    int[] nodes();

    /**
     * The NUMA node that a CPU belongs to.
     *
     * @param cpu its number
     * @return the node's number; 0 on a host without NUMA
     */
    int nodeOf(int cpu);

    /**
     * Keeps memory on one NUMA node. Pages of it that lie elsewhere move, if this process has touched them by this
     * mapping and no other process has mapped them.
     *
     * @param memory mapped as whole pages
     * @param node   one of {@link #nodes()}
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    void bind(MemorySegment memory, int node);

    /**
     * Where a page lies; one that was not touched yet gets its place by this.
     *
     * @param memory its first page is meant
     * @return the NUMA node's number
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system does not say
     */
    int nodeOf(MemorySegment memory);
}
