/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.device.LlLines;
import java.lang.foreign.MemorySegment;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels that reach each other's slots: no proxy, no op, in any order of their passes. */
class DirectKernelsTest extends DirectKernelsFixture {
    /** Around lines, grains, slots of each protocol, chunks; and round all slots several times. */
    private static final int[] COUNTS = {1, 2, 3, 13, 14, 15, 127, 128, 129, 223, 225, 1023, 1024, 1025, 30_001};

    static Stream<Arguments> waysOfRings() {
        return Stream.of(2, 3, 4).flatMap(nRanks -> Stream.of(Protocol.values()).flatMap(protocol ->
                Stream.of(0L, 0xfffffff0L).map(step -> Arguments.of(nRanks, protocol, step))));
    }

    @ParameterizedTest
    @MethodSource("waysOfRings")
    void shouldDoEveryCollective(int nRanks, Protocol protocol, long step) {
        Rings rings = new Rings(nRanks, protocol, step);
        for (int count : COUNTS) {
            rings.allReduce(count, true);
            rings.all(count);
        }
        assertTrue(rings.isFifoUntouched(), "a kernel wrote to connFifo, which is not read");
        assertTrue(rings.isInStep());
    }

    /** Slots full of lines from 2³² steps ago, of which the cleaning steps leave none, whatever goes between. */
    @ParameterizedTest
    @ValueSource(longs = {0x7ffffff0L, 0xfffffff0L})
    void shouldNotTakeOldLinesForNewOnesWhenFlagsComeRound(long count) {
        DirectPair pair = new DirectPair(arena);
        LinePrimitives sender = new LinePrimitives(Protocol.LL, null, pair.send, count);
        LinePrimitives receiver = new LinePrimitives(Protocol.LL, pair.recv, null, count);
        SimplePrimitives between = new SimplePrimitives(null, pair.send);
        SimplePrimitives after = new SimplePrimitives(pair.recv, null);
        MemorySegment message = arena.allocate(500);
        MemorySegment got = arena.allocate(500);
        MemorySegment lines = pair.send.buffer(Protocol.LL);
        long step = pair.send.stepBytes(Protocol.LL);
        for (long next = count + 16; next < count + 24; next++) {
            LlLines.clean(lines, next % 8 * step, step, LlLines.flag(next));
        }
        for (int i = 0; i < 40; i++) {
            int bytes = i >= 16 && i < 24 ? 500 : 8;
            fill(message);
            sender.start(1, 1, false, true);
            receiver.start(1, 1, true, false);
            LlLines.pack(message, 0, 8, lines, (count + i) % 8 * step, LlLines.flag(count + i));
            assertEquals(bytes == 8, receiver.isReceived(bytes), "half of it was sent");
            assertTrue(sender.hasCredit());
            sender.send(message, 0, bytes);
            assertTrue(receiver.isReceived(bytes));
            receiver.recv(got, 0, bytes);
            assertEquals(-1, message.asSlice(0, bytes).mismatch(got.asSlice(0, bytes)));
            between.start(1, 1, false, true);
            after.start(1, 1, true, false);
            assertTrue(between.hasCredit());
            between.send(message, 0, i % 3);
            assertTrue(after.isReceived(i % 3));
            after.recv(got, 0, i % 3);
        }
    }

