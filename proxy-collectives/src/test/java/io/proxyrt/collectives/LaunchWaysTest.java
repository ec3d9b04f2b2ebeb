/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.testkit.Extent;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever way a collective takes, the result is the same: protocol, ring or gathering, slots or registered memory. */
@Tag(Extent.SCALED)
class LaunchWaysTest {
    /** Around the boundaries of LL and LL128 slots, slices, chunks and loops. */
    private static final int[] COUNTS = {1, 3, 14, 15, 4095, 4096, 12_543, 12_545, 50_003, 200_001};
    private static final int[] FEW_COUNTS = {1, 15, 12_545, 50_003};

    @TempDir
    Path directory;

    static Stream<Arguments> ways() {
        return Extent.sample(7, Stream.of("NET", "SHM").flatMap(transport -> Stream.of(2, 3, 4).flatMap(nRanks ->
                Stream.of(Protocol.LL, Protocol.LL128, Protocol.SIMPLE).flatMap(protocol ->
                        Stream.of(Algorithm.values()).map(
                                algorithm -> Arguments.of(nRanks, protocol, algorithm, transport))))));
    }

    /** How all-reduces go that are small enough. */
    private enum Algorithm {
        RING, GATHER, DOUBLING
    }

    @ParameterizedTest
    @MethodSource("ways")
    void shouldComputeTheSame(int nRanks, Protocol protocol, Algorithm algorithm, String transport)
            throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.INVOKER, transport)
                .set(CollectivesOptions.PROTOCOL, Allowed.only(protocol))
                .set(CollectivesOptions.GATHER_BYTES, algorithm == Algorithm.GATHER ? 1L << 30 : -1)
                .set(CollectivesOptions.DOUBLING_BYTES, algorithm == Algorithm.DOUBLING ? 1L << 30 : -1)
                .set(CollectivesOptions.DIRECT_DOUBLING_BYTES, algorithm == Algorithm.DOUBLING ? 1L << 30 : -1)
                .set(CollectivesOptions.REGISTER_BYTES, 1L << 10).build();
        InProcessRanks.run(nRanks, config, comm -> {
            for (int count : COUNTS) {
                allCollectives(comm, count);
            }
        });
    }

    /** Two hosts of two ranks: each rank has one neighbour over SHM and one over NET. */
    @ParameterizedTest
    @CsvSource({"LL, DOUBLING", "LL128, GATHER", "SIMPLE, RING"})
    void shouldComputeTheSameInAMixedRing(Protocol protocol, Algorithm algorithm) throws Exception {
        List<ProxyConfig> configs = Stream.of("here", "here", "there", "there").map(host ->
                InProcessRanks.config(directory, ThreadingMode.INVOKER, "").set(CoreOptions.HOST_ID, host)
                        .set(CollectivesOptions.PROTOCOL, Allowed.only(protocol))
                        .set(CollectivesOptions.GATHER_BYTES, algorithm == Algorithm.GATHER ? 1L << 30 : -1)
                        .set(CollectivesOptions.DOUBLING_BYTES, algorithm == Algorithm.DOUBLING ? 1L << 30 : -1)
                        .set(CollectivesOptions.REGISTER_BYTES, 1L << 10).build()).toList();
        for (Throwable failure : InProcessRanks.failures(configs, comm -> {
            assertEquals(comm.rank() % 2 == 0, isByShm(comm, (comm.rank() + 1) % 4));
            assertEquals(comm.rank() % 2 != 0, isByShm(comm, (comm.rank() + 3) % 4));
            for (int count : FEW_COUNTS) {
                allCollectives(comm, count);
            }
        })) {
            assertNull(failure, () -> String.valueOf(failure));
        }
    }

    private static boolean isByShm(Communicator comm, int peer) {
        return comm.explain(peer).stream().anyMatch(each -> each.isChosen() && each.name().equals("SHM"));
    }

    private static void allCollectives(Communicator comm, int count) {
        allReduce(comm, count);
        allGather(comm, count);
        reduceScatter(comm, count);
        broadcast(comm, count);
    }

    /** The new piece may have the address of the old one, of which the peer keeps the pages. */
    @Test
    void shouldNotTakeNewMemoryForFreedMemoryThatIsStillRegistered() throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.INVOKER, "SHM")
                .set(CollectivesOptions.REGISTER, true).set(CollectivesOptions.REGISTER_BYTES, 1L << 10)
                .set(CollectivesOptions.GATHER_BYTES, -1L).build();
        InProcessRanks.run(2, config, comm -> {
            int count = 200_000;
            for (int i = 0; i < 4; i++) {
                DeviceMemory memory = comm.proxy().device().allocateShareable(1 << 20);
                comm.register(memory);
                sum(comm, memory.segment(), count);
                memory.close();
                DeviceMemory other = comm.proxy().device().allocateShareable(1 << 20);
                sum(comm, other.segment(), count);
                other.close();
            }
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"DEDICATED", "SHARED", "INVOKER"})
    void shouldTakeLargeMessagesFromRegisteredMemory(ThreadingMode mode) throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, mode).set(CollectivesOptions.REGISTER_BYTES, 4L << 10)
                .build();
        InProcessRanks.run(3, config, comm -> {
            try (DeviceMemory out = comm.allocate(2 << 20); DeviceMemory in = comm.allocate(2 << 20);
                    DeviceMemory back = comm.allocate(2 << 20)) {
                for (int bytes : new int[] {1, 4095, 4096, 32 << 10, 40_001, 1 << 20, (1 << 20) + 13}) {
                    long sent = comm.proxy().counters().get(Counter.NET_BYTES_SENT);
                    exchange(comm, out.segment().asSlice(77, bytes), in.segment().asSlice(13, bytes),
                            back.segment().asSlice(5, bytes));
                    assertNotEquals(sent, comm.proxy().counters().get(Counter.NET_BYTES_SENT));
                }
            }
        });
    }

    /** What is sent can be overwritten as long as it was not read; it can't be, once it is in a slot. */
    @Test
    void shouldReadRegisteredMemoryWhereItIs() throws Exception {
        AtomicBoolean isInPlace = new AtomicBoolean();
        CyclicBarrier together = new CyclicBarrier(2);
        InProcessRanks.run(2, InProcessRanks.config(directory, ThreadingMode.INVOKER, "SHM").build(), comm -> {
            MemorySegment out = comm.allocate(1 << 20).segment();
            MemorySegment in = comm.allocate(1 << 20).segment();
            for (int round = 0; round < 100 && !isInPlace.get(); round++) {
                comm.sendRecv(out, 1 - comm.rank(), in, 1 - comm.rank());
                comm.synchronize();
                out.fill((byte) 1);
                if (comm.rank() == 0) {
                    comm.send(out, 1);
                    out.fill((byte) 2);
                }
                together.await(60, TimeUnit.SECONDS);
                if (comm.rank() == 1) {
                    comm.recv(in, 0);
                }
                comm.synchronize();
                isInPlace.compareAndSet(false, comm.rank() == 1 && in.get(JAVA_BYTE, 0) == 2);
                together.await(60, TimeUnit.SECONDS);
            }
        });
        assertTrue(isInPlace.get());
    }

    /** Registering needs the peer, which is busy elsewhere; launching may not wait for it. */
    @Test
    void shouldNotWaitForAPeerThatIsNotDriven() throws Exception {
        CountDownLatch launched = new CountDownLatch(1);
        InProcessRanks.run(2, InProcessRanks.config(directory, ThreadingMode.INVOKER, "SHM").build(), comm -> {
            int count = 1 << 18;
            MemorySegment data = comm.allocate(4L * count).segment();
            if (comm.rank() == 1) {
                assertTrue(launched.await(10, TimeUnit.SECONDS), "the launch waits for a peer");
            }
            for (int i = 0; i < 3; i++) {
                for (int k = 0; k < count; k++) {
                    data.setAtIndex(JAVA_INT, k, k + comm.rank());
                }
                comm.allReduce(data, data, count, DataType.INT32, RedOp.SUM);
                launched.countDown();
                comm.synchronize();
                assertEquals(2 * (count - 1) + 1, data.getAtIndex(JAVA_INT, count - 1));
            }
        });
    }

    /** Ranks 0 and 1 take themselves to be on one host, 2 and 3 on another. */
    @ParameterizedTest
    @EnumSource(names = {"DEDICATED", "INVOKER"})
    void shouldMixTransportsInARing(ThreadingMode mode) throws Exception {
        List<ProxyConfig> configs = IntStream.range(0, 4).mapToObj(rank -> InProcessRanks.config(directory, mode, "")
                .set(CoreOptions.HOST_ID, "host-" + rank / 2).set(CollectivesOptions.REGISTER_BYTES, 4L << 10)
                .build()).toList();
        List<Throwable> failures = InProcessRanks.failures(configs, comm -> {
            for (int count : COUNTS) {
                allCollectives(comm, count);
            }
            exchange(comm, comm.allocate(200_000).segment(), comm.allocate(200_000).segment(),
                    comm.allocate(200_000).segment());
        });
        assertEquals(Collections.nCopies(4, null), failures);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3"})
    void shouldGoThroughCopyEngines(String copyMode) throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.DEDICATED, "SHM")
                .set("shm.use.memcpy", "1").set("shm.memcpy.mode", copyMode).build();
        InProcessRanks.run(3, config, comm -> {
            for (int count : new int[] {1, 15, 4096, 200_001}) {
                allCollectives(comm, count);
            }
        });
    }

    /** The sender makes its memory known to the receiver's proxy, which the receiver drives while it waits for data. */
    @Test
    void shouldServeAPeerThatRegistersMemoryWhileItWaitsForIt() throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.INVOKER, "SHM").build();
        InProcessRanks.run(2, config, comm -> {
            MemorySegment small = comm.proxy().device().allocate(64).segment();
            comm.sendRecv(small.asSlice(0, 8), 1 - comm.rank(), small.asSlice(8, 8), 1 - comm.rank());
            comm.synchronize();
            try (DeviceMemory memory = comm.allocate(1 << 20)) {
                long start = System.nanoTime();
                if (comm.rank() == 0) {
                    memory.segment().fill((byte) 7);
                    // By then its peer has nothing left to do, and looks seldom.
                    while (System.nanoTime() - start < 50_000_000) {
                        Thread.yield();
                    }
                    comm.send(memory.segment(), 1);
                } else {
                    comm.recv(memory.segment(), 0);
                }
                comm.synchronize();
                assertEquals(7, memory.segment().get(JAVA_BYTE, (1 << 20) - 1));
                assertTrue(System.nanoTime() - start < 10_000_000_000L, "it waited for longer than a moment");
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"NET", "SHM"})
    void shouldMixRegisteredAndOtherMemory(String transport) throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.INVOKER, transport)
                .set(CollectivesOptions.GATHER_BYTES, -1L).build();
        InProcessRanks.run(3, config, comm -> {
            DeviceMemory memory = comm.proxy().device().allocateShareable(4 << 20);
            int count = 300_000;
            if (comm.rank() != 1) {
                Registration registration = comm.register(memory);
                sum(comm, memory.segment().asSlice(64, 4L * count), count);
                registration.close();
                registration.close();
            } else {
                sum(comm, memory.segment().asSlice(64, 4L * count), count);
            }
            sum(comm, memory.segment().asSlice(64, 4L * count), count);
        });
    }

    /** Once by itself, if it does so, and once by the user. */
    @ParameterizedTest
    @CsvSource({"NET, true", "NET, false", "SHM, true", "SHM, false"})
    void shouldRegisterMemoryThatItAllocated(String transport, boolean isAutomatic) throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.INVOKER, transport)
                .set(CollectivesOptions.REGISTER, isAutomatic).build();
        InProcessRanks.run(2, config, comm -> {
            int count = 100_000;
            try (DeviceMemory memory = comm.allocate(1 << 20)) {
                Registration registration = comm.register(memory);
                sum(comm, memory.segment(), count);
                registration.close();
                sum(comm, memory.segment(), count);
            }
        });
    }

    /** All arrays have the same address, so none may be taken for another. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldTakeMemoryOfTheJavaHeap(int nRanks) throws Exception {
        InProcessRanks.run(nRanks, InProcessRanks.config(directory, ThreadingMode.INVOKER).build(), comm -> {
            int count = 20_000;
            int[] send = IntStream.range(0, count).map(i -> i ^ comm.rank() << 24).toArray();
            int[] gathered = new int[count * nRanks];
            int[] received = new int[count];
            comm.allGather(MemorySegment.ofArray(send), MemorySegment.ofArray(gathered), count, DataType.INT32);
            comm.broadcast(MemorySegment.ofArray(send), MemorySegment.ofArray(received), count, DataType.INT32, 0);
            comm.synchronize();
            assertArrayEquals(IntStream.range(0, count * nRanks).map(i -> i % count ^ i / count << 24).toArray(),
                    gathered);
            assertArrayEquals(IntStream.range(0, count).toArray(), received);
            MemorySegment all = MemorySegment.ofArray(gathered);
            comm.allGather(all.asSlice(4L * count * comm.rank(), 4L * count), all, count, DataType.INT32);
            comm.synchronize();
            assertEquals(count - 1 ^ nRanks - 1 << 24, gathered[count * nRanks - 1]);
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"DEDICATED", "INVOKER"})
    void shouldFreeMemoryNotBeforeWhatWasLaunchedIsDone(ThreadingMode mode) throws Exception {
        InProcessRanks.run(2, InProcessRanks.config(directory, mode).build(), comm -> {
            DeviceMemory in = comm.allocate(8 << 20);
            DeviceMemory out = comm.allocate(8 << 20);
            in.segment().fill((byte) 1);
            for (int i = 0; i < 5; i++) {
                comm.allReduce(in.segment(), out.segment(), 8 << 20, DataType.INT8, RedOp.SUM);
            }
            in.close();
            assertEquals(2, out.segment().get(JAVA_BYTE, (8 << 20) - 1));
            out.close();
            comm.synchronize();
        });
    }

    @Test
    void shouldNotRegisterWhatIsFreed() throws Exception {
        InProcessRanks.run(2, InProcessRanks.config(directory, ThreadingMode.DEDICATED).build(), comm -> {
            DeviceMemory memory = comm.proxy().device().allocate(1 << 20);
            memory.close();
            assertThrows(ProxyException.class, () -> comm.register(memory));
        });
    }

    /** Floats, so that another order of additions would show; every rank has to have the same, to the last bit. */
    private static void allReduce(Communicator comm, int count) {
        MemorySegment send = comm.allocate(4L * count).segment();
        MemorySegment recv = comm.allocate(4L * count).segment();
        Random random = new Random(count + comm.rank());
        for (int i = 0; i < count; i++) {
            send.setAtIndex(JAVA_FLOAT, i, random.nextFloat());
        }
        comm.allReduce(send, recv, count, DataType.FLOAT32, RedOp.AVG);
        comm.allReduce(send, send, count, DataType.FLOAT32, RedOp.AVG);
        comm.synchronize();
        assertEquals(-1, send.mismatch(recv));
        MemorySegment others = comm.allocate(4L * count * comm.nRanks()).segment();
        comm.allGather(recv, others, count, DataType.FLOAT32);
        comm.synchronize();
        Random[] inputs = new Random[comm.nRanks()];
        for (int r = 0; r < inputs.length; r++) {
            assertEquals(-1, recv.mismatch(others.asSlice(4L * count * r, 4L * count)), "rank " + r + " differs");
            inputs[r] = new Random(count + r);
        }
        for (int i = 0; i < count; i++) {
            double sum = Stream.of(inputs).mapToDouble(Random::nextFloat).sum();
            assertEquals(sum / inputs.length, recv.getAtIndex(JAVA_FLOAT, i), 1e-5);
        }
    }

    private static void allGather(Communicator comm, int count) {
        MemorySegment send = comm.allocate(4L * count).segment();
        MemorySegment recv = comm.allocate(4L * count * comm.nRanks()).segment();
        for (int i = 0; i < count; i++) {
            send.setAtIndex(JAVA_INT, i, i ^ comm.rank() << 24);
        }
        comm.allGather(send, recv, count, DataType.INT32);
        comm.synchronize();
        for (int i = 0; i < count * comm.nRanks(); i++) {
            assertEquals(i % count ^ i / count << 24, recv.getAtIndex(JAVA_INT, i));
        }
    }

    private static void reduceScatter(Communicator comm, int count) {
        int n = comm.nRanks();
        MemorySegment send = comm.allocate(4L * count * n).segment();
        for (int i = 0; i < count * n; i++) {
            send.setAtIndex(JAVA_INT, i, i + comm.rank());
        }
        MemorySegment recv = send.asSlice(4L * count * comm.rank(), 4L * count);
        comm.reduceScatter(send, recv, count, DataType.INT32, RedOp.SUM);
        comm.synchronize();
        for (int i = 0; i < count; i++) {
            assertEquals(n * (i + count * comm.rank()) + n * (n - 1) / 2, recv.getAtIndex(JAVA_INT, i));
        }
    }

    private static void broadcast(Communicator comm, int count) {
        MemorySegment buffer = comm.allocate(4L * count).segment();
        for (int root = 0; root < comm.nRanks(); root++) {
            buffer.fill((byte) (comm.rank() == root ? root + 1 : 0));
            comm.broadcast(buffer, buffer, count, DataType.INT32, root);
            comm.synchronize();
            assertEquals(root + 1, buffer.get(JAVA_BYTE, 4L * count - 1));
            assertEquals((root + 1) * 0x01010101, buffer.get(JAVA_INT, 0));
        }
    }

    /** Round the ring of ranks, there and back, in one stream. */
    private static void exchange(Communicator comm, MemorySegment out, MemorySegment in, MemorySegment back) {
        int next = (comm.rank() + 1) % comm.nRanks();
        int prev = Math.floorMod(comm.rank() - 1, comm.nRanks());
        Random random = new Random(out.byteSize() * 31 + comm.rank());
        for (long i = 0; i < out.byteSize(); i++) {
            out.set(JAVA_BYTE, i, (byte) random.nextInt());
        }
        back.fill((byte) 0);
        comm.sendRecv(out, next, in, prev);
        comm.sendRecv(in, prev, back, next);
        comm.synchronize();
        assertEquals(-1, back.mismatch(out));
    }

    private static void sum(Communicator comm, MemorySegment buffer, int count) {
        for (int i = 0; i < count; i++) {
            buffer.setAtIndex(JAVA_INT, i, i + comm.rank());
        }
        comm.allReduce(buffer, buffer, count, DataType.INT32, RedOp.SUM);
        comm.synchronize();
        int n = comm.nRanks();
        for (int i = 0; i < count; i++) {
            assertEquals(n * i + n * (n - 1) / 2, buffer.getAtIndex(JAVA_INT, i), "element " + i);
        }
    }
}
