/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.core.ProcessIdentity;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Layout of the ops pool, a mapped file of one proxy; little-endian. A lane has one producer, its poster, and one
 * consumer, the progress agent. Positions only grow.
 *
 * <pre>
 * header, 1024 bytes
 *    0 magic long "PRXOPS01"       stored last, with release
 *    8 version int | lanes int
 *   16 capacity int | opBytes int
 *   24 pid long | start long | namespace long    of the proxy
 *   48 rank int | kind int         an {@link OpsPoolKind}
 *  128 doorbell int                0 awake, 1 waiting, 2 rung; see {@link MappedDoorbell}
 *  256 isClosed int                1 when the proxy has left
 *  384 tick long                   when the consumer last looked at its clock, in ns of the monotonic clock
 *
 * lane i, at 1024 + i · laneBytes
 *    0 posted long                 producer: ops below are complete (after they were published; for audits)
 *  128 fetched long                consumer: ops below were copied out
 *  136 completed long              consumer: fetched ops that have ended (release; the producer acquires)
 *  256 pid long | start long | namespace long    of the process of the poster; pid 0 while the lane is free
 *  280 isMute int                1 if the poster cannot wake a consumer in another process
 *  384 in flight                   capacity · 32 bytes, the consumer's
 *  384 + capacity · 32 slots       capacity · {@link ProxyOpDescriptor#BYTES}
 *
 * one op in flight, 32 bytes
 *    0 since long                  monotonic ns of its fetch, 0 if the entry is free; stored last, with release
 *    8 opCount long | connection long
 *   24 peer int | channelId int
 * </pre>
 *
 * <p>A batch of ops is published by the first word of its first slot: the position of its end (release; the consumer
 * acquires).
 *
 * <p>At all times, for each lane: free + pending + in flight = capacity, where pending = posted - fetched and
 * in flight = fetched - completed. Ops end in any order, but a slot is reused only when as many ops have ended as were
 * posted before its previous use, and every fetched op was copied out by then; so counting is enough.
 */
final class OpsPoolDescriptor {
    static final long MAGIC = 0x313053504f585250L;
    static final int VERSION = 3;
    static final long MAGIC_OFFSET = 0;
    static final long VERSION_OFFSET = 8;
    static final long LANES_OFFSET = 12;
    static final long CAPACITY_OFFSET = 16;
    static final long OP_BYTES_OFFSET = 20;
    static final long PROCESS_OFFSET = 24;
    static final long RANK_OFFSET = 48;
    static final long KIND_OFFSET = 52;
    static final long DOORBELL_OFFSET = 128;
    static final long CLOSED_OFFSET = 256;
    static final long TICK_OFFSET = 384;
    static final long HEADER_BYTES = 1024;

    static final long POSTED_OFFSET = 0;
    static final long FETCHED_OFFSET = 128;
    static final long COMPLETED_OFFSET = 136;
    static final long OWNER_OFFSET = 256;
    static final long MUTE_OFFSET = 280;
    static final long IN_FLIGHT_OFFSET = 384;

    static final long IN_FLIGHT_BYTES = 32;
    static final long SINCE_OFFSET = 0;
    static final long OP_COUNT_OFFSET = 8;
    static final long CONNECTION_OFFSET = 16;
    static final long PEER_OFFSET = 24;
    static final long CHANNEL_OFFSET = 28;

    private OpsPoolDescriptor() {
    }

    static long slotsOffset(int capacity) {
        return IN_FLIGHT_OFFSET + capacity * IN_FLIGHT_BYTES;
    }

    static long laneBytes(int capacity) {
        return slotsOffset(capacity) + capacity * ProxyOpDescriptor.BYTES;
    }

    static long laneOffset(int lane, int capacity) {
        return HEADER_BYTES + lane * laneBytes(capacity);
    }

    static long fileBytes(int lanes, int capacity) {
        return laneOffset(lanes, capacity);
    }

    static ProcessIdentity process(MemorySegment memory, long offset) {
        return new ProcessIdentity(memory.get(ValueLayout.JAVA_LONG, offset),
                memory.get(ValueLayout.JAVA_LONG, offset + Long.BYTES),
                memory.get(ValueLayout.JAVA_LONG, offset + 2 * Long.BYTES));
    }
}
