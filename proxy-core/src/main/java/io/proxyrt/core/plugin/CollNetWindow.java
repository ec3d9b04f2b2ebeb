/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

/**
 * What of a collective one call carries: a window of all ranks' parts, one behind the other. Its owner uses it again
 * and again, so that a call allocates nothing.
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
     * @param newBytesPerRank of each rank's part
     * @param newOffset       of the window's first byte, from the first part's beginning
     * @param newBytes        of the window
     * @return this
     */
    public CollNetWindow set(long newBytesPerRank, long newOffset, long newBytes) {
        bytesPerRank = newBytesPerRank;
        offset = newOffset;
        bytes = newBytes;
        return this;
    }

    /**
     * The size of each rank's part.
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
}
