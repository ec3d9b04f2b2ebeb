/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.MemorySegment;

/** A queue pair of type RC: {@code ibv_qp}. One thread at a time. */
public interface QueuePair extends AutoCloseable {
    /**
     * Names the queue pair within its device.
     *
     * @return 24 bits
     */
    int number();

    /**
     * How many bytes a send may carry inline.
     *
     * @return what the device granted, which may be more than was asked for
     */
    int inlineBytes();

    /**
     * RESET to INIT: receives may be posted from then on.
     *
     * @param port      from 1 on
     * @param pkeyIndex in the port's table of partition keys
     * @param access    what the peer may do, of {@link ProtectionDomain#REMOTE_WRITE} and the others, or-ed
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} with errno
     */
    void toInit(int port, int pkeyIndex, int access);

    /**
     * INIT to RTR: what the peer sends arrives from then on. Over Ethernet this resolves the peer's address, which may
     * take seconds if it does not answer.
     *
     * @param path to the peer
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if the peer's address does not resolve,
     *                        {@link ProxyResult#SYSTEM_ERROR} otherwise, with errno
     */
    void toReadyToReceive(QueuePairPath path);

    /**
     * RTR to RTS: sends may be posted from then on.
     *
     * @param timeout  of an acknowledgement, 4.096 us times two to the power of it
     * @param retries  how often a packet is sent again, up to 7
     * @param rnrRetry how often where the peer has no receive posted; 7 is for ever
     * @param maxReads RDMA reads that may be under way
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} with errno
     */
    void toReadyToSend(int timeout, int retries, int rnrRetry, int maxReads);

    /** To ERROR: what is posted completes, flushed. For a queue pair that fails already this does nothing. */
    void toError();

    /**
     * Posts a chain of sends. Does not block, and allocates nothing.
     *
     * @param requests native memory with the first of them and all that it is chained to
     * @param offset   of the first, {@link SendRequest#BYTES}
     * @return 0, or an errno: {@code ENOMEM} (12) if the send queue is full; what was posted before it stays posted
     */
    int postSend(MemorySegment requests, long offset);

    /**
     * Posts a chain of receives. Does not block, and allocates nothing.
     *
     * @param requests native memory with the first of them and all that it is chained to
     * @param offset   of the first, {@link ReceiveRequest#BYTES}
     * @return 0, or an errno
     */
    int postReceive(MemorySegment requests, long offset);

    /** Ends the queue pair; what is posted never completes. Idempotent. */
    @Override
    void close();
}
