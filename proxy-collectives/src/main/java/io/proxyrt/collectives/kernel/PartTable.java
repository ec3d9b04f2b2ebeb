/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

/** Where the parts of ranks lie in a buffer, if they are of different sizes; in bytes. Filled anew for each call. */
public final class PartTable {
    private static final int HASH_BITS = 20;

    private final long[] bytes;
    private final long[] offsets;
    private long mostBytes;
    private long endBytes;
    private long hash;

    /**
     * An empty table.
     *
     * @param nRanks in the group
     */
    public PartTable(int nRanks) {
        this.bytes = new long[nRanks];
        this.offsets = new long[nRanks];
    }

    /**
     * Fills the table.
     *
     * @param counts        of elements, by rank
     * @param displacements of the parts in the buffer, in elements, by rank
     * @param elementBytes  of an element
     * @return this
     */
    public PartTable set(long[] counts, long[] displacements, int elementBytes) {
        mostBytes = 0;
        endBytes = 0;
        hash = 0;
        for (int rank = 0; rank < bytes.length; rank++) {
            assert counts[rank] >= 0 && displacements[rank] >= 0 : rank;
            bytes[rank] = counts[rank] * elementBytes;
            offsets[rank] = displacements[rank] * elementBytes;
            mostBytes = Math.max(mostBytes, bytes[rank]);
            endBytes = bytes[rank] == 0 ? endBytes : Math.max(endBytes, offsets[rank] + bytes[rank]);
            hash = (hash ^ counts[rank]) * 0x9e3779b97f4a7c15L;
        }
        return this;
    }

    /**
     * Fills the table with the parts of a buffer that is cut evenly, as far as parts begin where memory is read fast.
     *
     * @param all bytes of the buffer
     * @return this
     */
    public PartTable cut(long all) {
        long share = RingGeometry.share(all, bytes.length);
        for (int rank = 0; rank < bytes.length; rank++) {
            offsets[rank] = Math.min(all, rank * share);
            bytes[rank] = Math.min(all - offsets[rank], share);
        }
        mostBytes = bytes[0];
        endBytes = all;
        hash = 0;
        return this;
    }

    /** Takes over what another table says. */
    PartTable set(PartTable other) {
        System.arraycopy(other.bytes, 0, bytes, 0, bytes.length);
        System.arraycopy(other.offsets, 0, offsets, 0, offsets.length);
        mostBytes = other.mostBytes;
        endBytes = other.endBytes;
        hash = other.hash;
        return this;
    }

    /**
     * {@return the bytes of a rank's part}
     *
     * @param rank whose part
     */
    public long bytes(int rank) {
        return bytes[rank];
    }

    /**
     * {@return where a rank's part begins}
     *
     * @param rank whose part
     */
    public long offset(int rank) {
        return offsets[rank];
    }

    /** {@return the bytes of the largest part} */
    public long mostBytes() {
        return mostBytes;
    }

    /** {@return the end of the part that reaches farthest} */
    public long endBytes() {
        return endBytes;
    }

    /** {@return what tells these sizes from others, for an {@link OpWord}} */
    public long word() {
        return OpWord.sizes(hash >>> Long.SIZE - HASH_BITS);
    }
}
