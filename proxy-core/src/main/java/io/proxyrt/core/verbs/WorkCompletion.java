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
 * What became of a work request: {@code ibv_wc}.
 *
 * <pre>
 *   0      8        12       16           20          24     28       32      36      40     48
 *  +------+--------+--------+------------+-----------+------+--------+-------+-------+------+
 *  | id   | status | opcode | vendor's   | bytes     | imm  | QP     | peer's| flags |      |
 *  +------+--------+--------+------------+-----------+------+--------+-------+-------+------+
 * </pre>
 */
public final class WorkCompletion {
    /** Bytes of one. */
    public static final long BYTES = 48;
    /** {@code IBV_WC_SUCCESS}. */
    public static final int SUCCESS = 0;
    /** {@code IBV_WC_LOC_PROT_ERR}: memory of a request is not, or no longer, registered. */
    public static final int LOCAL_PROTECTION_ERROR = 4;
    /** {@code IBV_WC_WR_FLUSH_ERR}: the queue pair had failed before. */
    public static final int FLUSH_ERROR = 5;
    /** {@code IBV_WC_REM_ACCESS_ERR}: the peer's region does not allow it. */
    public static final int REMOTE_ACCESS_ERROR = 10;
    /** {@code IBV_WC_RETRY_EXC_ERR}: the peer does not answer. */
    public static final int RETRY_EXCEEDED = 12;
    /** {@code IBV_WC_RNR_RETRY_EXC_ERR}: the peer has no receive posted. */
    public static final int RNR_RETRY_EXCEEDED = 13;
    /** {@code IBV_WC_RDMA_WRITE}, of a send queue. */
    public static final int RDMA_WRITE = 1;
    /** {@code IBV_WC_RDMA_READ}, of a send queue. */
    public static final int RDMA_READ = 2;
    /** {@code IBV_WC_RECV_RDMA_WITH_IMM}, of a receive queue. */
    public static final int RECV_RDMA_WITH_IMM = 129;

    private static final long ID = 0;
    private static final long STATUS = 8;
    private static final long OPCODE = 12;
    private static final long VENDOR_ERROR = 16;
    private static final long LENGTH = 20;
    private static final long IMMEDIATE = 24;
    private static final long QUEUE_PAIR = 28;
    private static final OfInt BIG_ENDIAN = JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final String[] STATUS_NAMES = {"SUCCESS", "LOC_LEN_ERR", "LOC_QP_OP_ERR", "LOC_EEC_OP_ERR",
        "LOC_PROT_ERR", "WR_FLUSH_ERR", "MW_BIND_ERR", "BAD_RESP_ERR", "LOC_ACCESS_ERR", "REM_INV_REQ_ERR",
        "REM_ACCESS_ERR", "REM_OP_ERR", "RETRY_EXC_ERR", "RNR_RETRY_EXC_ERR", "LOC_RDD_VIOL_ERR",
        "REM_INV_RD_REQ_ERR", "REM_ABORT_ERR", "INV_EECN_ERR", "INV_EEC_STATE_ERR", "FATAL_ERR", "RESP_TIMEOUT_ERR",
        "GENERAL_ERR"};

    private WorkCompletion() {
    }

    /**
     * The work request's id.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return as posted
     */
    public static long id(MemorySegment memory, long at) {
        return memory.get(JAVA_LONG, at + ID);
    }

    /**
     * Whether the request succeeded.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return {@link #SUCCESS} or why not; then only the id, the vendor's error and the queue pair mean something
     */
    public static int status(MemorySegment memory, long at) {
        return memory.get(JAVA_INT, at + STATUS);
    }

    /**
     * What was done.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return {@link #RDMA_WRITE} or one of the others
     */
    public static int opcode(MemorySegment memory, long at) {
        return memory.get(JAVA_INT, at + OPCODE);
    }

    /**
     * What the device's vendor says of a failure.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return the vendor's number
     */
    public static int vendorError(MemorySegment memory, long at) {
        return memory.get(JAVA_INT, at + VENDOR_ERROR);
    }

    /**
     * How much the peer wrote, of a receive.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return bytes of the write that carried the immediate
     */
    public static int length(MemorySegment memory, long at) {
        return memory.get(JAVA_INT, at + LENGTH);
    }

    /**
     * The peer's immediate, of a receive.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return as the peer gave it
     */
    public static int immediate(MemorySegment memory, long at) {
        return memory.get(BIG_ENDIAN, at + IMMEDIATE);
    }

    /**
     * Whose request it was.
     *
     * @param memory where it lies
     * @param at     its offset there
     * @return number of one's own queue pair
     */
    public static int queuePair(MemorySegment memory, long at) {
        return memory.get(JAVA_INT, at + QUEUE_PAIR);
    }

    /**
     * The name of a status.
     *
     * @param status as {@link #status} says
     * @return such as {@code RETRY_EXC_ERR}
     */
    public static String statusName(int status) {
        return status >= 0 && status < STATUS_NAMES.length ? STATUS_NAMES[status] : "status " + status;
    }

    /**
     * Writes one, for verbs that are no library's.
     *
     * @param memory    where it is to lie
     * @param at        its offset there
     * @param id        of the work request
     * @param status    {@link #SUCCESS} or why not
     * @param opcode    what was done
     * @param length    bytes, of a receive
     * @param immediate of a receive
     * @param queuePair one's own, whose request it was
     */
    public static void set(MemorySegment memory, long at, long id, int status, int opcode, int length, int immediate,
            int queuePair) {
        memory.set(JAVA_LONG, at + ID, id);
        memory.set(JAVA_INT, at + STATUS, status);
        memory.set(JAVA_INT, at + OPCODE, opcode);
        memory.set(JAVA_INT, at + VENDOR_ERROR, 0);
        memory.set(JAVA_INT, at + LENGTH, length);
        memory.set(BIG_ENDIAN, at + IMMEDIATE, immediate);
        memory.set(JAVA_INT, at + QUEUE_PAIR, queuePair);
    }
}
