/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

/**
 * How the buffers of one collective of one size look at one rank, in elements; nccl-tests'
 * {@code getCollByteCount}.
 *
 * @param sendCount         elements that a rank puts in
 * @param recvCount         elements that it gets out
 * @param paramCount        elements that the call is told
 * @param sendInPlaceOffset times the rank: where its input lies in the one buffer of an in-place call
 * @param recvInPlaceOffset times the rank: where its output lies there
 */
record Shape(long sendCount, long recvCount, long paramCount, long sendInPlaceOffset, long recvInPlaceOffset) {
    /** The size in the table: the larger side's. */
    long sizeBytes(int elementBytes) {
        return Math.max(sendCount, recvCount) * elementBytes;
    }
}
