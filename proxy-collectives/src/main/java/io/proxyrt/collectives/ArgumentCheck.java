/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.MemorySegment;

/**
 * Looks at what the caller gives before a launch: what a kernel stumbles over would end the stream, and leave the other
 * ranks waiting. Allocates nothing for what is good.
 */
final class ArgumentCheck {
    private static final Thread ANOTHER = Thread.ofVirtual().unstarted(() -> { });

    private final int rank;
    private final int nRanks;
    private final boolean isInvoker;
    /** The device, if it is a GPU. */
    private final String gpu;

    private ArgumentCheck(RingSetup setup, boolean isInvoker, String gpu) {
        this.rank = setup.rank();
        this.nRanks = setup.nRanks();
        this.isInvoker = isInvoker;
        this.gpu = gpu;
    }

    /** For kernels that the caller's thread runs, or another one. */
    static ArgumentCheck ofHost(RingSetup setup, boolean isInvoker) {
        return new ArgumentCheck(setup, isInvoker, null);
    }

    /** For kernels of a GPU, which is told addresses and nothing else. */
    static ArgumentCheck ofGpu(RingSetup setup, String device) {
        return new ArgumentCheck(setup, false, device);
    }

    static long bytes(long count, DataType type) {
        if (count < 0) {
            throw refused("count is negative: " + count);
        }
        return Math.multiplyExact(count, type.sizeBytes());
    }

    void rank(String name, int value) {
        if (value < 0 || value >= nRanks) {
            throw refused(name + " is " + value + ", there are " + nRanks + " ranks");
        }
    }

    void peer(String name, int value) {
        rank(name, value);
        if (value == rank) {
            throw refused(name + " is this rank, " + rank);
        }
    }

    void input(String name, MemorySegment buffer, long bytes) {
        if (buffer == null) {
            throw refused(name + " is null");
        }
        if (buffer.byteSize() < bytes) {
            throw refused(name + " has " + buffer.byteSize() + " bytes, " + bytes + " are needed");
        }
        if (!buffer.scope().isAlive()) {
            throw refused(name + " was freed");
        }
        if (gpu != null && !buffer.isNative()) {
            throw refused(name + " is on the Java heap, where " + gpu + " does not reach; give the range of memory of "
                    + "the communicator's allocate");
        }
        if (gpu == null && !buffer.isAccessibleBy(isInvoker ? Thread.currentThread() : ANOTHER)) {
            throw refused(name + " belongs to a confined arena, but another thread runs the kernels; use a shared one");
        }
    }

    void output(String name, MemorySegment buffer, long bytes) {
        input(name, buffer, bytes);
        if (buffer.isReadOnly()) {
            throw refused(name + " is read-only");
        }
    }

    private static ProxyException refused(String why) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, why);
    }
}
