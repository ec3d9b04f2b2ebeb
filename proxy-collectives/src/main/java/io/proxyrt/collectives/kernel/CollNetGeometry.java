/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.CollFunction;

/**
 * How a collective that the network carries out is cut: RCCL's CollNetDirect and CollNetChain. Each head moves a
 * sequence of bytes, its <em>rail</em>, of which each step of a channel carries a window. All ranks compute the same
 * from the same arguments; kernels and proxies follow it. Reused from call to call: allocates nothing.
 *
 * <p>An all-reduce's rails take the user's buffer in turns. The rail of an all-gather or reduce-scatter has one part
 * for each node, that of the ranks which the node's head serves, one behind the other.
 */
public final class CollNetGeometry {
    private final CollNetShape shape;
    private boolean isAllReduce;
    private long bytes;
    private long chunkBytes;

    /**
     * An empty geometry.
     *
     * @param shape of this rank's communicator
     */
    public CollNetGeometry(CollNetShape shape) {
        this.shape = shape;
    }

    /**
     * Computes.
     *
     * @param function  all-reduce, all-gather or reduce-scatter
     * @param ofBuffer  bytes of an all-reduce's buffer, else of one rank's part
     * @param stepBytes that a slot holds
     * @return this
     */
    public CollNetGeometry compute(CollFunction function, long ofBuffer, long stepBytes) {
        isAllReduce = function == CollFunction.ALL_REDUCE;
        bytes = ofBuffer;
        long longest = 0;
        for (int head = 0; head < shape.heads(); head++) {
            longest = Math.max(longest, railBytes(head));
        }
        long share = RingGeometry.share(longest, (long) shape.channels() * turns());
        chunkBytes = Math.min(share, stepBytes & -RingGeometry.GRAIN_BYTES);
        assert chunkBytes > 0 && chunkBytes % RingGeometry.GRAIN_BYTES == 0 : chunkBytes;
        return this;
    }

    /** How many heads take turns on one sequence of bytes, in a channel. */
    private int turns() {
        return isAllReduce && !shape.isChain() ? shape.heads() : 1;
    }

    /**
     * The most that a step carries.
     *
     * @return bytes, a multiple of 16
     */
    public long chunkBytes() {
        return chunkBytes;
    }

    /**
     * How long the sequence is that a head moves, or takes turns on.
     *
     * @param head which
     * @return bytes
     */
    public long railBytes(int head) {
        return isAllReduce ? bytes : shape.nNodes() * partBytes(head);
    }

    /**
     * One node's part of a rail.
     *
     * @param head which
     * @return bytes; 0 for an all-reduce
     */
    public long partBytes(int head) {
        return isAllReduce ? 0 : (shape.headLocal(head + 1) - shape.headLocal(head)) * bytes;
    }

    /**
     * Steps that each of a head's connections carries.
     *
     * @param head which
     * @return at least 1
     */
    public int nsteps(int head) {
        return Math.toIntExact(RingGeometry.ceilDiv(railBytes(head), chunkBytes * shape.channels() * turns()));
    }

    /** Where the window of a step begins in its rail; behind its end for a step that is there for the count only. */
    long begin(int channel, int head, int step) {
        long round = (long) step * shape.channels() + channel;
        return Math.min(railBytes(head), (turns() == 1 ? round : round * shape.heads() + head) * chunkBytes);
    }

    /** Where it ends. */
    long end(int channel, int head, int step) {
        return Math.min(railBytes(head), begin(channel, head, step) + chunkBytes);
    }

    /** Where the part begins, in its head's rail, of a rank of this node. */
    long ownBegin(int head, int local) {
        return shape.node() * partBytes(head) + (local - shape.headLocal(head)) * bytes;
    }

    /** Where a byte of a rail is in the larger buffer of the user. */
    long userOffset(int head, long at) {
        if (isAllReduce) {
            return at;
        }
        long part = partBytes(head);
        return (at / part * shape.locals() + shape.headLocal(head)) * bytes + at % part;
    }

    /** How many bytes of a rail, from one on and up to an end, are together in the user's memory. */
    long together(int head, long at, long end) {
        return isAllReduce ? end - at : Math.min(end - at, partBytes(head) - at % partBytes(head));
    }
}
