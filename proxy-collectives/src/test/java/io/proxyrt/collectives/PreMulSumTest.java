/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Extent;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every rank multiplies its own input once, whichever way it goes; by kernels of the host and of GPUs. */
@Tag("installed-gpu")
@Tag(Extent.SCALED)
class PreMulSumTest {
    private static final int[] COUNTS = {1, 5, 4099, 40_001};
    private static final int UNTOUCHED = -77;
    private static final DataType TYPE = DataType.INT32;

    @TempDir
    Path directory;

    /** On the host small all-reduces go by doubling, or round the ring; on a GPU all do as the protocol says. */
    @ParameterizedTest
    @CsvSource({"host, SHM, , 1", "host, SHM, , 2", "host, SHM, , 3", "host, NET, , 4", "host, NET, SIMPLE, 3",
        "host, NET, LL128, 2", "host, SHM, LL, 3", "host, P2P, SIMPLE, 2", "cuda, SHM, , 1", "cuda, SHM, SIMPLE, 3",
        "cuda, P2P, LL, 2", "cuda, NET, LL128, 2"})
    void shouldMultiplyBeforeItSums(String device, String transport, String protocol, int nRanks) throws Exception {
        run(device, transport, protocol, nRanks, comm -> {
            PreMulSum op = PreMulSum.of(TYPE, scalar(comm.rank()));
            for (int count : COUNTS) {
                allReduce(comm, op, count);
                reduce(comm, op, count);
                reduceScatter(comm, op, count);
            }
        });
    }

    private static void allReduce(Communicator comm, PreMulSum op, int count) {
        try (RankBuffer send = buffer(comm, count); RankBuffer recv = untouched(comm, count)) {
            comm.allReduce(send.range(), recv.range(), count, TYPE, op);
            comm.allReduce(send.range(), send.range(), count, TYPE, op);
            assertInts(comm, recv, count, sum(comm, 0));
            assertInts(comm, send, count, sum(comm, 0));
        }
    }

    private static void reduce(Communicator comm, PreMulSum op, int count) {
        int root = count % comm.nRanks();
        try (RankBuffer send = buffer(comm, count); RankBuffer recv = untouched(comm, count)) {
            comm.reduce(send.range(), recv.range(), count, TYPE, op, root);
            assertInts(comm, recv, count, comm.rank() == root ? sum(comm, 0) : i -> UNTOUCHED);
            assertInts(comm, send, count, i -> value(comm.rank(), i));
        }
    }

    private static void reduceScatter(Communicator comm, PreMulSum op, int count) {
        int all = count * comm.nRanks();
        int own = count * comm.rank();
        try (RankBuffer send = buffer(comm, all); RankBuffer recv = untouched(comm, count)) {
            comm.reduceScatter(send.range(), recv.range(), count, TYPE, op);
            comm.reduceScatter(send.range(), send.range(4L * own, 4L * count), count, TYPE, op);
            assertInts(comm, recv, count, sum(comm, own));
            assertInts(comm, send, all, i -> i >= own && i < own + count ? sum(comm, 0).applyAsInt(i)
                    : value(comm.rank(), i));
        }
    }

    /** What a launch before it has written, and no one has waited for. */
    @ParameterizedTest
    @CsvSource({"host, 1", "host, 2", "host, 3", "cuda, 1", "cuda, 2"})
    void shouldReadTheScalarWhenTheOperationRuns(String device, int nRanks) throws Exception {
        int count = 1001;
        run(device, "SHM", null, nRanks, comm -> {
            try (RankBuffer send = buffer(comm, count); RankBuffer recv = untouched(comm, 3 * count);
                    RankBuffer scalars = ints(comm, 2 + nRanks, i -> i < 2 ? 0 : 100 * i);
                    RankBuffer mine = ints(comm, 1, i -> scalar(comm.rank()))) {
                PreMulSum op = PreMulSum.at(TYPE, scalars.range(4L * (1 + comm.rank()), 4));
                comm.allReduce(send.range(), recv.range(0, 4L * count), count, TYPE, op);
                comm.allGather(mine.range(), scalars.range(4, 4L * nRanks), 1, TYPE);
                comm.allReduce(send.range(), recv.range(4L * count, 4L * count), count, TYPE, op);
                comm.reduceScatter(send.range(), recv.range(8L * count, 4), 1, TYPE, op);
                comm.synchronize();
                MemorySegment all = recv.read(12L * count);
                for (int i = 0; i < count; i++) {
                    int at = i;
                    assertEquals(IntStream.range(1, nRanks).map(rank -> 100 * (rank + 1) * value(rank, at)).sum(),
                            all.get(JAVA_INT_UNALIGNED, 4L * i), "first");
                    assertEquals(sum(comm, 0).applyAsInt(i), all.get(JAVA_INT_UNALIGNED, 4L * (count + i)), "then");
                }
                assertEquals(sum(comm, comm.rank()).applyAsInt(0), all.get(JAVA_INT_UNALIGNED, 8L * count));
            }
        });
    }

