/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/** An op whose fields all follow from one number, so that it can be told from a torn one. */
final class MarkedOp {
    /** Read from an op whose fields are not of one number. */
    static final int TORN = -1;

    /** An op has two bytes for its channel. */
    private static final int CHANNELS = 0xFFFF;

    private MarkedOp() {
    }

    /** Appends an op of that number, which is its opCount too. */
    static void append(OpsPoster poster, int number) {
        poster.append(number).connection(number).nbytes(number).root(number).nsteps(number).chunkSize(number)
                .loopSize(number).loopOffset(number).sendbuff(number).recvbuff(number).rank(number).peer(number)
                .channelId(number & CHANNELS).timeoutMs(number);
    }

    /** The number of an op, or {@link #TORN}. */
    static int number(ProxyOp op) {
        int number = op.timeoutMs();
        boolean isWhole = op.connection() == number && op.nbytes() == number && op.opCount() == number
                && op.root() == number && op.nsteps() == number && op.channelId() == (number & CHANNELS)
                && op.chunkSize() == number && op.loopSize() == number && op.loopOffset() == number
                && op.sendbuff() == number && op.recvbuff() == number && op.rank() == number && op.peer() == number;
        return isWhole ? number : TORN;
    }
}
