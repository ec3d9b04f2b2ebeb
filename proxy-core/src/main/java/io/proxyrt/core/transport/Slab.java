/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.device.DeviceMemory;
import java.util.Map;
import java.util.TreeMap;

/** Memory of a device, cut into pieces: first fit, lowest address first; free neighbours become one. */
final class Slab {
    private static final long NONE = -1;

    final DeviceMemory memory;
    final long bytes;
    /** Bytes by offset; no two touch. */
    private final TreeMap<Long, Long> free = new TreeMap<>();
    private long freeBytes;
    /** Above it nothing was ever handed out, so that it still is as the device gave it: zero. */
    private long usedEnd;

    Slab(DeviceMemory memory, long bytes) {
        this.memory = memory;
        this.bytes = bytes;
        this.freeBytes = bytes;
        free.put(0L, bytes);
    }

    /** Returns the offset of zeroed memory, or a negative number if there is no such piece. */
    long take(long wanted) {
        if (freeBytes < wanted) {
            return NONE;
        }
        for (Map.Entry<Long, Long> range : free.entrySet()) {
            if (range.getValue() >= wanted) {
                return take(range.getKey(), range.getValue(), wanted);
            }
        }
        return NONE;
    }

    private long take(long offset, long room, long wanted) {
        clear(offset, Math.min(usedEnd, offset + wanted));
        free.remove(offset);
        if (room > wanted) {
            free.put(offset + wanted, room - wanted);
        }
        freeBytes -= wanted;
        usedEnd = Math.max(usedEnd, offset + wanted);
        assert freeBytes >= 0 && usedEnd <= bytes : offset;
        return offset;
    }

    private void clear(long from, long to) {
        if (to > from) {
            memory.zero(from, to - from);
        }
    }

    void give(long offset, long length) {
        assert isTaken(offset, length) : offset;
        long from = offset;
        long to = offset + length;
        Map.Entry<Long, Long> below = free.floorEntry(offset);
        if (below != null && below.getKey() + below.getValue() == offset) {
            from = below.getKey();
        }
        Long above = free.remove(to);
        if (above != null) {
            to += above;
        }
        free.put(from, to - from);
        freeBytes += length;
    }

    /** Whether no byte of a piece is free. */
    private boolean isTaken(long offset, long length) {
        Map.Entry<Long, Long> below = free.lowerEntry(offset + length);
        return offset >= 0 && offset + length <= usedEnd
                && (below == null || below.getKey() + below.getValue() <= offset);
    }

    long freeBytes() {
        return freeBytes;
    }

    boolean isIdle() {
        return freeBytes == bytes;
    }

    /** What the list of free pieces comes to: as {@link #freeBytes()}, or the slab is broken. */
    long listedFreeBytes() {
        return free.values().stream().mapToLong(Long::longValue).sum();
    }
}
