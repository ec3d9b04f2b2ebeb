/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout.OfInt;
import java.nio.ByteOrder;

/**
 * A work request for the send queue: {@code ibv_send_wr}, for RDMA.
 *
 * <pre>
 *   0      8       16         24        28      32     36        40              48     52        128
 *  +------+-------+----------+---------+-------+------+---------+---------------+------+---------+
 *  | id   | next  | sges     | #sges   | op    | flags| imm     | remote address| rkey |         |
 *  +------+-------+----------+---------+-------+------+---------+---------------+------+---------+
 * </pre>
 */
public final class SendRequest {
    /** Bytes of one. */
    public static final long BYTES = 128;
    /** {@code IBV_WR_RDMA_WRITE}. */
    public static final int RDMA_WRITE = 0;
    /** {@code IBV_WR_RDMA_WRITE_WITH_IMM}: takes a receive of the peer, which completes with the immediate. */
    public static final int RDMA_WRITE_WITH_IMM = 1;
    /** {@code IBV_WR_RDMA_READ}. */
    public static final int RDMA_READ = 4;
    /** {@code IBV_SEND_SIGNALED}: it completes also if it succeeds. */
    public static final int SIGNALED = 2;
    /** {@code IBV_SEND_INLINE}: its data are taken when it is posted, and need no region. */
    public static final int INLINE = 8;

    private static final long ID = 0;
    private static final long NEXT = 8;
    private static final long SGES = 16;
    private static final long SGE_COUNT = 24;
    private static final long OPCODE = 28;
    private static final long FLAGS = 32;
    private static final long IMMEDIATE = 36;
    private static final long REMOTE_ADDRESS = 40;
    private static final long RKEY = 48;
    private static final OfInt BIG_ENDIAN = JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

    private SendRequest() {
    }

    /**
     * Writes one that is the last of its chain.
     *
     * @param memory   where it lies
     * @param at       its offset there
     * @param id       comes back with its completion
     * @param opcode   {@link #RDMA_WRITE} or one of the others
     * @param flags    {@link #SIGNALED}, {@link #INLINE}, or-ed
     * @param sges     address of its pieces of memory, {@link ScatterGather#BYTES} each
     * @param sgeCount how many; 0 for a request without data
     */
    public static void set(MemorySegment memory, long at, long id, int opcode, int flags, long sges, int sgeCount) {
        memory.set(JAVA_LONG, at + ID, id);
        memory.set(JAVA_LONG, at + NEXT, 0);
        memory.set(JAVA_LONG, at + SGES, sges);
        memory.set(JAVA_INT, at + SGE_COUNT, sgeCount);
        memory.set(JAVA_INT, at + OPCODE, opcode);
        memory.set(JAVA_INT, at + FLAGS, flags);
    }

    /**
     * Says where the request writes or reads.
     *
     * @param memory  where it lies
     * @param at      its offset there
     * @param address of the peer's memory
     * @param rkey    of the peer's region
     */
    public static void remote(MemorySegment memory, long at, long address, int rkey) {
        memory.set(JAVA_LONG, at + REMOTE_ADDRESS, address);
        memory.set(JAVA_INT, at + RKEY, rkey);
    }

    /**
     * Gives the immediate that the peer's receive completes with.
     *
     * @param memory    where it lies
     * @param at        its offset there
     * @param immediate arrives as it is, whatever the byte orders
     */
    public static void immediate(MemorySegment memory, long at, int immediate) {
        memory.set(BIG_ENDIAN, at + IMMEDIATE, immediate);
    }

    /**
     * Chains another one to the request: one post takes both.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @param next   address of the other
     */
    public static void next(MemorySegment memory, long at, long next) {
        memory.set(JAVA_LONG, at + NEXT, next);
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

    /**
     * The pieces of memory.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return address of the first
     */
    public static long sges(MemorySegment memory, long at) {
        return memory.get(JAVA_LONG, at + SGES);
    }

    /**
     * How many pieces of memory there are.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return 0 for a request without data
     */
    public static int sgeCount(MemorySegment memory, long at) {
        return memory.get(JAVA_INT, at + SGE_COUNT);
    }

    /**
     * What is to be done.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return as set
     */
    public static int opcode(MemorySegment memory, long at) {
        return memory.get(JAVA_INT, at + OPCODE);
    }

    /**
     * How it is to be done.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return as set
     */
    public static int flags(MemorySegment memory, long at) {
        return memory.get(JAVA_INT, at + FLAGS);
    }

    /**
     * The immediate.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return as set
     */
    public static int immediate(MemorySegment memory, long at) {
        return memory.get(BIG_ENDIAN, at + IMMEDIATE);
    }

    /**
     * Where the request writes or reads.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return address of the peer's memory
     */
    public static long remoteAddress(MemorySegment memory, long at) {
        return memory.get(JAVA_LONG, at + REMOTE_ADDRESS);
    }

    /**
     * The peer's region.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return its remote key
     */
    public static int rkey(MemorySegment memory, long at) {
        return memory.get(JAVA_INT, at + RKEY);
    }
}
