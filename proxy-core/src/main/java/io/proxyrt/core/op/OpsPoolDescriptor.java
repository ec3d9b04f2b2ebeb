/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/**
 * Layout of the ops pool, a mapped file of one proxy; little-endian. A lane has one producer, its poster, and one
 * consumer, the progress agent. Positions only grow; position p lives in slot p modulo capacity.
 *
 * <pre>
 * header, 1024 bytes
 *    0 magic long "PRXOPS01"       stored last, with release
 *    8 version int | lanes int
 *   16 capacity int | opBytes int
 *   24 pid long                    of the proxy
 *   32 rank int
 *  128 waiting int                 1 while the consumer is about to park, or parked
 *
 * lane i, at 1024 + i · laneBytes
 *    0 posted long                 producer: ops below are complete (release; the consumer acquires)
 *  128 fetched long                consumer: ops below were copied out
 *  256 completed long              consumer: so many fetched ops have ended (release; the producer acquires)
 *  384 owner long                  pid of the poster, 0 while the lane is free
 *  512 slots                       capacity · {@link ProxyOpDescriptor#BYTES}
 * </pre>
 *
 * <p>At all times, for each lane: free + pending + in flight = capacity, where pending = posted - fetched and
 * in flight = fetched - completed. Ops end in any order, but a slot is reused only when as many ops have ended as were
 * posted before its previous use, and every fetched op was copied out by then; so counting is enough.
 */
final class OpsPoolDescriptor {
    static final long MAGIC = 0x313053504f585250L;
    static final int VERSION = 1;
    static final long VERSION_OFFSET = 8;
    static final long LANES_OFFSET = 12;
    static final long CAPACITY_OFFSET = 16;
    static final long OP_BYTES_OFFSET = 20;
    static final long PID_OFFSET = 24;
    static final long RANK_OFFSET = 32;
    static final long WAITING_OFFSET = 128;
    static final long HEADER_BYTES = 1024;

    static final long POSTED_OFFSET = 0;
    static final long FETCHED_OFFSET = 128;
    static final long COMPLETED_OFFSET = 256;
    static final long OWNER_OFFSET = 384;
    static final long SLOTS_OFFSET = 512;

    private OpsPoolDescriptor() {
    }

    static long laneBytes(int capacity) {
        return SLOTS_OFFSET + capacity * ProxyOpDescriptor.BYTES;
    }

    static long laneOffset(int lane, int capacity) {
        return HEADER_BYTES + lane * laneBytes(capacity);
    }

    static long fileBytes(int lanes, int capacity) {
        return laneOffset(lanes, capacity);
    }
}
