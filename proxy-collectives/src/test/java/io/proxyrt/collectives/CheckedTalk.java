/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;
import java.util.function.IntUnaryOperator;

/** Collectives and messages of all ranks, with all data checked. */
final class CheckedTalk {
    /** Around slots, slices and chunks of the buffer that ranks of tests have. */
    private static final int[] COUNTS = {1, 5, 4096, 8193, 100_003, 700_001};

    private CheckedTalk() {
    }

    /** Every collective and message, of each size. */
    static void talk(Communicator comm) {
        for (int count : COUNTS) {
            allReduce(comm, count);
            allGather(comm, count);
            sendRecv(comm, count);
        }
    }

    static void allReduce(Communicator comm, int count) {
        int ranks = comm.nRanks() * (comm.nRanks() - 1) / 2;
        MemorySegment data = ints(comm, count, i -> i + comm.rank());
        comm.allReduce(data, data, count, DataType.INT32, RedOp.SUM);
        comm.synchronize();
        assertInts(data, count, i -> comm.nRanks() * i + ranks);
    }

    private static void allGather(Communicator comm, int count) {
        MemorySegment send = ints(comm, count, i -> i ^ comm.rank() << 24);
        MemorySegment recv = ints(comm, count * comm.nRanks(), i -> -1);
        comm.allGather(send, recv, count, DataType.INT32);
        comm.synchronize();
        assertInts(recv, count * comm.nRanks(), i -> i % count ^ i / count << 24);
    }

    private static void sendRecv(Communicator comm, int count) {
        for (int distance = 1; distance < comm.nRanks(); distance++) {
            int to = (comm.rank() + distance) % comm.nRanks();
            int from = Math.floorMod(comm.rank() - distance, comm.nRanks());
            MemorySegment send = ints(comm, count, i -> i + 1000 * comm.rank() + to);
            MemorySegment recv = ints(comm, count, i -> -1);
            comm.sendRecv(send, to, recv, from);
            comm.synchronize();
            assertInts(recv, count, i -> i + 1000 * from + comm.rank());
        }
    }

    private static MemorySegment ints(Communicator comm, int count, IntUnaryOperator value) {
        MemorySegment memory = comm.allocate(4L * count).segment();
        for (int i = 0; i < count; i++) {
            memory.setAtIndex(JAVA_INT, i, value.applyAsInt(i));
        }
        return memory;
    }

    private static void assertInts(MemorySegment memory, int count, IntUnaryOperator value) {
        for (int i = 0; i < count; i++) {
            if (memory.getAtIndex(JAVA_INT, i) != value.applyAsInt(i)) {
                assertEquals(value.applyAsInt(i), memory.getAtIndex(JAVA_INT, i), "at " + i + " of " + count);
            }
        }
    }
}
