/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

/**
 * How the part of a collective that goes by one tree is cut into chunks, of a step each. Every rank computes the same
 * from the same arguments. Chunks get smaller, so that all levels of the tree work at once, as long as that pays.
 * Reused from call to call: allocates nothing.
 */
public final class TreeGeometry {
    private static final long LEAST_CHUNK_BYTES = 32 << 10;
    /** Chunks for each level of a tree, if they are not small already. */
    private static final int CHUNKS_PER_LEVEL = 2;

    private long bytes;
    private long chunkBytes;
    private int nChunks;

    /** An empty geometry. */
    public TreeGeometry() {
    }

    /**
     * Computes.
     *
     * @param partBytes of the part, at least 1
     * @param stepBytes of the user that a slot carries
     * @param nRanks    in the tree, at least 2
     * @return this
     */
    public TreeGeometry compute(long partBytes, long stepBytes, int nRanks) {
        int levels = Integer.SIZE - Integer.numberOfLeadingZeros(nRanks - 1);
        long wanted = RingGeometry.share(partBytes, (long) CHUNKS_PER_LEVEL * levels);
        bytes = partBytes;
        chunkBytes = Math.min(stepBytes & -RingGeometry.GRAIN_BYTES, Math.max(LEAST_CHUNK_BYTES, wanted));
        nChunks = Math.toIntExact(RingGeometry.ceilDiv(partBytes, chunkBytes));
        assert chunkBytes > 0 && length(nChunks - 1) > 0 : chunkBytes;
        return this;
    }

    /** {@return steps that a connection carries each way that is used} */
    public int nChunks() {
        return nChunks;
    }

    /** Where a chunk begins in the part. */
    long offset(int chunk) {
        return chunk * chunkBytes;
    }

    long length(int chunk) {
        return Math.min(chunkBytes, bytes - chunk * chunkBytes);
    }
}
