/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceModule;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.KernelAddresses;
import io.proxyrt.core.device.LaunchShape;
import io.proxyrt.core.device.PeerMemory;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.testkit.gpu.GpuAbi;
import io.proxyrt.testkit.gpu.StandInGpu;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Kernels find what peers registered, and nothing else. */
class PlaceTableTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final long STEP_BYTES = 4096;
    /** More than all slots hold, and a multiple of no slot. */
    private static final long BYTES = 3 * DeviceConnection.STEPS * STEP_BYTES + 112;
    private static final long OFFSET = 24;
    private static final String FIND = """
            extern "C" __global__ void findIt(const Place* places, u64 handle, u64* answer) {
                Place place = findPlace(places, handle);
                answer[0] = (u64) place.address;
                answer[1] = place.bytes;
            }
            """;

    private final PeerMemory registered = new PeerMemory();
    private Device device;

    @BeforeEach
    void open() {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu::whyNot);
        device = Devices.open("cuda:0", 0, StandInGpu.of(GpuAbi.CUDA).config());
    }

    @AfterEach
    void close() {
        if (device != null) {
            device.close();
        }
    }

    @Test
    void shouldFindWhatIsRegisteredUntilItIsNot() {
        try (DeviceMemory memory = device.allocate(512);
                DeviceModule module = device.compile("find", KernelSource.plain() + FIND);
                DeviceMemory answer = device.allocateHost(2 * Long.BYTES);
                DeviceStream stream = device.stream("proxy-find")) {
            MemorySegment first = memory.range().asSlice(0, 100);
            registered.add(5, first);
            try (PlaceTable table = new PlaceTable(device, registered)) {
                long wrapped = 5 + PlaceTable.PLACES;
                registered.add(wrapped, memory.range().asSlice(256, 7));
                long[][] expected = {{5, first.address(), 100}, {wrapped, memory.address() + 256, 7}, {6, 0, 0},
                    {0, 0, 0}, {-1, 0, 0}, {5 + 2L * PlaceTable.PLACES, 0, 0}};
                for (long[] each : expected) {
                    find(module, stream, table, answer, each);
                }
                registered.remove(5);
                find(module, stream, table, answer, 5, 0, 0);
                find(module, stream, table, answer, expected[1]);
            }
        }
    }

    private static void find(DeviceModule module, DeviceStream stream, PlaceTable table, DeviceMemory answer,
            long... expected) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment arguments = arena.allocateFrom(JAVA_LONG, table.address(), expected[0], answer.address());
            assertEquals(1, stream.launch(module.kernel("findIt"), LaunchShape.of(1, 1), arguments));
            stream.synchronize(LONG);
            assertEquals(expected[1], answer.segment().getAtIndex(JAVA_LONG, 0), () -> "handle " + expected[0]);
            assertEquals(expected[2], answer.segment().getAtIndex(JAVA_LONG, 1), () -> "handle " + expected[0]);
        }
    }

    @Test
    void shouldRefuseMoreThanThereIsRoomFor() {
        try (DeviceMemory memory = device.allocate(64); PlaceTable table = new PlaceTable(device, registered)) {
            for (int i = 1; i <= PlaceTable.PROBES; i++) {
                registered.add((long) i * PlaceTable.PLACES, memory.range());
            }
            long oneMore = (PlaceTable.PROBES + 1L) * PlaceTable.PLACES;
            assertEquals(ProxyResult.INVALID_USAGE,
                    assertThrows(ProxyException.class, () -> registered.add(oneMore, memory.range())).result());
            assertNull(registered.find(oneMore));
            assertTrue(table.address() != 0);
            registered.remove(PlaceTable.PLACES);
            registered.add(oneMore, memory.range());
        }
    }

    /** The launch has read that the memory is there, and is not in its stream yet. */
    @Test
    void shouldTakeNothingBackWhileAKernelStarts() throws Exception {
        try (DeviceMemory memory = device.allocate(64); PlaceTable table = new PlaceTable(device, registered)) {
            assertEquals(0, table.launching(), "nothing is registered");
            registered.add(1, memory.range());
            long version = table.launching();
            Thread remover = Thread.ofPlatform().start(() -> registered.remove(1));
            while (remover.getState() != Thread.State.TIMED_WAITING) {
                assertTrue(remover.isAlive(), "it did not wait");
                Thread.onSpinWait();
            }
            assertEquals(1, registered.size());
            table.launched();
            remover.join();
            assertEquals(0, registered.size());
            registered.add(2, memory.range());
            assertTrue(table.launching() > version);
            table.launched();
        }
    }

    @Test
    void shouldRefuseMemoryThatKernelsDoNotReach() {
        try (PlaceTable table = new PlaceTable(device, registered)) {
            MemorySegment pageable = Arena.ofAuto().allocate(64);
            assertEquals(ProxyResult.INVALID_ARGUMENT,
                    assertThrows(ProxyException.class, () -> registered.add(1, pageable)).result());
            assertEquals(0, registered.size());
            assertTrue(table.address() != 0);
        }
    }

    /** The offer is there when the first step was consumed: so the last steps are placed at the latest. */
    @Test
    void shouldPutWhatIsSentWhereItIsOfferedTo() {
        try (Pair pair = new Pair()) {
            pair.register(7, 0);
            pair.gather(7);
            pair.assertGathered(RecvMem.MODE_PTR);
        }
    }

    /** A slot that was passed over once is used the next time, and the other way round. */
    @Test
    void shouldTakeTurnsWithSlots() {
        try (Pair pair = new Pair()) {
            pair.register(7, 0);
            for (int i = 0; i < 6; i++) {
                pair.gather(i % 2 == 0 ? 7 : 0);
                pair.assertGathered(i % 2 == 0 ? RecvMem.MODE_PTR : RecvMem.MODE_NORMAL);
            }
        }
    }

    @Test
    void shouldSendBySlotsIfTheOfferedMemoryIsNotRegistered() {
        try (Pair pair = new Pair()) {
            pair.register(7, 0);
            pair.gather(8);
            pair.assertGathered(RecvMem.MODE_NORMAL);
        }
    }

    @Test
    void shouldSendBySlotsIfMoreIsOfferedThanIsRegistered() {
        try (Pair pair = new Pair()) {
            pair.register(7, 1);
            pair.gather(7);
            pair.assertGathered(RecvMem.MODE_NORMAL);
        }
    }

    /** Kernels remember what they found. */
    @Test
    void shouldNotPutAnythingIntoWhatIsNoMoreRegistered() {
        try (Pair pair = new Pair()) {
            pair.register(7, 0);
            pair.gather(7);
            pair.assertGathered(RecvMem.MODE_PTR);
            pair.register(9, 0);
            pair.ranks.forEach(rank -> rank.registered.remove(7));
            pair.gather(7);
            pair.assertGathered(RecvMem.MODE_NORMAL);
        }
    }

    /** Two ranks on one device, which gather. */
    private final class Pair implements AutoCloseable {
        final List<Rank> ranks = List.of(new Rank(0), new Rank(1));

        Pair() {
            ranks.forEach(rank -> rank.connect(ranks.get(1 - rank.number)));
        }

        /** All of a rank's buffer but for some bytes, with the other one. */
        void register(long handle, long missing) {
            for (Rank rank : ranks) {
                ranks.get(1 - rank.number).registered.add(handle,
                        rank.out.range().asSlice(0, OFFSET + 2 * BYTES - missing));
            }
        }

        /** Each offers memory of a handle, or none if that is 0. */
        void gather(long handle) {
            ranks.forEach(rank -> rank.out.segment().fill((byte) 0));
            ranks.forEach(rank -> rank.launch(handle));
            ranks.forEach(rank -> rank.queue.synchronize(LONG));
        }

        /** All is there, and what was sent last came that way. */
        void assertGathered(int mode) {
            for (Rank rank : ranks) {
                assertNull(rank.queue.failure());
                for (Rank from : ranks) {
                    assertEquals(-1, from.in.segment().mismatch(
                            rank.out.segment().asSlice(OFFSET + from.number * BYTES, BYTES)));
                }
                for (int slot = 0; slot < DeviceConnection.STEPS; slot++) {
                    assertEquals(mode, rank.recv.recvMem().directMode(slot));
                }
            }
        }

        @Override
        public void close() {
            ranks.forEach(rank -> rank.queue.close());
            ranks.forEach(Rank::close);
        }
    }

    /** What one has, and its connection from the other one. */
    private final class Rank implements AutoCloseable {
        final int number;
        final PeerMemory registered = new PeerMemory();
        final DeviceMemory words = device.allocateHost(SendMem.WORDS_BYTES + RecvMem.WORDS_BYTES);
        final DeviceMemory slots = device.allocateHost(DeviceConnection.STEPS * STEP_BYTES);
        final DeviceMemory in = device.allocateHost(BYTES);
        final DeviceMemory out = device.allocateHost(OFFSET + 2 * BYTES);
        final LaunchQueue queue;
        final DevicePrograms programs;
        final ConnectionTable table;
        final DeviceConnection recv;
        private DeviceConnection send;

        Rank(int number) {
            this.number = number;
            for (long i = 0; i < BYTES; i++) {
                in.segment().set(JAVA_BYTE, i, (byte) (i * 31 + number));
            }
            queue = new LaunchQueue(device, "rank " + number, 1, 64, Duration.ofSeconds(60));
            programs = new DevicePrograms(device, queue);
            table = new ConnectionTable(device, queue, 2);
            recv = connection(registered);
        }

        /** Of which this rank has all that both ends share. */
        private DeviceConnection connection(PeerMemory ofPeer) {
            SendMem head = new SendMem(words.segment().asSlice(0, SendMem.WORDS_BYTES));
            RecvMem tail = new RecvMem(words.segment().asSlice(SendMem.WORDS_BYTES));
            return DeviceConnection.direct(head, tail, null, null, slots.segment())
                    .with(new KernelAddresses(words.address(), words.address() + SendMem.WORDS_BYTES, 0, 0,
                            slots.address())).with(ofPeer);
        }

        void connect(Rank other) {
            send = other.connection(registered);
            table.put(0, recv, other.number);
            table.putPlacing(1, send, other.number);
        }

        void launch(long handle) {
            LaunchArguments arguments = programs.ringArguments();
            long[] own = {CollFunction.ALL_GATHER.ordinal() | Protocol.SIMPLE.ordinal() << Byte.SIZE,
                number | 2L << Integer.SIZE, 0, in.address(), out.address() + OFFSET, BYTES, BYTES, 0, 0, 0, handle,
                OFFSET, 2 * BYTES, table.launching(send)};
            for (int i = 0; i < own.length; i++) {
                arguments.set(i, own[i]);
            }
            queue.launch(programs.ring(null, null), 1, arguments, table);
            table.launched(send);
        }

        @Override
        public void close() {
            table.close();
            programs.close();
            out.close();
            in.close();
            slots.close();
            words.close();
        }
    }
}