    /** A sender that gets no further than its data stands for one that the receiver looks at meanwhile. */
    @Test
    void shouldNotTakeCleanedLinesForData() {
        long cleaning = 0x7ffffff8L;
        DirectPair pair = new DirectPair(arena);
        LinePrimitives sender = new LinePrimitives(Protocol.LL, null, pair.send, cleaning);
        LinePrimitives receiver = new LinePrimitives(Protocol.LL, pair.recv, null, cleaning);
        sender.start(1, 1, false, true);
        receiver.start(1, 1, true, false);
        MemorySegment lessThanItSays = arena.allocate(64);
        assertThrows(IndexOutOfBoundsException.class, () -> sender.send(lessThanItSays, 0, 128));
        assertTrue(receiver.isReceived(64));
        assertFalse(receiver.isReceived(128), "lines without data were taken for data");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void shouldReadWhatPeersRegistered(int nRanks) {
        Rings rings = new Rings(nRanks, Protocol.SIMPLE, 0);
        for (int count : COUNTS) {
            rings.isSendInPlace = true;
            rings.all(count);
            rings.isSendInPlace = false;
            rings.all(count);
        }
        assertFalse(rings.isFifoUntouched(), "nothing was read in place");
    }

    /** The peer's kernel may read it as long as it has not given the credit back. */
    @Test
    void shouldNotEndBeforeAllWasRead() {
        DirectPair pair = new DirectPair(arena);
        MemorySegment message = arena.allocate(10_000);
        MessagesKernel sender = sender(pair, message);
        for (int i = 0; i < 10; i++) {
            sender.doWork();
        }
        assertFalse(sender.isDone());
        fill(message);
        MemorySegment got = arena.allocate(10_000);
        run(sender, receiver(pair, got));
        assertEquals(-1, message.mismatch(got));
    }

    @ParameterizedTest
    @CsvSource({"2, 0, 'its memory 2, which it did not register'", "1, 1, 'are at 1 of its memory 1, which has 100'",
        "1, -1, are at -1 of its memory 1", "1, 9223372036854775807, are at 9223372036854775807 of its memory 1"})
    void shouldNotReadBesideWhatAPeerRegistered(long handle, long offset, String why) {
        DirectPair pair = new DirectPair(arena);
        MemorySegment message = arena.allocate(100);
        pair.register(message);
        MessagesKernel sender = new MessagesKernel();
        sender.begin();
        sender.add(Port.of(pair.send, true, 0), new MessagePart().of(message), handle, offset);
        sender.doWork();
        HostStream stream = new HostStream("stream");
        stream.launch(receiver(pair, arena.allocate(100)));
        stream.doWork();
        assertEquals(0, stream.outstanding());
        assertEquals(ProxyResult.REMOTE_ERROR, stream.failure().result());
        assertTrue(stream.failure().getMessage().contains(why), stream.failure().getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 511, 512, 513, 4095, 4096, 4097, 300_001})
    void shouldCarryMessages(int bytes) {
        DirectPair there = new DirectPair(arena);
        DirectPair back = new DirectPair(arena);
        MemorySegment[] buffers = new MemorySegment[4];
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = arena.allocate(Math.max(1, bytes));
            fill(buffers[i]);
        }
        MessagesKernel left = new MessagesKernel();
        MessagesKernel right = new MessagesKernel();
        Port[] ports = {Port.of(there.send, true, 512), Port.of(there.recv, false, 512),
            Port.of(back.send, true, 512), Port.of(back.recv, false, 512)};
        for (int round = 0; round < 20; round++) {
            fill(buffers[0]);
            left.begin();
            left.add(ports[0], new MessagePart().of(buffers[0].asSlice(0, bytes)), false);
            left.add(ports[3], new MessagePart().of(buffers[1].asSlice(0, bytes)), false);
            right.begin();
            right.add(ports[1], new MessagePart().of(buffers[2].asSlice(0, bytes)), false);
            right.add(ports[2], new MessagePart().of(buffers[3].asSlice(0, bytes)), false);
            run(left, right);
            assertEquals(-1, buffers[0].asSlice(0, bytes).mismatch(buffers[2].asSlice(0, bytes)));
            assertEquals(-1, buffers[3].asSlice(0, bytes).mismatch(buffers[1].asSlice(0, bytes)));
        }
        assertTrue(there.isFifoUntouched());
    }

