/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

/**
 * The sizes for which RCCL takes a protocol on several nodes.
 *
 * @param above         more bytes than these
 * @param upTo          and no more than these
 * @param growth        of the range with nodes, which RCCL does not use any more
 * @param bytesOfThread times ranks: what a thread has to have
 */
record RcclRange(double above, double upTo, double growth, double bytesOfThread) {
    static final int NUMBERS = 4;

    static RcclRange of(double... numbers) {
        return new RcclRange(numbers[0], numbers[1], numbers[2], numbers[3]);
    }

    boolean has(long bytes, double grown) {
        return bytes > above && bytes <= upTo * grown;
    }
}
