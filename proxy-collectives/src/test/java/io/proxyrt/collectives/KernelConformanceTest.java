/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.DataType;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Extent;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Whose kernels carry a collective out makes no difference to what it does: the host's, or a GPU's. */
@Tag("installed-gpu")
@Tag(Extent.SCALED)
class KernelConformanceTest {
    /** Around the boundaries of lines, slots, slices, channels and loops. */
    private static final int[] COUNTS = {1, 3, 14, 4095, 8193, 50_003};
    private static final byte UNTOUCHED = 0x5A;
    private static final int MARGIN = 32;
    private static final int RANGE = 23;

    @TempDir
    Path directory;

    /** A reduction whose results are exact. */
    private enum Kind {
        FLOAT_SUM(DataType.FLOAT32, RedOp.SUM), INT_AVG(DataType.INT32, RedOp.AVG),
        BFLOAT_MAX(DataType.BFLOAT16, RedOp.MAX);

        private final DataType type;
        private final RedOp op;

        Kind(DataType type, RedOp op) {
            this.type = type;
            this.op = op;
        }

        int reduced(int nRanks, IntUnaryOperator valueOfRank) {
            IntStream values = IntStream.range(0, nRanks).map(valueOfRank);
            return switch (op) {
                case MAX -> values.max().orElseThrow();
                case AVG -> values.sum() / nRanks;
                default -> values.sum();
            };
        }

        void put(MemorySegment segment, int index, int value) {
            switch (type) {
                case FLOAT32 -> segment.set(JAVA_INT_UNALIGNED, 4L * index, Float.floatToRawIntBits(value));
                case INT32 -> segment.set(JAVA_INT_UNALIGNED, 4L * index, value);
                default -> segment.set(JAVA_SHORT_UNALIGNED, 2L * index, (short) (Float.floatToIntBits(value) >>> 16));
            }
        }

        int get(MemorySegment segment, int index) {
            return switch (type) {
                case FLOAT32 -> (int) Float.intBitsToFloat(segment.get(JAVA_INT_UNALIGNED, 4L * index));
                case INT32 -> segment.get(JAVA_INT_UNALIGNED, 4L * index);
                default -> (int) Float.intBitsToFloat(segment.get(JAVA_SHORT_UNALIGNED, 2L * index) << 16);
            };
        }
    }

