/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Extent;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Tag(Extent.SCALED)
class CommunicatorTest {
    /** Around every boundary there is: grain, slice, chunk, loop; with a buffer of 256 KiB a slot has 32 KiB. */
    private static final int[] COUNTS = {1, 2, 3, 4, 5, 31, 4095, 4096, 8191, 8193, 65_536, 100_003, 700_001};

    @TempDir
    Path directory;

    static Stream<Arguments> modesAndRanks() {
        return Extent.sample(7, Stream.concat(
                Stream.of(ThreadingMode.values())
                        .flatMap(mode -> Stream.of(1, 2, 3, 4).map(n -> Arguments.of(mode, n, "NET"))),
                Stream.of(ThreadingMode.INVOKER, ThreadingMode.DEDICATED)
                        .flatMap(mode -> Stream.of(2, 3, 4).map(n -> Arguments.of(mode, n, "SHM")))));
    }

    @ParameterizedTest
    @MethodSource("modesAndRanks")
    void shouldAllReduce(ThreadingMode mode, int nRanks, String transport) throws Exception {
        InProcessRanks.run(nRanks, InProcessRanks.config(directory, mode, transport).build(), comm -> {
            for (int count : COUNTS) {
                MemorySegment send = ints(comm, count, i -> i + comm.rank());
                MemorySegment recv = ints(comm, count, i -> -1);
                comm.allReduce(send, recv, count, DataType.INT32, RedOp.SUM);
                comm.allReduce(send, send, count, DataType.INT32, RedOp.SUM);
                comm.synchronize();
                int ranks = nRanks * (nRanks - 1) / 2;
                assertInts(recv, count, i -> nRanks * i + ranks);
                assertInts(send, count, i -> nRanks * i + ranks);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("modesAndRanks")
    void shouldAllGather(ThreadingMode mode, int nRanks, String transport) throws Exception {
        InProcessRanks.run(nRanks, InProcessRanks.config(directory, mode, transport).build(), comm -> {
            for (int count : COUNTS) {
                MemorySegment send = ints(comm, count, i -> i ^ comm.rank() << 24);
                MemorySegment recv = ints(comm, count * nRanks, i -> -1);
                MemorySegment inPlace = ints(comm, count * nRanks, i -> i % count ^ comm.rank() << 24);
                comm.allGather(send, recv, count, DataType.INT32);
                comm.allGather(inPlace.asSlice(4L * count * comm.rank(), 4L * count), inPlace, count, DataType.INT32);
                comm.synchronize();
                assertInts(recv, count * nRanks, i -> i % count ^ i / count << 24);
                assertInts(inPlace, count * nRanks, i -> i % count ^ i / count << 24);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("modesAndRanks")
    void shouldReduceScatter(ThreadingMode mode, int nRanks, String transport) throws Exception {
        InProcessRanks.run(nRanks, InProcessRanks.config(directory, mode, transport).build(), comm -> {
            for (int count : COUNTS) {
                MemorySegment send = ints(comm, count * nRanks, i -> i + comm.rank());
                MemorySegment recv = ints(comm, count, i -> -1);
                comm.reduceScatter(send, recv, count, DataType.INT32, RedOp.MAX);
                comm.synchronize();
                MemorySegment inPlace = send.asSlice(4L * count * comm.rank(), 4L * count);
                comm.reduceScatter(send, inPlace, count, DataType.INT32, RedOp.MAX);
                comm.synchronize();
                assertInts(recv, count, i -> i + count * comm.rank() + nRanks - 1);
                assertInts(inPlace, count, i -> i + count * comm.rank() + nRanks - 1);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("modesAndRanks")
    void shouldBroadcastFromEveryRoot(ThreadingMode mode, int nRanks, String transport) throws Exception {
        InProcessRanks.run(nRanks, InProcessRanks.config(directory, mode, transport).build(), comm -> {
            for (int count : COUNTS) {
                for (int root = 0; root < nRanks; root++) {
                    MemorySegment send = ints(comm, count, i -> i * 31 + comm.rank());
                    MemorySegment recv = ints(comm, count, i -> -1);
                    comm.broadcast(send, recv, count, DataType.INT32, root);
                    comm.broadcast(send, send, count, DataType.INT32, root);
                    comm.synchronize();
                    int from = root;
                    assertInts(recv, count, i -> i * 31 + from);
                    assertInts(send, count, i -> i * 31 + from);
                }
            }
        });
    }

    static Stream<Arguments> modes() {
        return Stream.concat(Stream.of(ThreadingMode.values()).map(mode -> Arguments.of(mode, "NET")),
                Stream.of(ThreadingMode.INVOKER, ThreadingMode.DEDICATED).map(mode -> Arguments.of(mode, "SHM")));
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldExchangeWithAllPeers(ThreadingMode mode, String transport) throws Exception {
        int nRanks = 4;
        InProcessRanks.run(nRanks, InProcessRanks.config(directory, mode, transport).build(), comm -> {
            for (int distance = 1; distance < nRanks; distance++) {
                int to = (comm.rank() + distance) % nRanks;
                int from = Math.floorMod(comm.rank() - distance, nRanks);
                for (int count : COUNTS) {
                    MemorySegment send = ints(comm, count, i -> i + 1000 * comm.rank() + to);
                    MemorySegment recv = ints(comm, count, i -> -1);
                    comm.sendRecv(send, to, recv, from);
                    comm.synchronize();
                    assertInts(recv, count, i -> i + 1000 * from + comm.rank());
                }
            }
        });
    }

    @Test
    void shouldSendWithoutReceiving() throws Exception {
        InProcessRanks.run(2, InProcessRanks.config(directory, ThreadingMode.DEDICATED).build(), comm -> {
            MemorySegment buffer = ints(comm, 5000, i -> comm.rank() == 0 ? i : -1);
            if (comm.rank() == 0) {
                comm.send(buffer, 1);
            } else {
                comm.recv(buffer, 0);
            }
            comm.synchronize();
            assertInts(buffer, 5000, i -> i);
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldShareTheWorkAmongChannels(ThreadingMode mode) throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, mode).set(CollectivesOptions.CHANNELS, 3).build();
        InProcessRanks.run(3, config, comm -> {
            for (int count : COUNTS) {
                MemorySegment send = ints(comm, count, i -> i + comm.rank());
                comm.allReduce(send, send, count, DataType.INT32, RedOp.SUM);
                comm.synchronize();
                assertInts(send, count, i -> 3 * i + 3);
            }
        });
    }

    @ParameterizedTest
    @EnumSource
    void shouldLaunchMoreThanFitsIntoLaneAndStream(ThreadingMode mode) throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, mode).set(CoreOptions.LANE_CAPACITY, 16).build();
        InProcessRanks.run(2, config, comm -> {
            MemorySegment data = ints(comm, 3, i -> 1);
            for (int i = 0; i < 20; i++) {
                comm.allReduce(data, data, 3, DataType.INT32, RedOp.SUM);
            }
            for (int i = 0; i < 500; i++) {
                comm.allReduce(data, data, 3, DataType.INT32, RedOp.MAX);
            }
            comm.synchronize();
            assertInts(data, 3, i -> 1 << 20);
        });
    }

    /** Both ends of each connection have to count the same steps, whatever came before and whatever was left out. */
    @ParameterizedTest
    @EnumSource(names = {"DEDICATED", "INVOKER"})
    void shouldMixCollectivesOfAllSizes(ThreadingMode mode) throws Exception {
        int nRanks = 3;
        InProcessRanks.run(nRanks, InProcessRanks.config(directory, mode).build(), comm -> {
            Random random = new Random(4711);
            MemorySegment send = comm.allocate(4L * COUNTS[10]).segment();
            MemorySegment recv = comm.allocate(4L * COUNTS[10] * nRanks).segment();
            for (int i = 0; i < 300; i++) {
                int count = COUNTS[random.nextInt(11)];
                int root = random.nextInt(nRanks);
                int value = random.nextInt(1000);
                send.setAtIndex(JAVA_INT, count - 1, value + comm.rank());
                switch (random.nextInt(3)) {
                    case 0 -> comm.broadcast(send, recv, count, DataType.INT32, root);
                    case 1 -> comm.allReduce(send, recv, count, DataType.INT32, RedOp.MAX);
                    default -> comm.allGather(send, recv, count, DataType.INT32);
                }
                comm.synchronize();
                int last = recv.getAtIndex(JAVA_INT, count - 1) - value;
                assertTrue(last == root || last == nRanks - 1 || last == 0, "op " + i + " gave " + last);
            }
        });
    }

    @Test
    void shouldDoNothingForNoElements() throws Exception {
        InProcessRanks.run(2, InProcessRanks.config(directory, ThreadingMode.DEDICATED).build(), comm -> {
            MemorySegment data = ints(comm, 1, i -> 7);
            comm.allReduce(data, data, 0, DataType.INT32, RedOp.SUM);
            comm.synchronize();
            assertInts(data, 1, i -> 7);
        });
    }

    @Test
    void shouldRefuseWhatMakesNoSense() throws Exception {
        InProcessRanks.run(1, InProcessRanks.config(directory, ThreadingMode.INVOKER).build(), comm -> {
            MemorySegment small = ints(comm, 1, i -> 0);
            assertInvalid("rank 0: recvBuffer has 4 bytes, 8 are needed",
                    () -> comm.allReduce(ints(comm, 2, i -> 0), small, 2, DataType.INT32, RedOp.SUM));
            assertInvalid("rank 0: count is negative: -1",
                    () -> comm.allReduce(small, small, -1, DataType.INT32, RedOp.SUM));
            assertInvalid("rank 0: root is 1, there are 1 ranks",
                    () -> comm.broadcast(small, small, 1, DataType.INT32, 1));
            assertInvalid("rank 0: peer is this rank, 0", () -> comm.send(small, 0));
        });
    }

    @Test
    void shouldRefuseRanksThatCutTheirWorkDifferently() throws Exception {
        ProxyConfig.Builder config = InProcessRanks.config(directory, ThreadingMode.DEDICATED);
        ProxyConfig usual = config.build();
        ProxyConfig other = config.set(CollectivesOptions.GATHER_BYTES, 1L << 20).build();

        List<Throwable> failures = InProcessRanks.failures(List.of(usual, other), comm -> { });

        for (Throwable failure : failures) {
            assertTrue(failure.getMessage().contains("have different settings, which have to be equal: "
                    + "proxyrt.coll.gather.bytes="), failure.getMessage());
        }
    }

    /** Before any rank waits for it: the stream of none ends. */
    @ParameterizedTest
    @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
    void shouldRefuseBuffersThatKernelsCannotUse(ThreadingMode mode) throws Exception {
        InProcessRanks.run(2, InProcessRanks.config(directory, mode).build(), comm -> {
            MemorySegment good = ints(comm, 1000, i -> 1);
            MemorySegment freed;
            try (Arena arena = Arena.ofConfined()) {
                freed = arena.allocate(4000);
                if (mode != ThreadingMode.INVOKER) {
                    assertRefused("confined", () -> comm.allReduce(freed, good, 1000, DataType.INT32, RedOp.SUM));
                }
            }
            int other = 1 - comm.rank();
            assertRefused("was freed", () -> comm.send(freed, other));
            assertRefused("null", () -> comm.allGather(null, good, 1, DataType.INT32));
            assertRefused("read-only", () -> comm.recv(good.asReadOnly(), other));
            assertRefused("read-only", () -> comm.sendRecv(good, other, good.asReadOnly(), other));
            comm.broadcast(comm.rank() == 0 ? good : null, good, 1000, DataType.INT32, 0);
            comm.allReduce(good.asReadOnly(), good, 1000, DataType.INT32, RedOp.SUM);
            comm.synchronize();
            assertInts(good, 1000, i -> 2);
        });
    }

    private static void assertRefused(String why, Executable launch) {
        ProxyException refusal = assertThrows(ProxyException.class, launch);
        assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
        assertTrue(refusal.getMessage().contains(why), refusal.getMessage());
    }

    /** A rank that cut a message into fewer steps would take the first of them for the whole. */
    @Test
    void shouldRefuseRanksThatCutMessagesDifferently() throws Exception {
        ProxyConfig usual = InProcessRanks.config(directory, ThreadingMode.INVOKER).build();
        ProxyConfig other = InProcessRanks.config(directory, ThreadingMode.INVOKER)
                .environment(Map.of("NCCL_P2P_NET_CHUNKSIZE", "4096")).build();

        for (Throwable failure : InProcessRanks.failures(List.of(usual, other), comm -> { })) {
            assertTrue(String.valueOf(failure).contains("proxyrt.net.p2p.chunk.bytes=4096"), String.valueOf(failure));
        }
    }

    @Test
    void shouldNameTransportsWhenTheWantedOneIsMissing() throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.INVOKER)
                .set(CollectivesOptions.TRANSPORT, "PIGEON").build();
        List<Throwable> failures = InProcessRanks.failures(2, config, comm -> { });
        assertTrue(failures.toString().contains("there is no transport PIGEON, only P2P, SHM, NET"),
                failures.toString());
    }

    @ParameterizedTest
    @MethodSource("modes")
    void shouldFailEveryRankWhenOneAborts(ThreadingMode mode, String transport) throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, mode, transport).build();
        List<Throwable> failures = InProcessRanks.failures(3, config, comm -> {
            MemorySegment data = ints(comm, 1000, i -> 0);
            if (comm.rank() == 1) {
                comm.abort("out of cheese");
                throw new IllegalStateException("aborted on purpose");
            }
            comm.allReduce(data, data, 1000, DataType.INT32, RedOp.SUM);
            comm.synchronize();
        });
        for (int r : new int[] {0, 2}) {
            ProxyException failure = (ProxyException) failures.get(r);
            assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
            assertTrue(failure.getMessage().contains("rank 1") && failure.getMessage().contains("out of cheese"),
                    failure.getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldLeaveNoFilesBehind(ThreadingMode mode) throws Exception {
        InProcessRanks.run(2, InProcessRanks.config(directory, mode).build(), comm -> { });
        assertTrue(Files.notExists(InProcessRanks.runtimes(directory)));
    }

    private static void assertInvalid(String message, Runnable call) {
        ProxyException failure = assertThrows(ProxyException.class, call::run);
        assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
        assertEquals(message, failure.getMessage());
    }

    /** A value for an index. */
    @FunctionalInterface
    private interface Value {
        int at(int index);
    }

    private static MemorySegment ints(Communicator comm, int count, Value value) {
        MemorySegment memory = comm.allocate(4L * count).segment();
        for (int i = 0; i < count; i++) {
            memory.setAtIndex(JAVA_INT, i, value.at(i));
        }
        return memory;
    }

    private static void assertInts(MemorySegment memory, int count, Value value) {
        for (int i = 0; i < count; i++) {
            if (memory.getAtIndex(JAVA_INT, i) != value.at(i)) {
                assertEquals(value.at(i), memory.getAtIndex(JAVA_INT, i), "at " + i + " of " + count);
            }
        }
    }
}
