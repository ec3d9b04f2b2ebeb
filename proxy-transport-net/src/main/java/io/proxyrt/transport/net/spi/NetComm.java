/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.spi;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DmaBuf;
import java.lang.foreign.MemorySegment;

/**
 * One end of a connection. Used by one thread at a time. No call blocks; {@link #test} and the posting calls of the
 * subtypes allocate nothing unless they fail.
 *
 * <p>A request is a number greater than 0. It is outstanding from the call that returned it until {@link #test} says 1
 * for it; then the number means nothing any more. A comm bears at least 8 outstanding requests. As long as one is
 * outstanding its memory belongs to the network: a sender must not write there, a receiver must not look.
 *
 * <p>Requests of a comm make progress only within calls to it, and complete in the order in which they were posted,
 * though they may be tested in any order. A comm that failed stays failed: every later call returns the same error,
 * except that a request which was complete before may still be tested.
 */
public interface NetComm extends AutoCloseable {
    /**
     * Registers memory for messages of this comm.
     *
     * @param buffer memory outside the Java heap, accessible to the thread that will use the comm; stays with its
     *               owner, who keeps it alive for as long as it is registered
     * @return owned by the caller, to be closed before the comm
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} for memory that the
     *                                        network cannot reach
     */
    NetMemory regMr(MemorySegment buffer);

    /**
     * Registers memory of a GPU for messages of this comm, where the device {@linkplain NetProperties#takesDmaBuf
     * takes} it: {@code regMrDmaBuf}. The CPU does not touch it, and neither may the network but by its adapter.
     *
     * @param range  where the GPU has it, and how much; stays with its owner, who keeps it for as long as it is
     *               registered
     * @param dmaBuf of the same memory, with the place of the range in it; the caller's, who closes it afterwards
     * @return owned by the caller, to be closed before the comm; its segment is the range
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} for memory that the
     *                                        network cannot reach
     */
    default NetMemory regMrDmaBuf(MemorySegment range, DmaBuf dmaBuf) {
        throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "this network does not reach memory of devices");
    }

    /**
     * Moves the comm's data on, and asks for one request.
     *
     * @param request as returned by a posting call; it is over when this returns 1
     * @param sizes   on 1, gets the bytes of each message of the request; at least as long as the device's maxRecvs
     * @return 1 if it is complete, 0 if not yet, a negated {@link io.proxyrt.core.ProxyResult} code on failure:
     *         {@code INVALID_ARGUMENT} for a request that is not outstanding, {@code REMOTE_ERROR} if the peer is gone,
     *         {@code INVALID_USAGE} if a message is longer than the receive posted for it
     */
    int test(long request, long[] sizes);

    /**
     * Why the last call failed.
     *
     * @return for people; empty if no call failed. It names the peer as {@code rank N}, with its address where there is
     *         one; says {@code closed by the peer} where the peer has closed the connection in good order; and gives
     *         both sizes where a message is longer than its receive
     */
    String failure();

    /** Ends the connection; outstanding requests are dropped. Idempotent. */
    @Override
    void close();
}
