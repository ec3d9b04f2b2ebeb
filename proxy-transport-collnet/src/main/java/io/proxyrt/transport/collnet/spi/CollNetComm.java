/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.spi;

import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.device.DmaBuf;
import java.lang.foreign.MemorySegment;

/**
 * One participant's part of a network's collectives: {@code collComm}. Used by one thread at a time. No call blocks;
 * {@link #test} and the posting calls allocate nothing unless they fail.
 *
 * <p>All participants make the same calls with the same arguments, but for memory, in the same order; a network that
 * finds that they do not fails the comms of all. A request is a number greater than 0. It is outstanding from the call
 * that returned it until {@link #test} says 1 for it; then the number means nothing any more. A comm bears at least 8
 * outstanding requests. As long as one is outstanding, its memory belongs to the network.
 *
 * <p>Requests make progress only within calls to the comm, and complete in the order in which they were posted, though
 * they may be tested in any order. A comm that failed stays failed: every later call returns the same error, except
 * that a request which was complete before may still be tested.
 *
 * <p>A collective may be cut into several calls, each of which carries a {@linkplain CollNetWindow window} of it. A
 * participant whose part does not meet the window takes part in the call all the same.
 */
public interface CollNetComm extends AutoCloseable {
    /**
     * Registers memory for calls of this comm.
     *
     * @param buffer memory outside the Java heap, accessible to the thread that will use the comm; stays with its
     *               owner, who keeps it alive for as long as it is registered
     * @return owned by the caller, to be closed before the comm
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for memory that the network cannot reach
     */
    CollNetMemory regMr(MemorySegment buffer);

    /**
     * Registers memory of a GPU for calls of this comm: {@code regMrDmaBuf}.
     *
     * @param range      where the GPU has it, and how much; stays with its owner
     * @param dmaBuf of the same memory, with the place of the range in it; the caller's, who closes it afterwards
     * @return owned by the caller, to be closed before the comm; its segment is the range
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for memory that the network cannot reach
     */
    default CollNetMemory regMrDmaBuf(MemorySegment range, DmaBuf dmaBuf) {
        throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "this network does not reach memory of devices");
    }

    /**
     * Posts an all-reduce.
     *
     * @param send       this participant's input, registered with this comm
     * @param sendOffset of its first byte
     * @param recv       where the result goes, registered with this comm; may be where the input is
     * @param recvOffset of its first byte
     * @param count      of elements, at least 1
     * @param type       of the elements
     * @param op         the reduction, one that {@link CollNetPlugin#reduceSupport} has
     * @return the request, 0 if there is no room for it now, a negated {@link ProxyResult} code on failure: {@code
     *         INVALID_ARGUMENT} for a range outside the memory, or an unsupported reduction
     */
    long iallreduce(CollNetMemory send, long sendOffset, CollNetMemory recv, long recvOffset, long count,
            DataType type, RedOp op);

    /**
     * Posts a window of an all-gather. NCCL lets the result go to several pieces of memory; like RCCL, this has one.
     *
     * @param send       registered with this comm
     * @param sendOffset of the first byte that is both this participant's and in the window; of no meaning if there
     *                     is none
     * @param recv       registered with this comm
     * @param recvOffset of where the window goes
     * @param window     what is carried; the caller's, read within the call
     * @return as {@link #iallreduce}
     */
    long iallgather(CollNetMemory send, long sendOffset, CollNetMemory recv, long recvOffset, CollNetWindow window);

    /**
     * Posts a window of a reduce-scatter.
     *
     * @param send       registered with this comm
     * @param sendOffset of the window of this participant's input
     * @param recv       registered with this comm
     * @param recvOffset of where the part of the window goes that is this participant's; of no meaning if there is
     *                     none
     * @param window     what is carried, all of it in whole elements; the caller's, read within the call
     * @param type       of the elements
     * @param op         the reduction
     * @return as {@link #iallreduce}
     */
    long ireducescatter(CollNetMemory send, long sendOffset, CollNetMemory recv, long recvOffset,
            CollNetWindow window, DataType type, RedOp op);

    /**
     * Makes received data visible to a device's kernels, where a network that writes to device memory needs it: for
     * memory that came by {@link #regMrDmaBuf}. What a call delivers to the host's memory can be seen once it is
     * complete.
     *
     * @param recv       registered with this comm
     * @param offset of the first byte
     * @param bytes      received
     * @return a request to be tested, 0 if there is nothing to wait for, a negated {@link ProxyResult} code on failure
     */
    long iflush(CollNetMemory recv, long offset, long bytes);

    /**
     * Moves the comm's data on, and asks for one request.
     *
     * @param request as returned by a posting call; it is over when this returns 1
     * @return 1 if it is complete, 0 if not yet, a negated {@link ProxyResult} code on failure: {@code
     *         INVALID_ARGUMENT} for a request that is not outstanding, {@code REMOTE_ERROR} if the network or another
     *         participant is gone, {@code INVALID_USAGE} if the participants do not make the same calls
     */
    int test(long request);

    /**
     * What carries the collectives out.
     *
     * @return for messages, such as {@code switch 10.0.0.1:4791}
     */
    String network();

    /**
     * Why the last call failed.
     *
     * @return for people; empty if no call failed. It has {@link #network()} in it, and stays the same once the comm
     *         has failed
     */
    String failure();

    /** Ends the comm; outstanding requests are dropped. Idempotent. */
    @Override
    void close();
}
