/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.MemorySegment;

/** A protection domain: {@code ibv_pd}. Queue pairs use regions of their own domain only. Any thread. */
public interface ProtectionDomain extends AutoCloseable {
    /** {@code IBV_ACCESS_LOCAL_WRITE}. */
    int LOCAL_WRITE = 1;
    /** {@code IBV_ACCESS_REMOTE_WRITE}. */
    int REMOTE_WRITE = 2;
    /** {@code IBV_ACCESS_REMOTE_READ}. */
    int REMOTE_READ = 4;
    /** {@code IBV_ACCESS_RELAXED_ORDERING}: writes of the device may pass each other. */
    int RELAXED_ORDERING = 1 << 20;

    /**
     * Registers memory.
     *
     * @param memory outside the Java heap; stays with its owner, who keeps it for as long as it is registered
     * @param access of {@link #LOCAL_WRITE} and the others, or-ed
     * @return owned by the caller, to be closed before the domain
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for memory of the Java heap,
     *                        {@link ProxyResult#SYSTEM_ERROR} if the device refuses: among the reasons is the limit of
     *                        locked memory, of which the message speaks
     */
    MemoryRegion register(MemorySegment memory, int access);

    /**
     * Registers memory of another device by its dma-buf: {@code ibv_reg_dmabuf_mr}.
     *
     * @param fd     the dma-buf; stays the caller's, who may close it afterwards
     * @param offset of the first byte in the dma-buf
     * @param bytes  how many
     * @param iova   address by which work requests name the first byte
     * @param access as {@link #register}
     * @return owned by the caller, to be closed before the domain
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if library or device know no dma-bufs,
     *                        {@link ProxyResult#SYSTEM_ERROR} if the device refuses
     */
    MemoryRegion registerDmaBuf(int fd, long offset, long bytes, long iova, int access);

    /**
     * Makes a queue pair of type RC whose work requests complete into one queue.
     *
     * @param queue  of the same context, closed after the queue pair
     * @param limits what it can bear
     * @return owned by the caller, to be closed before the domain; in state RESET
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the device has no more, or none of that size
     */
    QueuePair queuePair(CompletionQueue queue, QueuePairLimits limits);

    /**
     * Ends the domain. Idempotent.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if a region or queue pair of it is open still; then it
     *                        stays open
     */
    @Override
    void close();
}
