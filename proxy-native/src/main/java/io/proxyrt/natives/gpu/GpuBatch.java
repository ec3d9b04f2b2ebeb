/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The arguments of {@code cuMemcpyBatchAsync}. One thread at a time.
 *
 * <pre>
 *   0     targets    1024  sources    2048  lengths
 *   3072  CUmemcpyAttributes, for all: srcAccessOrder, srcLocHint, dstLocHint, flags
 *   3096  index of the first copy that they are for: 0
 *   3104  which copy the driver refused
 * </pre>
 */
final class GpuBatch {
    static final int CAPACITY = 128;
    private static final long SOURCES = CAPACITY * 8;
    private static final long LENGTHS = 2 * SOURCES;
    private static final long ATTRIBUTES = 3 * SOURCES;
    static final long ATTRIBUTES_BYTES = 24;
    private static final long INDEX = ATTRIBUTES + ATTRIBUTES_BYTES;
    private static final long FAILED = INDEX + Long.BYTES;
    private static final long BYTES = FAILED + Long.BYTES;
    /** {@code CU_MEMCPY_SRC_ACCESS_ORDER_STREAM}: when the stream has come to it, not before. */
    static final int ORDER_STREAM = 1;

    private final MemorySegment memory = Arena.ofAuto().allocate(BYTES, Long.BYTES);
    private int size;

    GpuBatch() {
        memory.set(JAVA_INT, ATTRIBUTES, ORDER_STREAM);
    }

    void clear() {
        size = 0;
    }

    void add(long to, long from, long bytes) {
        memory.setAtIndex(JAVA_LONG, size, to);
        memory.set(JAVA_LONG, SOURCES + size * 8L, from);
        memory.set(JAVA_LONG, LENGTHS + size * 8L, bytes);
        size++;
    }

    long size() {
        return size;
    }

    long targets() {
        return memory.address();
    }

    long sources() {
        return memory.address() + SOURCES;
    }

    long lengths() {
        return memory.address() + LENGTHS;
    }

    long attributes() {
        return memory.address() + ATTRIBUTES;
    }

    long attributeIndex() {
        return memory.address() + INDEX;
    }

    long failed() {
        return memory.address() + FAILED;
    }
}
