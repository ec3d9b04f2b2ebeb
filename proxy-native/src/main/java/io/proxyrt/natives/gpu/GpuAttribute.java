/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

/** Numbers that a driver tells of a device. Their own numbers differ between CUDA and HIP. */
public enum GpuAttribute {
    /** Compute units: multiprocessors. */
    PROCESSORS,
    /** Threads that go in step. */
    WARP_SIZE,
    /** Copies that go on beside kernels. */
    ASYNC_ENGINES,
    /** Threads of a block, at most. */
    MAX_BLOCK_THREADS,
    /** Memory that a block's threads share, in bytes. */
    MAX_SHARED_BYTES,
    /** Whether memory can be exported by a file descriptor: 1 or 0. */
    POSIX_FD_HANDLES,
    /** Whether memory can be exported as a dma-buf: 1 or 0. */
    DMA_BUF,
    /** Whether {@link GpuApi#flushRemoteWrites} is needed and works: 1 or 0. */
    FLUSH_REMOTE_WRITES,
    /** Whether kernels of several processes run side by side: 1 or 0. */
    CONCURRENT_PROCESSES,
    /** The NUMA node it is closest to; -1 if unknown. */
    NUMA_NODE
}
