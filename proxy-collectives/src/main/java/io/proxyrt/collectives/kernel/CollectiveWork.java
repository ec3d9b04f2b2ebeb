/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;

/**
 * The arguments of a collective's launch: NCCL's {@code ncclDevWorkColl}. Belongs to a kernel and is filled anew for
 * each launch, by the launching thread.
 */
public final class CollectiveWork {
    private CollFunction function;
    private MemorySegment sendBuffer;
    private MemorySegment recvBuffer;
    private DataType type;
    private RedOp op;
    private int root;
    private long bytes;

    CollectiveWork() {
    }

    /**
     * Says what to do.
     *
     * @param function which collective
     * @param type     of the elements
     * @param op       null if nothing is reduced
     * @param root     of a broadcast
     * @return this
     */
    public CollectiveWork function(CollFunction function, DataType type, RedOp op, int root) {
        this.function = function;
        this.type = type;
        this.op = op;
        this.root = root;
        return this;
    }

    /**
     * Says with which data.
     *
     * @param sendBuffer input
     * @param recvBuffer output, may be the input
     * @param bytes      of the whole buffer; for all-gather and reduce-scatter of one rank's part, and then also from
     *                   one part to the next in the larger buffer
     * @return this
     */
    public CollectiveWork buffers(MemorySegment sendBuffer, MemorySegment recvBuffer, long bytes) {
        this.sendBuffer = sendBuffer;
        this.recvBuffer = recvBuffer;
        this.bytes = bytes;
        return this;
    }

    /** {@return which collective} */
    public CollFunction function() {
        return function;
    }

    /** {@return the type of the elements} */
    public DataType type() {
        return type;
    }

    /** {@return how to reduce, or null} */
    public RedOp op() {
        return op;
    }

    /** {@return the root of a broadcast} */
    public int root() {
        return root;
    }

    /** {@return the bytes of the whole buffer, or of one rank's part} */
    public long bytes() {
        return bytes;
    }

    /** {@return the input} */
    public MemorySegment sendBuffer() {
        return sendBuffer;
    }

    /** {@return the output} */
    public MemorySegment recvBuffer() {
        return recvBuffer;
    }

    /** Forgets the user's memory. */
    void clear() {
        sendBuffer = null;
        recvBuffer = null;
    }

    /** Whether this rank's part of the larger buffer is the smaller buffer; the whole is, if there is but one size. */
    boolean isInPlace(int rank) {
        long part = rank * bytes;
        return switch (function) {
            case ALL_GATHER -> sendBuffer.address() == recvBuffer.address() + part;
            case REDUCE_SCATTER -> recvBuffer.address() == sendBuffer.address() + part;
            default -> sendBuffer.address() == recvBuffer.address();
        };
    }
}