    /** The second rank's product is not in the type: unrounded it would make another sum than this, which is 0. */
    @ParameterizedTest
    @CsvSource({"host, FLOAT32, 12", "host, FLOAT64, 27", "cuda, FLOAT32, 12", "cuda, FLOAT64, 27"})
    void shouldRoundAProductBeforeItIsAdded(String device, DataType type, int bits) throws Exception {
        int count = 4096;
        double factor = 1 + Math.scalb(1.0, -bits);
        run(device, "SHM", null, 2, comm -> {
            double own = comm.rank() == 0 ? -1 - Math.scalb(1.0, 1 - bits) : factor;
            MemorySegment content = Arena.ofAuto().allocate((long) count * type.sizeBytes(), 8);
            for (int i = 0; i < count; i++) {
                if (type == DataType.FLOAT32) {
                    content.setAtIndex(JAVA_FLOAT, i, (float) own);
                } else {
                    content.setAtIndex(JAVA_DOUBLE, i, own);
                }
            }
            try (RankBuffer data = new RankBuffer(comm, content.byteSize())) {
                data.write(content);
                comm.allReduce(data.range(), data.range(), count, type,
                        PreMulSum.of(type, comm.rank() == 0 ? 1.0 : factor));
                comm.synchronize();
                MemorySegment sum = data.read(content.byteSize());
                for (int i = 0; i < count; i++) {
                    assertEquals(0, type == DataType.FLOAT32 ? sum.getAtIndex(JAVA_FLOAT, i)
                            : sum.getAtIndex(JAVA_DOUBLE, i), "element " + i);
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"host", "cuda"})
    void shouldTakeItInAGroupBesideOthers(String device) throws Exception {
        int count = 300;
        run(device, "SHM", null, 2, comm -> {
            try (RankBuffer send = buffer(comm, count); RankBuffer recv = untouched(comm, 3 * count)) {
                comm.group(calls -> {
                    for (int i = 0; i < 2; i++) {
                        calls.allReduce(send.range(), recv.range(4L * i * count, 4L * count), count, TYPE,
                                PreMulSum.of(TYPE, scalar(comm.rank()) * (i + 1L)));
                    }
                    calls.allReduce(send.range(), recv.range(8L * count, 4L * count), count, TYPE, RedOp.SUM);
                });
                comm.synchronize();
                MemorySegment all = recv.read(12L * count);
                for (int i = 0; i < count; i++) {
                    assertEquals(sum(comm, 0).applyAsInt(i), all.get(JAVA_INT_UNALIGNED, 4L * i));
                    assertEquals(2 * sum(comm, 0).applyAsInt(i), all.get(JAVA_INT_UNALIGNED, 4L * (count + i)));
                    assertEquals(value(0, i) + value(1, i), all.get(JAVA_INT_UNALIGNED, 4L * (2 * count + i)));
                }
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"host", "cuda"})
    void shouldRefuseAScalarOfAnotherTypeOrThatIsNotThere(String device) throws Exception {
        run(device, "SHM", null, 1, comm -> {
            try (RankBuffer data = buffer(comm, 4)) {
                assertRefused(comm, data, PreMulSum.of(DataType.FLOAT32, 2), "multiplies FLOAT32, and type is INT32");
                Arena arena = Arena.ofShared();
                PreMulSum freed = PreMulSum.at(TYPE, arena.allocate(4));
                arena.close();
                assertRefused(comm, data, freed, "the scalar of op was freed");
                if (device.equals("cuda")) {
                    assertRefused(comm, data, PreMulSum.at(TYPE, Arena.global().allocate(4)), "is in no memory of");
                }
            }
        });
    }

    private static void assertRefused(Communicator comm, RankBuffer data, PreMulSum op, String why) {
        ProxyException refusal = assertThrows(ProxyException.class,
                () -> comm.allReduce(data.range(), data.range(), 4, TYPE, op));
        assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
        assertTrue(refusal.getMessage().contains(why), refusal.getMessage());
    }

    @ParameterizedTest
    @ValueSource(doubles = {2.5, 0x1p63, -0x1.0000000000001p63, Double.NaN, Double.POSITIVE_INFINITY})
    void shouldMultiplyIntegersByNothingThatNoLongIs(double scalar) {
        for (DataType type : List.of(DataType.INT64, DataType.UINT64, DataType.UINT8)) {
            assertEquals(scalar + " is no scalar for " + type + ", whose elements are whole numbers; one beyond a long "
                    + "is given by its bits, as a long",
                    assertThrows(ProxyException.class, () -> PreMulSum.of(type, scalar)).getMessage());
        }
    }

    @Test
    void shouldTakeTheScalarAsAnElementAndNoMemoryThatIsTooSmall() {
        assertEquals("scalar has 2 bytes, an element of FLOAT32 has 4", assertThrows(ProxyException.class,
                () -> PreMulSum.at(DataType.FLOAT32, Arena.ofAuto().allocate(2))).getMessage());
        assertEquals(Long.MAX_VALUE, PreMulSum.of(DataType.INT64, Long.MAX_VALUE).bits());
        assertEquals(Long.MIN_VALUE, PreMulSum.of(DataType.INT64, -0x1p63).bits());
        assertEquals(3, PreMulSum.of(DataType.INT64, 3.0).bits());
        assertEquals(0x3C00, PreMulSum.of(DataType.FLOAT16, 1).bits());
    }

    private static int scalar(int rank) {
        return 3 - 2 * rank;
    }

    private static int value(int rank, int index) {
        return index * 31 + rank * 1_000_003;
    }

    private static IntUnaryOperator sum(Communicator comm, int from) {
        return i -> IntStream.range(0, comm.nRanks()).map(rank -> scalar(rank) * value(rank, from + i)).sum();
    }

    private static RankBuffer buffer(Communicator comm, int count) {
        return ints(comm, count, i -> value(comm.rank(), i));
    }

    private static RankBuffer untouched(Communicator comm, int count) {
        return ints(comm, count, i -> UNTOUCHED);
    }

    private static RankBuffer ints(Communicator comm, int count, IntUnaryOperator values) {
        MemorySegment content = Arena.ofAuto().allocate(4L * count, 8);
        for (int i = 0; i < count; i++) {
            content.set(JAVA_INT_UNALIGNED, 4L * i, values.applyAsInt(i));
        }
        RankBuffer buffer = new RankBuffer(comm, 4L * count);
        buffer.write(content);
        return buffer;
    }

    private static void assertInts(Communicator comm, RankBuffer buffer, int count, IntUnaryOperator expected) {
        comm.synchronize();
        MemorySegment content = buffer.read(4L * count);
        for (int i = 0; i < count; i++) {
            int index = i;
            assertEquals(expected.applyAsInt(i), content.get(JAVA_INT_UNALIGNED, 4L * i),
                    () -> "rank " + comm.rank() + ", element " + index + " of " + count);
        }
    }

    private void run(String device, String transport, String protocol, int nRanks, InProcessRanks.Body body)
            throws Exception {
        GpuRanks.assumeRoomFor(nRanks);
        List<ProxyConfig> configs = IntStream.range(0, nRanks).mapToObj(rank -> {
            ProxyConfig.Builder config = device.equals("host")
                    ? InProcessRanks.config(directory, ThreadingMode.INVOKER, transport)
                            .set(CollectivesOptions.REGISTER_BYTES, 4096L).set("p2p.host", "1")
                    : GpuRanks.config(directory, ThreadingMode.INVOKER, transport, rank);
            return (protocol == null ? config : config.set("coll.protocol", protocol)).build();
        }).toList();
        for (Throwable failure : InProcessRanks.failures(configs, comm -> {
            body.run(comm);
            comm.barrier();
        })) {
            if (failure != null) {
                throw new AssertionError("a rank failed", failure);
            }
        }
    }
}