    @Test
    void shouldNotReceiveAnEmptyMessageBeforeItIsSent() {
        DirectPair pair = new DirectPair(arena);
        MessagesKernel receiver = new MessagesKernel();
        receiver.begin();
        receiver.add(Port.of(pair.recv, false, 512), new MessagePart().of(arena.allocate(1).asSlice(0, 0)), false);
        for (int i = 0; i < 10; i++) {
            receiver.doWork();
        }
        assertFalse(receiver.isDone());
        MessagesKernel sender = new MessagesKernel();
        sender.begin();
        sender.add(Port.of(pair.send, true, 512), new MessagePart().of(arena.allocate(1).asSlice(0, 0)), false);
        run(receiver, sender);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16, 17, 128, 129, 1000, 1024})
    void shouldReduceByDoubling(int count) {
        int rounds = 2;
        int nRanks = 1 << rounds;
        Port[][] sends = new Port[nRanks][rounds];
        Port[][] recvs = new Port[nRanks][rounds];
        for (int rank = 0; rank < nRanks; rank++) {
            for (int round = 0; round < rounds; round++) {
                DirectPair pair = new DirectPair(arena);
                sends[rank][round] = Port.of(pair.send, true, 512);
                recvs[rank ^ 1 << round][round] = Port.of(pair.recv, false, 512);
            }
        }
        DoublingKernel[] kernels = new DoublingKernel[nRanks];
        for (int turn = 0; turn < 20; turn++) {
            MemorySegment[] out = new MemorySegment[nRanks];
            for (int rank = 0; rank < nRanks; rank++) {
                out[rank] = arena.allocate(4L * count);
                kernels[rank] = DoublingKernel.source(nRanks).get();
                kernels[rank].work().function(CollFunction.ALL_REDUCE, DataType.INT32, RedOp.SUM, 0)
                        .buffers(ints(count, rank), out[rank], 4L * count);
                kernels[rank].prepare(sends[rank], recvs[rank], false);
            }
            run(kernels);
            for (MemorySegment sum : out) {
                assertSums(sum, count, nRanks);
            }
        }
    }

    /** A ring of ranks with one channel. */
    private final class Rings {
        private final int nRanks;
        private final Protocol protocol;
        private final DirectPair[] pairs;
        private final CollectiveKernel[] kernels;
        private boolean isSendInPlace;

        Rings(int nRanks, Protocol protocol, long step) {
            this.nRanks = nRanks;
            this.protocol = protocol;
            this.pairs = new DirectPair[nRanks];
            this.kernels = new CollectiveKernel[nRanks];
            for (int i = 0; i < nRanks; i++) {
                pairs[i] = new DirectPair(arena).at(step);
            }
            for (int i = 0; i < nRanks; i++) {
                kernels[i] = CollectiveKernel.source(RingOrder.byRank(nRanks), i,
                        new DeviceConnection[] {pairs[Math.floorMod(i - 1, nRanks)].recv},
                        new DeviceConnection[] {pairs[i].send}, nRanks).get();
            }
        }

        void all(int count) {
            allReduce(count, false);
            allGather(count);
            reduceScatter(count);
            broadcast(count, count % nRanks);
        }

        /** Fills in the way, and prepares the kernel. */
        private void prepare(int rank, boolean isGathered, long bytes) {
            CollectiveWork work = kernels[rank].work().way(protocol, isGathered).inPlace(false, isSendInPlace);
            if (isSendInPlace) {
                work.places().send(work.sendBuffer(), pairs[rank].register(work.sendBuffer()), 0);
                work.places().recv(work.recvBuffer(), pairs[rank].register(work.recvBuffer()), 0);
            }
            kernels[rank].prepare(0, 0, bytes);
        }

        boolean isFifoUntouched() {
            return Stream.of(pairs).allMatch(DirectPair::isFifoUntouched);
        }

        boolean isInStep() {
            return Stream.of(pairs).allMatch(pair -> pair.send.step() == pair.recv.step());
        }

        void allReduce(int count, boolean isGathered) {
            MemorySegment[] out = new MemorySegment[nRanks];
            for (int i = 0; i < nRanks; i++) {
                out[i] = arena.allocate(4L * count);
                kernels[i].work().function(CollFunction.ALL_REDUCE, DataType.INT32, RedOp.SUM, 0)
                        .buffers(ints(count, i), out[i], 4L * count);
                prepare(i, isGathered, 4L * count);
            }
            run(kernels);
            for (int i = 0; i < nRanks; i++) {
                assertSums(out[i], count, nRanks);
            }
        }

        void allGather(int count) {
            MemorySegment[] out = new MemorySegment[nRanks];
            for (int i = 0; i < nRanks; i++) {
                out[i] = arena.allocate(4L * count * nRanks);
                kernels[i].work().function(CollFunction.ALL_GATHER, DataType.INT32, null, 0)
                        .buffers(ints(count, i), out[i], 4L * count);
                prepare(i, false, 4L * count);
            }
            run(kernels);
            for (MemorySegment gathered : out) {
                for (int k = 0; k < count * nRanks; k++) {
                    assertEquals(k % count + k / count, gathered.get(JAVA_INT_UNALIGNED, 4L * k));
                }
            }
        }

        void reduceScatter(int count) {
            MemorySegment[] out = new MemorySegment[nRanks];
            for (int i = 0; i < nRanks; i++) {
                out[i] = arena.allocate(4L * count);
                kernels[i].work().function(CollFunction.REDUCE_SCATTER, DataType.INT32, RedOp.SUM, 0)
                        .buffers(ints(count * nRanks, i), out[i], 4L * count);
                prepare(i, false, 4L * count);
            }
            run(kernels);
            for (int i = 0; i < nRanks; i++) {
                for (int k = 0; k < count; k++) {
                    assertEquals(nRanks * (count * i + k) + nRanks * (nRanks - 1) / 2,
                            out[i].get(JAVA_INT_UNALIGNED, 4L * k));
                }
            }
        }

        void broadcast(int count, int root) {
            MemorySegment[] out = new MemorySegment[nRanks];
            for (int i = 0; i < nRanks; i++) {
                out[i] = arena.allocate(4L * count);
                MemorySegment in = i == root ? ints(count, 7) : out[i];
                kernels[i].work().function(CollFunction.BROADCAST, DataType.INT32, null, root)
                        .buffers(in, out[i], 4L * count);
                prepare(i, false, 4L * count);
            }
            run(kernels);
            for (MemorySegment received : out) {
                assertEquals(7 + count - 1, received.get(JAVA_INT_UNALIGNED, 4L * (count - 1)));
            }
        }
    }

    private MemorySegment ints(int count, int plus) {
        MemorySegment ints = arena.allocate(4L * count);
        for (int i = 0; i < count; i++) {
            ints.set(JAVA_INT_UNALIGNED, 4L * i, i + plus);
        }
        return ints;
    }

    private static void assertSums(MemorySegment sums, int count, int nRanks) {
        for (int i = 0; i < count; i++) {
            assertEquals(nRanks * i + nRanks * (nRanks - 1) / 2, sums.get(JAVA_INT_UNALIGNED, 4L * i));
        }
    }
}