    static Stream<Arguments> ways() {
        Stream<Arguments> gpu = Stream.of("SHM", "NET", "P2P").flatMap(transport -> Stream.of(Protocol.SIMPLE,
                Protocol.LL, Protocol.LL128).flatMap(protocol -> IntStream.of(2, 3).mapToObj(
                        nRanks -> Arguments.of("cuda", transport, protocol, nRanks))));
        Stream<Arguments> host = Stream.of("SHM", "NET").flatMap(transport -> Stream.of(Protocol.SIMPLE,
                Protocol.LL).map(protocol -> Arguments.of("host", transport, protocol, 2)));
        return Extent.sample(5, Stream.concat(gpu, host));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void shouldMoveAndReduce(String device, String transport, Protocol protocol, int nRanks) throws Exception {
        run(nRanks, rank -> config(device, transport, rank)
                .set(CollectivesOptions.ALGORITHM, Allowed.only(Algorithm.RING))
                .set(CollectivesOptions.PROTOCOL, Allowed.only(protocol)), comm -> {
            allFunctions(comm, nRanks == 2 ? Kind.BFLOAT_MAX : Kind.INT_AVG, 0, COUNTS);
        });
    }

    @ParameterizedTest
    @CsvSource({"cuda, 1", "cuda, 4", "host, 1", "host, 4"})
    void shouldMoveAndReduceWithAnyNumberOfRanks(String device, int nRanks) throws Exception {
        run(nRanks, rank -> config(device, "", rank), comm -> {
            for (Kind kind : Kind.values()) {
                allFunctions(comm, kind, 0, 3000);
            }
        });
    }

    /** Threads load and store as much at once as all addresses are multiples of. */
    @ParameterizedTest
    @CsvSource({"cuda, 1", "cuda, 4", "cuda, 8", "host, 1"})
    void shouldTakeBuffersThatBeginAnywhere(String device, int offset) throws Exception {
        run(2, rank -> config(device, "SHM", rank)
                .set(CollectivesOptions.PROTOCOL, Allowed.only(Protocol.SIMPLE)), comm -> {
            allFunctions(comm, Kind.BFLOAT_MAX, offset, 1, 5, 20_001);
        });
    }

    /** Each launch finds the counts of the one before, also where protocols take turns. */
    @ParameterizedTest
    @CsvSource({"cuda, SHM", "cuda, NET", "cuda, P2P", "host, SHM"})
    void shouldKeepCountFromLaunchToLaunch(String device, String transport) throws Exception {
        run(2, rank -> config(device, transport, rank).set(CollectivesOptions.LL_BYTES, 4096L)
                .set(CollectivesOptions.LL128_BYTES, 16_384L), comm -> {
            try (RankBuffer in = new RankBuffer(comm, 80_000); RankBuffer out = new RankBuffer(comm, 80_000)) {
                in.write(values(Kind.FLOAT_SUM, comm.rank(), 20_000));
                for (int i = 0; i < 120; i++) {
                    int count = 1 + i * 677 % 20_000;
                    comm.allReduce(in.range(), out.range(), count, DataType.FLOAT32, RedOp.SUM);
                    exchange(comm, in.range(0, 4L * count), out.range(40_000, Math.min(40_000, 4L * count)));
                }
                comm.allReduce(in.range(), out.range(), 20_000, DataType.FLOAT32, RedOp.SUM);
                comm.synchronize();
                assertReduced(Kind.FLOAT_SUM, comm, out.read(80_000), 0, 20_000);
                comm.barrier();
            }
        });
    }

    /** Sums round in the order of the ring. */
    @ParameterizedTest
    @EnumSource(names = {"SIMPLE", "LL", "LL128"})
    void shouldRoundAsTheHostDoes(Protocol protocol) throws Exception {
        assertEquals(sums("host", Protocol.SIMPLE), sums("cuda", protocol));
    }

    /** From one step to more than there are slots. */
    @ParameterizedTest
    @CsvSource({"SHM, SIMPLE, 3, 0", "NET, SIMPLE, 2, 0", "P2P, LL, 3, 0", "NET, LL, 2, 2", "P2P, LL128, 2, 0",
        "NET, LL128, 3, 0", "SHM, LL, 4, 1", "P2P, SIMPLE, 4, 6", "NET, SIMPLE, 4, 1", "SHM, LL128, 8, 0"})
    void shouldMoveAndReduceByTrees(String transport, Protocol protocol, int nRanks, int offset) throws Exception {
        run(nRanks, rank -> config("cuda", transport, rank)
                .set(CollectivesOptions.ALGORITHM, Allowed.only(Algorithm.TREE))
                .set(CollectivesOptions.PROTOCOL, Allowed.only(protocol)), comm -> {
            allFunctions(comm, nRanks == 2 ? Kind.BFLOAT_MAX : nRanks == 3 ? Kind.INT_AVG : Kind.FLOAT_SUM, offset,
                    nRanks == 8 ? new int[] {1, 3000} : COUNTS);
        });
    }

    /** By one step and by several, between other collectives. */
    @ParameterizedTest
    @CsvSource({"SHM, 2, 0, ''", "P2P, 2, 6, ''", "P2P, 3, 0, ''", "SHM, 8, 2, ''", "SHM, 2, 0, shm.use.memcpy",
        "P2P, 2, 0, p2p.use.memcpy"})
    void shouldReduceInOneShot(String transport, int nRanks, int offset, String copies) throws Exception {
        run(nRanks, rank -> copying(config("cuda", transport, rank), copies)
                        .set(CollectivesOptions.GPU_ONE_SHOT_BYTES, 1L << 30)
                        .set(CollectivesOptions.GPU_TWO_SHOT_BYTES, 1L << 30),
                comm -> {
                    for (Kind kind : Kind.values()) {
                        allFunctions(comm, kind, offset, nRanks == 8 ? new int[] {1, 3000} : COUNTS);
                    }
                });
    }

    /** Some ranks' parts are shorter, or empty. */
    @ParameterizedTest
    @CsvSource({"SHM, 3, 0", "P2P, 3, 6", "P2P, 5, 1", "SHM, 8, 2"})
    void shouldReduceInTwoShots(String transport, int nRanks, int offset) throws Exception {
        run(nRanks, rank -> config("cuda", transport, rank).set(CollectivesOptions.GPU_ONE_SHOT_BYTES, 0L)
                .set(CollectivesOptions.GPU_TWO_SHOT_BYTES, 1L << 30), comm -> {
                    for (Kind kind : Kind.values()) {
                        allFunctions(comm, kind, offset, nRanks > 3 ? new int[] {1, 13, 3000} : COUNTS);
                    }
                });
    }

    private static ProxyConfig.Builder copying(ProxyConfig.Builder config, String copies) {
        return copies.isEmpty() ? config : config.set(copies, "1");
    }

    /** Which tells one shot from a ring; lines need no copy engine. */
    @ParameterizedTest
    @CsvSource({"'', '', true", "'', shm.use.memcpy, true", "'Simple', '', false", "'LL128', '', false"})
    void shouldSumInTheOrderOfRanksInOneShot(String protocols, String copies, boolean isOneShot) throws Exception {
        assertEquals(isOneShot, sumsInTheOrderOfRanks().equals(sums("cuda",
                builder -> copying(builder.environment(Map.of("NCCL_PROTO", protocols)), copies))));
    }

    @ParameterizedTest
    @CsvSource({"0, false", "16384, true"})
    void shouldSumInTheOrderOfRanksInTwoShots(long twoShotBytes, boolean isInTwoShots) throws Exception {
        assertEquals(isInTwoShots, sumsInTheOrderOfRanks().equals(sums("cuda",
                builder -> builder.set(CollectivesOptions.GPU_ONE_SHOT_BYTES, 0L)
                        .set(CollectivesOptions.GPU_TWO_SHOT_BYTES, twoShotBytes))));
    }

    /** Of what {@link #sums} adds up. */
    private static List<Integer> sumsInTheOrderOfRanks() {
        int count = 1000;
        float[] all = new float[count];
        for (int rank = 0; rank < 3; rank++) {
            Random random = new Random(rank);
            for (int i = 0; i < count; i++) {
                float value = (float) random.nextGaussian();
                all[i] = rank == 0 ? value : all[i] + value;
            }
        }
        return IntStream.range(0, count).mapToObj(i -> Float.floatToRawIntBits(all[i])).toList();
    }

    private List<Integer> sums(String device, Protocol protocol) throws Exception {
        return sums(device, builder -> builder.set(CollectivesOptions.PROTOCOL, Allowed.only(protocol))
                .set(CollectivesOptions.ALGORITHM, Allowed.only(Algorithm.RING)));
    }

    private List<Integer> sums(String device, UnaryOperator<ProxyConfig.Builder> settings) throws Exception {
        int count = 1000;
        List<Integer> sums = Collections.synchronizedList(new ArrayList<>());
        run(3, rank -> settings.apply(config(device, "SHM", rank)).set(CollectivesOptions.CHANNELS, 1)
                .set(CollectivesOptions.GATHER_BYTES, 0L), comm -> {
            Random random = new Random(comm.rank());
            MemorySegment values = Arena.ofAuto().allocate(4L * count, Long.BYTES);
            for (int i = 0; i < count; i++) {
                values.set(JAVA_INT_UNALIGNED, 4L * i, Float.floatToRawIntBits((float) random.nextGaussian()));
            }
            try (RankBuffer buffer = new RankBuffer(comm, 4L * count)) {
                buffer.write(values);
                comm.allReduce(buffer.range(), buffer.range(), count, DataType.FLOAT32, RedOp.SUM);
                comm.synchronize();
                if (comm.rank() == 0) {
                    MemorySegment all = buffer.read(4L * count);
                    IntStream.range(0, count).forEach(i -> sums.add(all.get(JAVA_INT_UNALIGNED, 4L * i)));
                }
                comm.barrier();
            }
        });
        return sums;
    }

    private static void exchange(Communicator comm, MemorySegment from, MemorySegment to) {
        int other = 1 - comm.rank();
        comm.sendRecv(from.asSlice(0, to.byteSize()), other, to, other);
    }

    private ProxyConfig.Builder config(String device, String transport, int rank) {
        return device.equals("host") ? InProcessRanks.config(directory, ThreadingMode.INVOKER, transport)
                : GpuRanks.config(directory, ThreadingMode.INVOKER, transport, rank);
    }

    /** How one rank is set up. */
    private interface Setup {
        ProxyConfig.Builder of(int rank);
    }

    private static void run(int nRanks, Setup setup, InProcessRanks.Body body) throws Exception {
        GpuRanks.assumeRoomFor(nRanks);
        List<ProxyConfig> configs = IntStream.range(0, nRanks).mapToObj(rank -> setup.of(rank).build()).toList();
        List<Throwable> failures = InProcessRanks.failures(configs, body);
        if (failures.stream().anyMatch(Objects::nonNull)) {
            AssertionError error = new AssertionError("a rank failed");
            failures.stream().filter(Objects::nonNull).forEach(error::addSuppressed);
            throw error;
        }
    }

    private static void allFunctions(Communicator comm, Kind kind, int offset, int... counts) {
        long most = (long) IntStream.of(counts).max().orElseThrow() * kind.type.sizeBytes();
        try (RankBuffer small = new RankBuffer(comm, most + MARGIN, offset);
                RankBuffer large = new RankBuffer(comm, comm.nRanks() * most + MARGIN, offset)) {
            for (int count : counts) {
                outOfPlace(comm, kind, count, small, large);
                inPlace(comm, kind, count, large);
                fromEachRoot(comm, kind, count, small, large);
                if (comm.nRanks() > 1) {
                    messages(comm, kind, count, small, large);
                }
            }
            comm.synchronize();
            comm.barrier();
        }
    }

    private static void outOfPlace(Communicator comm, Kind kind, int count, RankBuffer small, RankBuffer large) {
        int n = comm.nRanks();
        long part = (long) count * kind.type.sizeBytes();
        fill(kind, comm, small, count);
        untouched(large, part);
        comm.allReduce(small.range(), large.range(), count, kind.type, kind.op);
        assertReduced(kind, comm, read(comm, large, part), 0, count);
        untouched(large, n * part);
        comm.allGather(small.range(), large.range(), count, kind.type);
        assertGathered(kind, comm, read(comm, large, n * part), count);
        fillAll(kind, comm, large, count);
        untouched(small, part);
        comm.reduceScatter(large.range(), small.range(), count, kind.type, kind.op);
        assertReduced(kind, comm, read(comm, small, part), comm.rank() * count, count);
    }

    private static void inPlace(Communicator comm, Kind kind, int count, RankBuffer large) {
        int n = comm.nRanks();
        long part = (long) count * kind.type.sizeBytes();
        fillAll(kind, comm, large, count);
        comm.allReduce(large.range(), large.range(), (long) n * count, kind.type, kind.op);
        assertReduced(kind, comm, read(comm, large, n * part), 0, n * count);
        fillAll(kind, comm, large, count);
        comm.allGather(large.range(comm.rank() * part, part), large.range(), count, kind.type);
        MemorySegment all = read(comm, large, n * part);
        for (int rank = 0; rank < n; rank++) {
            int of = rank;
            assertValues(kind, all, rank * count, count, i -> value(of, of * count + i));
        }
        fillAll(kind, comm, large, count);
        comm.reduceScatter(large.range(), large.range(comm.rank() * part, part), count, kind.type, kind.op);
        MemorySegment own = read(comm, large, n * part).asSlice(comm.rank() * part);
        assertReduced(kind, comm, own, comm.rank() * count, count);
    }

    /** Out of place, and then in place: only the first takes what the root sends to where it receives. */
    private static void fromEachRoot(Communicator comm, Kind kind, int count, RankBuffer small, RankBuffer large) {
        long part = (long) count * kind.type.sizeBytes();
        for (int root = 0; root < comm.nRanks(); root++) {
            int from = root;
            fill(kind, comm, small, count);
            untouched(large, part);
            comm.broadcast(small.range(), large.range(), count, kind.type, root);
            assertValues(kind, read(comm, large, part), 0, count, i -> value(from, i));
            untouched(large, part);
            fill(kind, comm, large, count);
            comm.broadcast(large.range(), large.range(), count, kind.type, root);
            assertValues(kind, read(comm, large, part), 0, count, i -> value(from, i));
        }
    }

    private static void messages(Communicator comm, Kind kind, int count, RankBuffer small, RankBuffer large) {
        int n = comm.nRanks();
        long part = (long) count * kind.type.sizeBytes();
        int next = (comm.rank() + 1) % n;
        int prev = (comm.rank() + n - 1) % n;
        fill(kind, comm, small, count);
        untouched(large, part);
        comm.sendRecv(small.range(0, part), next, large.range(0, part), prev);
        assertValues(kind, read(comm, large, part), 0, count, i -> value(prev, i));
        comm.sendRecv(small.range(0, 0), next, large.range(0, 0), prev);
        if (comm.rank() == 0) {
            comm.send(small.range(0, part), 1);
            comm.synchronize();
        } else if (comm.rank() == 1) {
            comm.recv(large.range(0, part), 0);
            assertValues(kind, read(comm, large, part), 0, count, i -> value(0, i));
        }
    }

    private static int value(int rank, int index) {
        return (index * 31 + rank * 17) % RANGE - RANGE / 2;
    }

    private static MemorySegment values(Kind kind, int rank, int count) {
        MemorySegment values = Arena.ofAuto().allocate((long) count * kind.type.sizeBytes(), Long.BYTES);
        for (int i = 0; i < count; i++) {
            kind.put(values, i, value(rank, i));
        }
        return values;
    }

    private static void fill(Kind kind, Communicator comm, RankBuffer buffer, int count) {
        buffer.write(values(kind, comm.rank(), count));
    }

    private static void fillAll(Kind kind, Communicator comm, RankBuffer buffer, int count) {
        untouched(buffer, (long) comm.nRanks() * count * kind.type.sizeBytes());
        fill(kind, comm, buffer, comm.nRanks() * count);
    }

    private static void untouched(RankBuffer buffer, long bytes) {
        buffer.write(Arena.ofAuto().allocate(bytes + MARGIN).fill(UNTOUCHED));
    }

    /** What is there once all is done; nothing was written behind it. */
    private static MemorySegment read(Communicator comm, RankBuffer buffer, long bytes) {
        comm.synchronize();
        MemorySegment all = buffer.read(bytes + MARGIN);
        for (long i = bytes; i < all.byteSize(); i++) {
            assertEquals(UNTOUCHED, all.get(JAVA_BYTE, i), "behind the end");
        }
        return all;
    }

    private static void assertReduced(Kind kind, Communicator comm, MemorySegment got, int from, int count) {
        assertValues(kind, got, 0, count, i -> kind.reduced(comm.nRanks(), rank -> value(rank, from + i)));
    }

    private static void assertGathered(Kind kind, Communicator comm, MemorySegment got, int count) {
        for (int rank = 0; rank < comm.nRanks(); rank++) {
            int of = rank;
            assertValues(kind, got, rank * count, count, i -> value(of, i));
        }
    }

    private static void assertValues(Kind kind, MemorySegment got, int at, int count, IntUnaryOperator expected) {
        for (int i = 0; i < count; i++) {
            int index = i;
            assertEquals(expected.applyAsInt(i), kind.get(got, at + i),
                    () -> kind + ", element " + index + " of " + count);
        }
    }
}
