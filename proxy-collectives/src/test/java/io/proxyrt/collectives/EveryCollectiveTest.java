/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Extent;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Collectives by rings along a root, of parts of any sizes, and by messages; by kernels of the host and of GPUs. */
@Tag("installed-gpu")
@Tag(Extent.SCALED)
class EveryCollectiveTest {
    private static final int[] COUNTS = {0, 1, 5, 4099, 40_001};
    private static final int UNTOUCHED = -77;
    private static final DataType TYPE = DataType.INT32;

    @TempDir
    Path directory;

    static Stream<Arguments> ways() {
        Stream<Arguments> host = Stream.of("SHM", "NET", "P2P").flatMap(transport -> Stream.of(ThreadingMode.INVOKER,
                ThreadingMode.DEDICATED).flatMap(mode -> IntStream.of(1, 2, 3, 4, 8)
                .mapToObj(nRanks -> Arguments.of("host", transport, mode, nRanks))));
        Stream<Arguments> gpu = Stream.of("SHM", "NET", "P2P").flatMap(transport -> IntStream.of(1, 2, 3, 4)
                .mapToObj(nRanks -> Arguments.of("cuda", transport, ThreadingMode.INVOKER, nRanks)));
        return Extent.sample(5, Stream.concat(host, gpu));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void shouldReduceToEveryRoot(String device, String transport, ThreadingMode mode, int nRanks) throws Exception {
        run(device, transport, mode, nRanks, (comm, count) -> {
            for (int root = 0; root < nRanks; root++) {
                Buffer send = new Buffer(comm, count, i -> value(comm.rank(), i));
                Buffer recv = new Buffer(comm, count, i -> UNTOUCHED);
                comm.reduce(send.range(), recv.range(), count, TYPE, RedOp.SUM, root);
                IntUnaryOperator sum = i -> IntStream.range(0, nRanks).map(rank -> value(rank, i)).sum();
                recv.is(comm.rank() == root ? sum : i -> UNTOUCHED);
                comm.reduce(send.range(), send.range(), count, TYPE, RedOp.SUM, root);
                send.is(comm.rank() == root ? sum : i -> value(comm.rank(), i));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void shouldReduceGatherAndScatterToAll(String device, String transport, ThreadingMode mode, int nRanks)
            throws Exception {
        run(device, transport, mode, nRanks, (comm, count) -> {
            int me = comm.rank();
            IntUnaryOperator sum = i -> IntStream.range(0, nRanks).map(rank -> value(rank, i)).sum();
            Buffer send = new Buffer(comm, count * nRanks, i -> value(me, i));
            Buffer recv = new Buffer(comm, count * nRanks, i -> UNTOUCHED);
            comm.allReduce(send.range(), recv.range(), (long) count * nRanks, TYPE, RedOp.SUM);
            recv.is(sum);
            comm.reduceScatter(send.range(), send.range((long) me * count, count), count, TYPE, RedOp.SUM);
            send.is(i -> i / Math.max(1, count) == me ? sum.applyAsInt(i) : value(me, i));
            comm.allGather(send.range((long) me * count, count), send.range(), count, TYPE);
            send.is(sum);
            for (int root = 0; root < nRanks; root++) {
                int from = root;
                Buffer both = new Buffer(comm, count, i -> value(me, i));
                comm.broadcast(both.range(), both.range(), count, TYPE, root);
                both.is(i -> value(from, i));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void shouldGatherPartsOfAnySizes(String device, String transport, ThreadingMode mode, int nRanks)
            throws Exception {
        run(device, transport, mode, nRanks, (comm, count) -> {
            Parts parts = new Parts(nRanks, count);
            int own = Math.toIntExact(parts.counts[comm.rank()]);
            Buffer send = new Buffer(comm, own, i -> value(comm.rank(), i));
            Buffer recv = new Buffer(comm, parts.end(), i -> UNTOUCHED);
            comm.allGatherv(send.range(), recv.range(), parts.counts, parts.displacements, TYPE);
            recv.is(parts.of(EveryCollectiveTest::value));
            Buffer inPlace = new Buffer(comm, parts.end(), parts.of((rank, i) ->
                    rank == comm.rank() ? value(rank, i) : UNTOUCHED));
            comm.allGatherv(inPlace.range(parts.displacements[comm.rank()], own), inPlace.range(), parts.counts,
                    parts.displacements, TYPE);
            inPlace.is(parts.of(EveryCollectiveTest::value));
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void shouldScatterSumsOfAnySizes(String device, String transport, ThreadingMode mode, int nRanks)
            throws Exception {
        run(device, transport, mode, nRanks, (comm, count) -> {
            Parts parts = new Parts(nRanks, count);
            int own = Math.toIntExact(parts.counts[comm.rank()]);
            long at = parts.displacements[comm.rank()];
            Buffer send = new Buffer(comm, parts.end(), i -> value(comm.rank(), i));
            Buffer recv = new Buffer(comm, own, i -> UNTOUCHED);
            comm.reduceScatterv(send.range(), recv.range(), parts.counts, parts.displacements, TYPE, RedOp.SUM);
            IntUnaryOperator sum = i -> IntStream.range(0, nRanks).map(rank -> value(rank, (int) at + i)).sum();
            recv.is(sum);
            comm.reduceScatterv(send.range(), send.range(at, own), parts.counts, parts.displacements, TYPE,
                    RedOp.SUM);
            send.is(i -> i >= at && i < at + own ? sum.applyAsInt(i - (int) at) : value(comm.rank(), i));
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void shouldExchangeAllToAll(String device, String transport, ThreadingMode mode, int nRanks) throws Exception {
        run(device, transport, mode, nRanks, (comm, count) -> {
            IntUnaryOperator input = i -> value(comm.rank() * nRanks + i / count, i % count);
            IntUnaryOperator output = i -> value(i / count * nRanks + comm.rank(), i % count);
            Buffer send = new Buffer(comm, count * nRanks, input);
            Buffer recv = new Buffer(comm, count * nRanks, i -> UNTOUCHED);
            comm.allToAll(send.range(), recv.range(), count, TYPE);
            comm.allToAll(send.range(), send.range(), count, TYPE);
            recv.is(output);
            send.is(output);
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void shouldExchangePartsOfAnySizes(String device, String transport, ThreadingMode mode, int nRanks)
            throws Exception {
        run(device, transport, mode, nRanks, (comm, count) -> {
            int me = comm.rank();
            Parts out = new Parts(IntStream.range(0, nRanks).mapToLong(to -> exchanged(me, to, count)).toArray());
            Parts in = new Parts(IntStream.range(0, nRanks).mapToLong(from -> exchanged(from, me, count)).toArray());
            Buffer send = new Buffer(comm, out.end(), out.of((to, i) -> value(me * nRanks + to, i)));
            Buffer recv = new Buffer(comm, in.end(), i -> UNTOUCHED);
            comm.allToAllv(send.range(), out.counts, out.displacements, recv.range(), in.counts, in.displacements,
                    TYPE);
            recv.is(in.of((from, i) -> value(from * nRanks + me, i)));
            Parts even = new Parts(LongStream.generate(() -> count).limit(nRanks).toArray());
            Buffer both = new Buffer(comm, even.end(), even.of((to, i) -> value(me * nRanks + to, i)));
            comm.allToAllv(both.range(), even.counts, even.displacements, both.range(), even.counts,
                    even.displacements, TYPE);
            both.is(even.of((from, i) -> value(from * nRanks + me, i)));
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void shouldGatherToAndScatterFromEveryRoot(String device, String transport, ThreadingMode mode, int nRanks)
            throws Exception {
        run(device, transport, mode, nRanks, (comm, count) -> {
            int me = comm.rank();
            for (int root = 0; root < nRanks; root++) {
                boolean isRoot = me == root;
                Buffer small = new Buffer(comm, count, i -> value(me, i));
                Buffer all = new Buffer(comm, count * nRanks, i -> UNTOUCHED);
                comm.gather(small.range(), isRoot ? all.range() : null, count, TYPE, root);
                all.is(i -> isRoot ? value(i / count, i % count) : UNTOUCHED);
                Buffer back = new Buffer(comm, count, i -> UNTOUCHED);
                comm.scatter(isRoot ? all.range() : null, back.range(), count, TYPE, root);
                back.is(i -> value(me, i));
                MemorySegment own = isRoot ? all.range((long) me * count, count) : small.range();
                comm.scatter(isRoot ? all.range() : null, own, count, TYPE, root);
                comm.gather(own, isRoot ? all.range() : null, count, TYPE, root);
                all.is(i -> isRoot ? value(i / count, i % count) : UNTOUCHED);
                small.is(i -> value(me, i));
            }
        });
    }

    private static long exchanged(int from, int to, int count) {
        return (from + 2L * to) % 3 == 0 ? 0 : count + from * 7L + to;
    }

    private static int value(int rank, int index) {
        return index * 31 + rank * 1_000_003;
    }

    /** What is done with each count. */
    private interface Body {
        void run(Communicator comm, int count);
    }

    /** By sockets, two hosts have the ranks in turn, so that those do not follow each other in the ring. */
    private void run(String device, String transport, ThreadingMode mode, int nRanks, Body body) throws Exception {
        GpuRanks.assumeRoomFor(nRanks);
        List<ProxyConfig> configs = IntStream.range(0, nRanks).mapToObj(rank -> (device.equals("host")
                ? InProcessRanks.config(directory, mode, transport).set("p2p.host", "1")
                : GpuRanks.config(directory, mode, transport, rank))
                .set(CollectivesOptions.REGISTER_BYTES, 1L << 14)
                .set(CoreOptions.HOST_ID, "host " + (transport.equals("NET") ? rank % 2 : 0)).build()).toList();
        for (Throwable failure : InProcessRanks.failures(configs, comm -> {
            for (int count : COUNTS) {
                body.run(comm, count);
                comm.synchronize();
                comm.barrier();
            }
        })) {
            if (failure != null) {
                throw new AssertionError("a rank failed", failure);
            }
        }
    }

    /** Memory of the device with numbers. */
    private static final class Buffer {
        private final Communicator comm;
        private final RankBuffer memory;
        private final int count;

        Buffer(Communicator comm, int count, IntUnaryOperator values) {
            this.comm = comm;
            this.count = count;
            this.memory = new RankBuffer(comm, 4L * Math.max(1, count));
            MemorySegment content = Arena.ofAuto().allocate(4L * Math.max(1, count), 8);
            for (int i = 0; i < count; i++) {
                content.set(JAVA_INT_UNALIGNED, 4L * i, values.applyAsInt(i));
            }
            memory.write(content);
        }

        MemorySegment range() {
            return memory.range();
        }

        MemorySegment range(long from, long length) {
            return memory.range(4 * from, 4 * length);
        }

        void is(IntUnaryOperator expected) {
            comm.synchronize();
            MemorySegment content = memory.read(4L * Math.max(1, count));
            for (int i = 0; i < count; i++) {
                int index = i;
                assertEquals(expected.applyAsInt(i), content.get(JAVA_INT_UNALIGNED, 4L * i),
                        () -> "rank " + comm.rank() + ", element " + index + " of " + count);
            }
        }
    }

    /** Parts of different sizes, with gaps between them, and not in the order of ranks. */
    private static final class Parts {
        private static final int GAP = 3;

        private final long[] counts;
        private final long[] displacements;

        Parts(int nRanks, int count) {
            this(IntStream.range(0, nRanks).mapToLong(rank -> count == 0 ? 0 : count * (long) (rank % 3) + rank)
                    .toArray());
        }

        Parts(long[] counts) {
            this.counts = counts;
            this.displacements = new long[counts.length];
            long at = GAP;
            for (int rank = counts.length - 1; rank >= 0; rank--) {
                displacements[rank] = at;
                at += counts[rank] + GAP;
            }
        }

        int end() {
            return Math.toIntExact(LongStream.range(0, counts.length)
                    .map(rank -> displacements[(int) rank] + counts[(int) rank]).max().orElseThrow());
        }

        /** By the part that an index is in; what is between them is untouched. */
        IntUnaryOperator of(PartValue values) {
            return index -> {
                for (int rank = 0; rank < counts.length; rank++) {
                    if (index >= displacements[rank] && index < displacements[rank] + counts[rank]) {
                        return values.at(rank, (int) (index - displacements[rank]));
                    }
                }
                return UNTOUCHED;
            };
        }
    }

    /** A value of a part. */
    private interface PartValue {
        int at(int rank, int index);
    }
}
