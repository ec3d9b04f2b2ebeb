/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * {@code CUmemAllocationProp} and {@code hipMemAllocationProp}, which both have 32 bytes: what is in them, and where.
 *
 * @param allocationType the type that is asked for
 * @param type       offset of the allocation's type
 * @param handleType offset of the type of handles that can be exported
 * @param location   offset of the location: its type, and the ordinal behind that
 * @param rdma       offset of the byte that lets adapters reach it; -1 if there is none
 */
record MemDescriptor(int allocationType, int type, int handleType, int location, int rdma) {
    static final int PINNED = 1;
    /** HIP's own: pinned, and out of caches that other devices do not see. */
    static final int UNCACHED = 0x4000_0000;
    static final MemDescriptor CUDA = new MemDescriptor(PINNED, 0, 4, 8, 25);
    static final MemDescriptor HIP_5 = new MemDescriptor(PINNED, 16, 12, 4, -1);
    /** From HIP 6 on. A version that has no uncached memory refuses it, and then has no memory for connections. */
    static final MemDescriptor HIP_6 = new MemDescriptor(UNCACHED, 0, 4, 8, 25);

    static final int BYTES = 32;
    static final int POSIX_FILE_DESCRIPTOR = 1;
    static final int LOCATION_DEVICE = 1;
    static final int READ_WRITE = 3;
    static final int ACCESS_BYTES = 12;
    static final int ACCESS_FLAGS = 8;

    /** Memory of a device that can be exported as a file descriptor. */
    MemorySegment allocationProp(SegmentAllocator allocator, int device, boolean adapters) {
        MemorySegment prop = allocator.allocate(BYTES, JAVA_LONG.byteAlignment());
        prop.set(JAVA_INT, type, allocationType);
        prop.set(JAVA_INT, handleType, POSIX_FILE_DESCRIPTOR);
        setLocation(prop, location, device);
        if (adapters && rdma >= 0) {
            prop.set(JAVA_BYTE, rdma, (byte) 1);
        }
        return prop;
    }

    /** {@code CUmemAccessDesc}, {@code hipMemAccessDesc}: a device reads and writes. */
    static MemorySegment readWrite(SegmentAllocator allocator, int device) {
        MemorySegment access = allocator.allocate(ACCESS_BYTES, JAVA_INT.byteAlignment());
        setLocation(access, 0, device);
        access.set(JAVA_INT, ACCESS_FLAGS, READ_WRITE);
        return access;
    }

    private static void setLocation(MemorySegment memory, int offset, int device) {
        memory.set(JAVA_INT, offset, LOCATION_DEVICE);
        memory.set(JAVA_INT, offset + Integer.BYTES, device);
    }
}
