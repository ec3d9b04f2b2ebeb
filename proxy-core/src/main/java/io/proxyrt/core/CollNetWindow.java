/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

/**
 * What of a collective one call carries: a window of all participants' parts, one behind the other in their order. Its
 * owner uses it again and again, so that a call allocates nothing.
 */
public final class CollNetWindow {
    private long bytesPerRank;
    private long offset;
    private long bytes;

    /** Of nothing. */
    public CollNetWindow() {
    }

    /**
     * Says what is carried.
     *
     * @param newBytesPerRank of each participant's part
     * @param newOffset       of the window's first byte
     * @param newBytes        of the window, at least 1
     * @return this
     */
    public CollNetWindow set(long newBytesPerRank, long newOffset, long newBytes) {
        bytesPerRank = newBytesPerRank;
        offset = newOffset;
        bytes = newBytes;
        return this;
    }

    /**
     * The size of each participant's part.
     *
     * @return bytes
     */
    public long bytesPerRank() {
        return bytesPerRank;
    }

    /**
     * Where the window begins.
     *
     * @return bytes from the first part's beginning
     */
    public long offset() {
        return offset;
    }

    /**
     * The window's size.
     *
     * @return bytes
     */
    public long bytes() {
        return bytes;
    }

    /**
     * Whether it lies within the parts of so many participants. The other questions are for one that does: no size
     * overflows then.
     *
     * @param nRanks how many, at least 1
     * @return false for one that a broken or malicious peer made up, too
     */
    public boolean isWithin(int nRanks) {
        return bytesPerRank > 0 && bytesPerRank <= Long.MAX_VALUE / nRanks && offset >= 0 && bytes > 0
                && offset <= bytesPerRank * nRanks - bytes;
    }

    /**
     * Where a participant's part meets the window.
     *
     * @param rank place of the participant
     * @return the first byte that is in both, from the first part's beginning; the window's or the part's end if
     *         none is
     */
    public long begin(int rank) {
        return Math.clamp(rank * bytesPerRank, offset, offset + bytes);
    }

    /**
     * How much of a participant's part the window has.
     *
     * @param rank place of the participant
     * @return bytes, from {@link #begin} on; 0 if they do not meet
     */
    public long length(int rank) {
        return Math.clamp((rank + 1) * bytesPerRank, offset, offset + bytes) - begin(rank);
    }
}
