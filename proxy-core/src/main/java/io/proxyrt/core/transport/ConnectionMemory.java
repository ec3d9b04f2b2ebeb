/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.MemoryAccounts;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import io.proxyrt.core.transport.BufferPool.SlabSizes;

/**
 * The memory of a transport's connections: control words, many in a page, and buffers. Both are the host's, pinned if
 * there is a GPU, so that kernels, proxies and networks reach them; buffers can be the device's own instead, where a
 * network reaches those. Any thread.
 *
 * <pre>
 *  control:  0 sendMem | 128 recvMem | 384
 * </pre>
 */
public final class ConnectionMemory implements AutoCloseable {
    /** Where recvMem begins in a connection's control words. */
    public static final long RECV_MEM_OFFSET = SendMem.WORDS_BYTES;
    /** Bytes of a connection's control words. An odd number of pairs of cache lines spreads them over the cache. */
    public static final long CONTROL_BYTES = RECV_MEM_OFFSET + RecvMem.WORDS_BYTES;

    /** What processors fetch together: no two connections are to write into it. */
    private static final long LINE_PAIR_BYTES = 128;
    private static final long PAGE_BYTES = 4096;
    private static final SlabSizes CONTROL_SLABS = new SlabSizes(LINE_PAIR_BYTES, 64L << 10, 2L << 20, 64L << 10);
    private static final long MIN_SLAB_BYTES = 2L << 20;
    private static final long MAX_SLAB_BYTES = 64L << 20;

    private final BufferPool control;
    private final BufferPool buffers;
    private final BufferPool deviceBuffers;

    /**
     * Without memory yet.
     *
     * @param device   whose memory
     * @param config   says how much may lie idle
     * @param accounts are told how much does
     */
    public ConnectionMemory(Device device, ProxyConfig config, MemoryAccounts accounts) {
        control = new BufferPool(device.name() + " control words", device::allocateHost, CONTROL_SLABS, accounts);
        SlabSizes slabs = new SlabSizes(PAGE_BYTES, MIN_SLAB_BYTES, MAX_SLAB_BYTES,
                config.get(CoreOptions.IDLE_BUFFER_BYTES));
        buffers = new BufferPool(device.name() + " buffers", device::allocateHost, slabs, accounts);
        deviceBuffers = new BufferPool(device.name() + " buffers of its own", device::allocate, slabs, accounts);
    }

    /**
     * Takes control words for a connection.
     *
     * @param owner named where they leak
     * @return {@link #CONTROL_BYTES}, zeroed; owned by the caller
     */
    public PooledBuffer control(Object owner) {
        return control.allocate(CONTROL_BYTES, owner);
    }

    /**
     * Takes memory of the host for slots.
     *
     * @param bytes how much, greater than 0
     * @param owner named where it leaks
     * @return zeroed, aligned to a page; owned by the caller
     */
    public PooledBuffer buffers(long bytes, Object owner) {
        return buffers.allocate(bytes, owner);
    }

    /**
     * Takes memory of the device's own for slots. The CPU may not touch it unless it is {@link
     * DeviceMemory#isHostAccessible()}.
     *
     * @param bytes how much, greater than 0
     * @param owner named where it leaks
     * @return zeroed, aligned to a page; owned by the caller
     */
    public PooledBuffer deviceBuffers(long bytes, Object owner) {
        return deviceBuffers.allocate(bytes, owner);
    }

    /**
     * What is in use.
     *
     * @return bytes
     */
    public long usedBytes() {
        return control.usedBytes() + buffers.usedBytes() + deviceBuffers.usedBytes();
    }

    /**
     * What there is of the host's and the device's memory, in use or not.
     *
     * @return bytes
     */
    public long allocatedBytes() {
        return control.allocatedBytes() + buffers.allocatedBytes() + deviceBuffers.allocatedBytes();
    }

    /**
     * Checks that nothing was lost or given twice.
     *
     * @return what is wrong, for people; empty if it adds up
     */
    public String audit() {
        return control.audit() + buffers.audit() + deviceBuffers.audit();
    }

    /** Gives everything back to the device; names in the log what is still in use. Idempotent. */
    @Override
    public void close() {
        control.close();
        buffers.close();
        deviceBuffers.close();
    }
}
