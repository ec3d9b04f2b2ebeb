/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The memory that a peer of this host registered with this rank's proxy, so that this rank's kernels read it, or write
 * it, in place. The peer makes a connection at this rank's service, with Setup and Connect requests that are empty,
 * sends a descriptor of its memory by QueryFd, and registers it; what Register answers is the handle, which its kernels
 * tell the kernels here, with an offset, instead of putting data into a slot.
 *
 * <p>The service thread adds and removes; kernels find, without a lock. A range stays mapped until the peer deregisters
 * it, which it does when no kernel needs it any more, or until it is gone; what is then accessed fails with an
 * {@link IllegalStateException}.
 */
public final class PeerMemory {
    private static final Ranges NONE = new Ranges(new long[0], new MemorySegment[0]);

    /** Replaced as a whole: the volatile store publishes what is in it. */
    private volatile Ranges ranges = NONE;

    /** Nothing registered yet. */
    public PeerMemory() {
    }

    /** By handle, ascending. */
    private record Ranges(long[] handles, MemorySegment[] segments) {
    }

    /**
     * Finds registered memory. Any thread; neither blocks nor allocates.
     *
     * @param handle from the peer, not to be trusted
     * @return from the first byte that was registered to the last; null if there is none with this handle
     */
    public MemorySegment find(long handle) {
        Ranges now = ranges;
        int index = Arrays.binarySearch(now.handles, handle);
        return index < 0 ? null : now.segments[index];
    }

    /**
     * Makes memory known. Any thread.
     *
     * @param handle that no other memory here has
     * @param range  mapped until it is {@linkplain #remove removed}
     */
    public synchronized void add(long handle, MemorySegment range) {
        Ranges before = ranges;
        int index = -Arrays.binarySearch(before.handles, handle) - 1;
        if (index < 0) {
            throw new IllegalArgumentException("a second registration with handle " + handle);
        }
        long[] handles = new long[before.handles.length + 1];
        MemorySegment[] segments = new MemorySegment[handles.length];
        System.arraycopy(before.handles, 0, handles, 0, index);
        System.arraycopy(before.segments, 0, segments, 0, index);
        System.arraycopy(before.handles, index, handles, index + 1, before.handles.length - index);
        System.arraycopy(before.segments, index, segments, index + 1, before.handles.length - index);
        handles[index] = handle;
        segments[index] = range;
        ranges = new Ranges(handles, segments);
    }

    /**
     * Undoes {@link #add}. Any thread.
     *
     * @param handle may be unknown
     */
    public synchronized void remove(long handle) {
        Ranges before = ranges;
        int index = Arrays.binarySearch(before.handles, handle);
        if (index < 0) {
            return;
        }
        long[] handles = new long[before.handles.length - 1];
        MemorySegment[] segments = new MemorySegment[handles.length];
        System.arraycopy(before.handles, 0, handles, 0, index);
        System.arraycopy(before.segments, 0, segments, 0, index);
        System.arraycopy(before.handles, index + 1, handles, index, handles.length - index);
        System.arraycopy(before.segments, index + 1, segments, index, handles.length - index);
        ranges = new Ranges(handles, segments);
    }

    /**
     * How much is registered. Any thread.
     *
     * @return number of ranges
     */
    public int size() {
        return ranges.handles.length;
    }
}
