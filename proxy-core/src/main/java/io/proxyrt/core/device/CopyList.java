/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

/**
 * Copies that a stream may do side by side, in any order: {@code cudaMemcpyBatchAsync}. A device's engine takes some
 * microseconds from one copy to the next, but not within a list. It is filled, given to {@link DeviceStream#copyAll}
 * until that has taken all of it, and cleared. One thread at a time; allocates nothing once it is made.
 */
public final class CopyList {
    private final DeviceMemory[] to;
    private final DeviceMemory[] from;
    private final long[] toOffsets;
    private final long[] fromOffsets;
    private final long[] bytes;
    private int size;
    private int taken;

    /**
     * An empty one.
     *
     * @param capacity most copies
     */
    public CopyList(int capacity) {
        this.to = new DeviceMemory[capacity];
        this.from = new DeviceMemory[capacity];
        this.toOffsets = new long[capacity];
        this.fromOffsets = new long[capacity];
        this.bytes = new long[capacity];
    }

    /**
     * Adds a copy, to memory that no other of the list reads or writes. Arguments are those of
     * {@link DeviceStream#copy}.
     *
     * @param target       where to
     * @param targetOffset in bytes
     * @param source       where from
     * @param sourceOffset in bytes
     * @param length       how many bytes
     * @return its index; -1 if the list is full
     */
    public int add(DeviceMemory target, long targetOffset, DeviceMemory source, long sourceOffset, long length) {
        if (size == bytes.length) {
            return -1;
        }
        to[size] = target;
        toOffsets[size] = targetOffset;
        from[size] = source;
        fromOffsets[size] = sourceOffset;
        bytes[size] = length;
        return size++;
    }

    /**
     * Has a copy come from elsewhere.
     *
     * @param index        of the copy
     * @param source       where from
     * @param sourceOffset in bytes
     */
    public void moveSource(int index, DeviceMemory source, long sourceOffset) {
        from[index] = source;
        fromOffsets[index] = sourceOffset;
    }

    /**
     * How many copies there are.
     *
     * @return from 0 to the capacity
     */
    public int size() {
        return size;
    }

    /**
     * How many of them a stream has: the first.
     *
     * @return at most {@link #size()}
     */
    public int taken() {
        return taken;
    }

    /**
     * Streams say what they have taken.
     *
     * @param copies how many of the next ones
     */
    public void took(int copies) {
        taken += copies;
    }

    /** Empties it. */
    public void clear() {
        size = 0;
        taken = 0;
    }

    /**
     * Where a copy goes.
     *
     * @param index of the copy
     * @return as it was added
     */
    public DeviceMemory to(int index) {
        return to[index];
    }

    /**
     * Where in {@link #to} it begins.
     *
     * @param index of the copy
     * @return in bytes
     */
    public long toOffset(int index) {
        return toOffsets[index];
    }

    /**
     * Where a copy comes from.
     *
     * @param index of the copy
     * @return as it was added
     */
    public DeviceMemory from(int index) {
        return from[index];
    }

    /**
     * Where in {@link #from} it begins.
     *
     * @param index of the copy
     * @return in bytes
     */
    public long fromOffset(int index) {
        return fromOffsets[index];
    }

    /**
     * How much of it there is.
     *
     * @param index of the copy
     * @return as it was added
     */
    public long bytes(int index) {
        return bytes[index];
    }
}
