/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

/**
 * How the buffers of one collective of one size look at one rank, in elements; nccl-tests'
 * {@code getCollByteCount}.
 *
 * @param sendCount         elements that the rank puts in
 * @param recvCount         elements that it gets out
 * @param paramCount        elements that the call is told; of parts of different sizes, their average
 * @param sendInPlaceOffset where its input lies in the one buffer of an in-place call
 * @param recvInPlaceOffset where its output lies there
 * @param sizeCount         elements of the larger side, the same at all ranks: the size in the table
 */
record Shape(long sendCount, long recvCount, long paramCount, long sendInPlaceOffset, long recvInPlaceOffset,
        long sizeCount) {
    /** The size in the table. */
    long sizeBytes(int elementBytes) {
        return sizeCount * elementBytes;
    }

    /** What an in-place call of this rank reaches. */
    long inPlaceCount() {
        return Math.max(sendInPlaceOffset + sendCount, recvInPlaceOffset + recvCount);
    }
}
