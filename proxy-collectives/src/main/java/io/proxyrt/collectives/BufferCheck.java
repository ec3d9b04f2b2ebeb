/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.MemorySegment;

/**
 * Looks at the caller's buffers before a launch: what a kernel stumbles over would end the stream, and leave the other
 * ranks waiting. Allocates nothing for a good one.
 */
final class BufferCheck {
    private static final Thread ANOTHER = Thread.ofVirtual().unstarted(() -> { });

    private final boolean isInvoker;
    /** The device, if it is a GPU. */
    private final String gpu;

    private BufferCheck(boolean isInvoker, String gpu) {
        this.isInvoker = isInvoker;
        this.gpu = gpu;
    }

    /** For kernels that the caller's thread runs, or another one. */
    static BufferCheck ofHost(boolean isInvoker) {
        return new BufferCheck(isInvoker, null);
    }

    /** For kernels of a GPU, which is told addresses and nothing else. */
    static BufferCheck ofGpu(String device) {
        return new BufferCheck(false, device);
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
