/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

/**
 * Which queue pairs a message takes, and how much of it each carries. Both ends go by it, so neither has to say.
 *
 * <p>Queue pair i is at port i mod ports of either end. Without a split, a message takes as many queue pairs as the end
 * with more ports has, and messages take turns.
 *
 * @param pairs        of the connection
 * @param pairsPerSend that a message takes
 */
record PairPlan(int pairs, int pairsPerSend) {
    static final int MAX_PAIRS = 128;
    /** Lines of LL128 stay whole. */
    private static final long UNIT_BYTES = 128;

    /** What follows from the ports of both ends, and from the queue pairs by port that either wants. */
    static PairPlan of(int ports, int remotePorts, int perPort, int remotePerPort, boolean isSplit) {
        int most = Math.max(ports, remotePorts);
        int pairs = most * Math.min(Math.max(perPort, remotePerPort), MAX_PAIRS / most);
        return new PairPlan(pairs, isSplit ? pairs : most);
    }

    /** The first queue pair of a message; the others follow. */
    int first(long message) {
        return (int) (message * pairsPerSend % pairs);
    }

    /** How many messages go by until a queue pair's turn comes again. */
    int turns() {
        return pairs / pairsPerSend;
    }

    /** The n-th message that a queue pair carries. */
    long message(int pair, long n) {
        return n * turns() + pair / pairsPerSend;
    }

    /** Most bytes that each queue pair carries of a message. */
    long share(long bytes) {
        return (Math.ceilDiv(bytes, pairsPerSend) + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
    }
}
