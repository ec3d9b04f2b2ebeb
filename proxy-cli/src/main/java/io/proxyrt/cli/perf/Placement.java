/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import java.lang.foreign.MemorySegment;

/**
 * Where the buffers of calls of one size lie.
 *
 * @param send         memory of the input; the same as the output's for calls in place
 * @param output       memory of the output
 * @param shape        of the call
 * @param elementBytes of the type
 * @param maxBytes     of either memory
 */
record Placement(GuardedBuffer send, GuardedBuffer output, Shape shape, int elementBytes, long maxBytes) {
    /** The input of the n-th call. */
    MemorySegment send(long call) {
        long offset = send == output ? shape.sendInPlaceOffset() * elementBytes : 0;
        return send.slice(shift(call) + offset, shape.sendCount() * elementBytes);
    }

    /** The output of the n-th call. */
    MemorySegment recv(long call) {
        long offset = send == output ? shape.recvInPlaceOffset() * elementBytes : 0;
        return output.slice(shift(call) + offset, shape.recvCount() * elementBytes);
    }

    /** How much of the output's memory the first call may write to, or reads its input from. */
    long outputRegionBytes() {
        return (send == output ? shape.inPlaceCount() : shape.recvCount()) * elementBytes;
    }

    /** Calls move through the memory, as in nccl-tests, so that small ones don't live in the cache. */
    private long shift(long call) {
        long bytes = shape.sizeBytes(elementBytes);
        return bytes == 0 ? 0 : bytes * (call % Math.max(1, maxBytes / bytes));
    }
}
