/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/**
 * What the ranks of a communicator do together. Each of these has to be called by every rank, in the same order and
 * with the same count, type, op and root; messages by the two ranks that they concern.
 *
 * <p>A {@link Communicator} launches each call at once; in a {@linkplain Communicator#group group} they are launched
 * together at its end. A launch returns before the data are there. Buffers stay the caller's, and must stay valid and
 * untouched until {@link Communicator#synchronize} returns. They may be the same memory where a call says so; otherwise
 * they have nothing in common.
 *
 * <p>All of them throw a {@link io.proxyrt.core.ProxyException}: {@code INVALID_ARGUMENT} for what makes no sense, and
 * then nothing was launched; or what the communicator has failed of.
 */
public sealed interface Collectives permits Communicator, SingleCalls, Calls {
    /**
     * All-reduce: every rank gets the combination of all ranks' buffers. The first small one connects this rank with
     * some others, and so blocks until they take part.
     *
     * @param sendBuffer input of at least count elements
     * @param recvBuffer output of at least count elements; the same memory for in-place
     * @param count      elements
     * @param type       of the elements
     * @param op         how to combine
     */
    void allReduce(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type, ReduceOp op);

    /**
     * Reduce: the root gets the combination of all ranks' buffers.
     *
     * @param sendBuffer input of at least count elements
     * @param recvBuffer output of at least count elements, the same memory for in-place; looked at by the root only
     * @param count      elements
     * @param type       of the elements
     * @param op         how to combine
     * @param root       who gets it
     */
    void reduce(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type, ReduceOp op, int root);

    /**
     * Broadcast: every rank gets the root's buffer.
     *
     * @param sendBuffer input of at least count elements; looked at by the root only
     * @param recvBuffer output of at least count elements; the same memory for in-place
     * @param count      elements
     * @param type       of the elements
     * @param root       whose buffer
     */
    void broadcast(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type, int root);

    /**
     * All-gather: every rank gets all ranks' buffers, in the order of ranks.
     *
     * @param sendBuffer input of at least sendCount elements; for in-place, the caller's part of recvBuffer
     * @param recvBuffer output of at least sendCount times nRanks elements
     * @param sendCount  elements of each rank
     * @param type       of the elements
     */
    void allGather(MemorySegment sendBuffer, MemorySegment recvBuffer, long sendCount, DataType type);

    /**
     * As {@link #allGather}, with parts of any sizes: MPI's {@code MPI_Allgatherv}.
     *
     * @param sendBuffer    input of at least counts[rank] elements; for in-place, the caller's part of recvBuffer
     * @param recvBuffer    output, as far as its parts reach
     * @param counts        elements of each rank, the same at all ranks; not kept
     * @param displacements where each rank's part begins in recvBuffer, in elements, the same at all ranks; not kept.
     *                      The parts have nothing in common
     * @param type          of the elements
     */
    void allGatherv(MemorySegment sendBuffer, MemorySegment recvBuffer, long[] counts, long[] displacements,
            DataType type);

    /**
     * Reduce-scatter: every rank gets its part of the combination of all ranks' buffers.
     *
     * @param sendBuffer input of at least recvCount times nRanks elements
     * @param recvBuffer output of at least recvCount elements; for in-place, the caller's part of sendBuffer
     * @param recvCount  elements of each rank
     * @param type       of the elements
     * @param op         how to combine
     */
    void reduceScatter(MemorySegment sendBuffer, MemorySegment recvBuffer, long recvCount, DataType type, ReduceOp op);

    /**
     * As {@link #reduceScatter}, with parts of any sizes: MPI's {@code MPI_Reduce_scatter}.
     *
     * @param sendBuffer    input, as far as its parts reach
     * @param recvBuffer    output of at least counts[rank] elements; for in-place, the caller's part of sendBuffer
     * @param counts        elements of each rank, the same at all ranks; not kept
     * @param displacements where each rank's part begins in sendBuffer, in elements, the same at all ranks; not kept.
     *                      The parts have nothing in common
     * @param type          of the elements
     * @param op            how to combine
     */
    void reduceScatterv(MemorySegment sendBuffer, MemorySegment recvBuffer, long[] counts, long[] displacements,
            DataType type, ReduceOp op);

    /**
     * All-to-all: every rank gets a part of each rank's buffer: part j of rank i becomes part i of rank j. The first
     * one connects this rank with all others, and so blocks until they take part; this goes for all that follow here.
     *
     * @param sendBuffer input of at least count times nRanks elements
     * @param recvBuffer output of at least count times nRanks elements; the same memory for in-place, for which the
     *                   communicator keeps a copy of as many bytes from the first time on
     * @param count      elements of a part
     * @param type       of the elements
     */
    void allToAll(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type);

    /**
     * As {@link #allToAll}, with parts of any sizes: what a rank sends to another has to be as much as that receives.
     *
     * @param sendBuffer        input, as far as its parts reach
     * @param sendCounts        elements for each rank; not kept
     * @param sendDisplacements where the part for each rank begins, in elements; not kept
     * @param recvBuffer        output, as far as its parts reach; the same memory as sendBuffer as of {@link #allToAll}
     * @param recvCounts        elements from each rank; not kept
     * @param recvDisplacements where the part from each rank begins, in elements; not kept. The parts have nothing in
     *                          common
     * @param type              of the elements
     */
    void allToAllv(MemorySegment sendBuffer, long[] sendCounts, long[] sendDisplacements, MemorySegment recvBuffer,
            long[] recvCounts, long[] recvDisplacements, DataType type);

    /**
     * Gather: the root gets all ranks' buffers, in the order of ranks.
     *
     * @param sendBuffer input of at least sendCount elements; at the root, for in-place, its part of recvBuffer
     * @param recvBuffer output of at least sendCount times nRanks elements; looked at by the root only
     * @param sendCount  elements of each rank
     * @param type       of the elements
     * @param root       who gets them
     */
    void gather(MemorySegment sendBuffer, MemorySegment recvBuffer, long sendCount, DataType type, int root);

    /**
     * Scatter: every rank gets its part of the root's buffer.
     *
     * @param sendBuffer input of at least recvCount times nRanks elements; looked at by the root only
     * @param recvBuffer output of at least recvCount elements; at the root, for in-place, its part of sendBuffer
     * @param recvCount  elements of each rank
     * @param type       of the elements
     * @param root       whose buffer
     */
    void scatter(MemorySegment sendBuffer, MemorySegment recvBuffer, long recvCount, DataType type, int root);

    /**
     * A message to one rank and one from another, at the same time. Both other ranks have to do their part.
     *
     * @param sendBuffer the message, all of it
     * @param sendPeer   to whom
     * @param recvBuffer where the other message goes; exactly as long as it. The same memory is taken, as nccl-tests
     *                   measures it, but then either message may overwrite what is not sent yet
     * @param recvPeer   from whom
     */
    void sendRecv(MemorySegment sendBuffer, int sendPeer, MemorySegment recvBuffer, int recvPeer);

    /**
     * A message to a rank, which has to receive one as long. Messages between two ranks arrive in the order of calls.
     * Of a group, sends and receives go on all at once, so that their order among ranks does not matter.
     *
     * @param buffer the message, all of it
     * @param peer   to whom; this rank itself only in a group that also receives it
     */
    void send(MemorySegment buffer, int peer);

    /**
     * The receipt of a message from a rank, which has to send it, as {@link #send} says.
     *
     * @param buffer where the message goes; exactly as long as it
     * @param peer   from whom; this rank itself only in a group that also sends it
     */
    void recv(MemorySegment buffer, int peer);
}
