/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Extent;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Collectives and messages over the IB network, by adapters of software: two of each rank. */
class IbCollectivesTest {
    private static final int[] COUNTS = {1, 31, 1000, 70_001, 600_000};

    @TempDir
    Path directory;

    static Stream<Arguments> all() {
        return Extent.sample(5, Stream.of("LL", "LL128", "SIMPLE").flatMap(protocol -> Stream.of(2, 4)
                .flatMap(ranks -> Stream.of(ThreadingMode.values()).map(mode -> Arguments.of(protocol, ranks, mode)))));
    }

    private ProxyConfig config(String protocol, ThreadingMode mode) {
        return InProcessRanks.config(directory, mode).set("net", "SoftIB").set("coll.protocol", protocol)
                .set(CollectivesOptions.CHANNELS, 3).build();
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldReduceGatherAndSend(String protocol, int nRanks, ThreadingMode mode) throws Exception {
        InProcessRanks.run(nRanks, config(protocol, mode), comm -> {
            for (int count : COUNTS) {
                reduce(comm, nRanks, count);
                gather(comm, nRanks, count);
                send(comm, nRanks, count);
            }
        });
    }

    private static void reduce(Communicator comm, int nRanks, int count) {
        MemorySegment send = ints(comm, count, i -> i + comm.rank());
        MemorySegment recv = ints(comm, count, i -> -1);
        comm.allReduce(send, recv, count, DataType.INT32, RedOp.SUM);
        comm.synchronize();
        assertInts(recv, count, i -> nRanks * i + nRanks * (nRanks - 1) / 2);
    }

    private static void gather(Communicator comm, int nRanks, int count) {
        MemorySegment send = ints(comm, count, i -> i ^ comm.rank() << 24);
        MemorySegment recv = ints(comm, count * nRanks, i -> -1);
        comm.allGather(send, recv, count, DataType.INT32);
        comm.synchronize();
        assertInts(recv, count * nRanks, i -> i % count ^ i / count << 24);
    }

    private static void send(Communicator comm, int nRanks, int count) {
        int to = (comm.rank() + 1) % nRanks;
        int from = Math.floorMod(comm.rank() - 1, nRanks);
        MemorySegment send = ints(comm, count, i -> i + 1000 * comm.rank() + to);
        MemorySegment recv = ints(comm, count, i -> -1);
        comm.sendRecv(send, to, recv, from);
        comm.synchronize();
        assertInts(recv, count, i -> i + 1000 * from + comm.rank());
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
