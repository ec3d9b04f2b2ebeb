/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * A work request for the receive queue: {@code ibv_recv_wr}. It has no memory: what arrives is written by RDMA, and the
 * request is there for the immediate that tells of it.
 */
public final class ReceiveRequest {
    /** Bytes of one. */
    public static final long BYTES = 32;

    private static final long ID = 0;
    private static final long NEXT = 8;
    private static final long SGES = 16;
    private static final long SGE_COUNT = 24;

    private ReceiveRequest() {
    }

    /**
     * Writes one.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @param id     comes back with its completion
     * @param next   address of the next one of the chain; 0 if there is none
     */
    public static void set(MemorySegment memory, long at, long id, long next) {
        memory.set(JAVA_LONG, at + ID, id);
        memory.set(JAVA_LONG, at + NEXT, next);
        memory.set(JAVA_LONG, at + SGES, 0);
        memory.set(JAVA_INT, at + SGE_COUNT, 0);
    }

    /**
     * What comes back with the completion.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return as set
     */
    public static long id(MemorySegment memory, long at) {
        return memory.get(JAVA_LONG, at + ID);
    }

    /**
     * The next one of the chain.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return its address; 0 if there is none
     */
    public static long next(MemorySegment memory, long at) {
        return memory.get(JAVA_LONG, at + NEXT);
    }
}
