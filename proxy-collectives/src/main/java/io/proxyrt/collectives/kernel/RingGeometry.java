/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.CollFunction;

/**
 * How a ring collective is cut into loops, chunks and slices. Every rank computes the same from the same arguments, and
 * both the kernel and the proxy's op follow it. Reused from call to call: allocates nothing.
 */
public final class RingGeometry {
    /** Chunks, and so all offsets, are multiples of this: the grain of the Simple protocol's alignment. */
    static final int GRAIN_BYTES = 16;
    /** Steps of a chunk in the Simple protocol. */
    public static final int MAX_CHUNK_STEPS = 4;
    /** Up to which size a chunk is one slice, where kernels reach each other's slots. */
    public static final long WHOLE_CHUNK_BYTES = 16 << 10;

    private int chunkSteps;
    private long chunkBytes;
    private int nLoops;
    private int nsteps;

    /** An empty geometry. */
    public RingGeometry() {
    }

    /**
     * Computes.
     *
     * @param function  what is to be done, other than all-reduce by gathering
     * @param nRanks    in the ring, at least 2
     * @param bytes     this channel's part: of the whole buffer, or of one rank's part, the largest of them
     * @param stepBytes of the user that a slot carries
     * @param maxSteps  of a chunk: 4 for Simple, else 1
     * @param wholeChunk bytes up to which a chunk is one slice
     * @return this
     */
    public RingGeometry compute(CollFunction function, int nRanks, long bytes, long stepBytes, int maxSteps,
            long wholeChunk) {
        return compute(bytes, stepBytes, maxSteps, wholeChunk, function == CollFunction.ALL_REDUCE ? nRanks : 1,
                stepsPerLoop(function, nRanks));
    }

    /**
     * Computes for an all-reduce in which all inputs go round the ring and every rank reduces them all.
     *
     * @param nRanks    in the ring, at least 2
     * @param bytes     this channel's part of the buffer
     * @param stepBytes of the user that a slot carries
     * @return this
     */
    public RingGeometry computeGathered(int nRanks, long bytes, long stepBytes) {
        return compute(bytes, stepBytes, 1, stepBytes, 1, nRanks - 1);
    }

    private RingGeometry compute(long bytes, long stepBytes, int maxSteps, long wholeChunk, int chunksPerLoop,
            int stepsPerLoop) {
        long chunk = share(bytes, chunksPerLoop);
        chunkSteps = 1;
        while (chunkSteps < maxSteps && chunk > chunkSteps * Math.min(stepBytes, wholeChunk)) {
            chunkSteps *= 2;
        }
        chunkBytes = Math.min(chunk, chunkSteps * (stepBytes & -GRAIN_BYTES));
        nLoops = Math.toIntExact(ceilDiv(bytes, chunkBytes * chunksPerLoop));
        nsteps = Math.multiplyExact(Math.multiplyExact(stepsPerLoop, nLoops), chunkSteps);
        assert chunkBytes > 0 && chunkBytes % GRAIN_BYTES == 0 && nsteps % chunkSteps == 0 : chunkBytes;
        return this;
    }

    /**
     * Steps of a chunk.
     *
     * @return 1, 2 or 4
     */
    public int chunkSteps() {
        return chunkSteps;
    }

    /**
     * Steps of a slice.
     *
     * @return always 1
     */
    public int sliceSteps() {
        return 1;
    }

    /**
     * The largest chunk.
     *
     * @return bytes
     */
    public long chunkBytes() {
        return chunkBytes;
    }

    /**
     * How often all chunks go round.
     *
     * @return at least 1
     */
    public int nLoops() {
        return nLoops;
    }

    /**
     * Steps that each connection carries.
     *
     * @return a multiple of chunkSteps
     */
    public int nsteps() {
        return nsteps;
    }

    private static int stepsPerLoop(CollFunction function, int nRanks) {
        return switch (function) {
            case ALL_REDUCE -> 2 * (nRanks - 1);
            case ALL_GATHER, ALL_GATHERV, REDUCE_SCATTER, REDUCE_SCATTERV -> nRanks - 1;
            default -> 1;
        };
    }

    /**
     * Rounds up to the grain of chunks.
     *
     * @param bytes any size
     * @return the next multiple of 16
     */
    public static long alignUp(long bytes) {
        return (bytes + GRAIN_BYTES - 1) & -GRAIN_BYTES;
    }

    /**
     * What each of several gets at most, so that all parts begin where memory is read fast; the last ones may get less.
     *
     * @param bytes to be shared
     * @param among how many
     * @return a multiple of what {@link #alignUp} rounds to
     */
    public static long share(long bytes, long among) {
        return alignUp(ceilDiv(bytes, among));
    }

    static long ceilDiv(long a, long b) {
        return (a + b - 1) / b;
    }
}
