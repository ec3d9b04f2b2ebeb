/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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

    private final List<Mirror> mirrors = new ArrayList<>();

    /**
     * Where kernels look that cannot ask this object: those of a GPU. It is told by the thread that adds and removes,
     * one at a time.
     */
    public interface Mirror {
        /**
         * There is one more.
         *
         * @param handle that no memory had before
         * @param range  mapped until it is removed
         * @throws io.proxyrt.core.ProxyException if there is no room for it; then it was not added
         */
        void add(long handle, MemorySegment range);

        /**
         * There is one less. Blocks, for some seconds at most, while what still counts with it is under way.
         *
         * @param handle may be unknown
         */
        void remove(long handle);
    }

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
     * @throws io.proxyrt.core.ProxyException if a mirror has no room for it; then it is not known
     */
    public synchronized void add(long handle, MemorySegment range) {
        Ranges before = ranges;
        int index = -Arrays.binarySearch(before.handles, handle) - 1;
        if (index < 0) {
            throw new IllegalArgumentException("a second registration with handle " + handle);
        }
        try {
            mirrors.forEach(mirror -> mirror.add(handle, range));
        } catch (Throwable t) {
            mirrors.forEach(mirror -> mirror.remove(handle));
            throw t;
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
        mirrors.forEach(mirror -> mirror.remove(handle));
        long[] handles = new long[before.handles.length - 1];
        MemorySegment[] segments = new MemorySegment[handles.length];
        System.arraycopy(before.handles, 0, handles, 0, index);
        System.arraycopy(before.segments, 0, segments, 0, index);
        System.arraycopy(before.handles, index + 1, handles, index, handles.length - index);
        System.arraycopy(before.segments, index + 1, segments, index, handles.length - index);
        ranges = new Ranges(handles, segments);
    }

    /**
     * Keeps a mirror up to date, beginning with what is registered. Any thread.
     *
     * @param mirror that knows nothing
     * @throws io.proxyrt.core.ProxyException if it has no room for that
     */
    public synchronized void mirror(Mirror mirror) {
        Ranges now = ranges;
        for (int i = 0; i < now.handles.length; i++) {
            mirror.add(now.handles[i], now.segments[i]);
        }
        mirrors.add(mirror);
    }

    /**
     * Tells a mirror nothing more. Any thread; idempotent.
     *
     * @param mirror of {@link #mirror}
     */
    public synchronized void forget(Mirror mirror) {
        mirrors.remove(mirror);
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
