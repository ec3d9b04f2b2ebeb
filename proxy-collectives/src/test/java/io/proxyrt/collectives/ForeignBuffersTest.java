/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.DataType;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.testkit.Extent;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Buffers that neither the communicator nor its device allocated: arrays, buffers of NIO, and other libraries'. */
class ForeignBuffersTest {
    private static final int RANKS = 2;
    /** One that fits a line of LL, one that is odd, and one of several slots. */
    private static final int[] COUNTS = {1, 333, 9001};
    private static final int CALLS = 12;
    private static final int COUNT = 30_000;
    private static final long OFFSET = 4100;

    @TempDir
    Path directory;

    /** What Java programs have their data in; arrays are as aligned as their elements, which are seldom the types'. */
    private enum Carrier {
        BYTES(bytes -> MemorySegment.ofArray(new byte[bytes])),
        SHORTS(bytes -> MemorySegment.ofArray(new short[bytes / 2 + 1])),
        CHARS(bytes -> MemorySegment.ofArray(new char[bytes / 2 + 1])),
        INTS(bytes -> MemorySegment.ofArray(new int[bytes / 4 + 1])),
        LONGS(bytes -> MemorySegment.ofArray(new long[bytes / 8 + 1])),
        FLOATS(bytes -> MemorySegment.ofArray(new float[bytes / 4 + 1])),
        DOUBLES(bytes -> MemorySegment.ofArray(new double[bytes / 8 + 1])),
        HEAP_BUFFER(bytes -> MemorySegment.ofBuffer(ByteBuffer.allocate(bytes))),
        PART_OF_HEAP_BUFFER(bytes -> MemorySegment.ofBuffer(ByteBuffer.allocate(bytes + 3).position(3))),
        DIRECT_BUFFER(bytes -> MemorySegment.ofBuffer(ByteBuffer.allocateDirect(bytes))),
        PART_OF_DIRECT_BUFFER(bytes -> MemorySegment.ofBuffer(ByteBuffer.allocateDirect(bytes + 5).position(5)));

        private final IntFunction<MemorySegment> allocator;

        Carrier(IntFunction<MemorySegment> allocator) {
            this.allocator = allocator;
        }

        MemorySegment allocate(long bytes) {
            return allocator.apply((int) bytes).asSlice(0, bytes);
        }
    }

    static Stream<Arguments> carriers() {
        return Extent.sample(3, Stream.of(Carrier.values()).flatMap(carrier -> Stream.of("SHM", "NET").flatMap(
                transport -> Stream.of(Protocol.SIMPLE, Protocol.LL).map(
                        protocol -> Arguments.of(carrier, transport, protocol)))));
    }

    /** What ranks get that have their data in native memory, whatever the type of the elements. */
    @ParameterizedTest
    @MethodSource("carriers")
    void shouldDoTheSameAsWithNativeMemory(Carrier carrier, String transport, Protocol protocol) throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.INVOKER, transport)
                .set(CollectivesOptions.PROTOCOL, Allowed.only(protocol)).build();
        InProcessRanks.run(RANKS, config, comm -> {
            for (DataType type : DataType.values()) {
                for (int count : COUNTS) {
                    long bytes = (long) count * type.sizeBytes();
                    MemorySegment expected = Arena.ofAuto().allocate(bytes * (RANKS + 1) * CALLS, Long.BYTES);
                    calls(comm, type, count, n -> Arena.ofAuto().allocate(n, Long.BYTES), expected);
                    MemorySegment found = Arena.ofAuto().allocate(expected.byteSize(), Long.BYTES);
                    calls(comm, type, count, n -> carrier.allocate(n), found);
                    assertEquals(-1, expected.mismatch(found), type + " " + count);
                }
            }
        });
    }

    /** Each call there is, and what it leaves in all buffers. */
    private static void calls(Communicator comm, DataType type, int count, Allocator allocator, MemorySegment out) {
        long bytes = (long) count * type.sizeBytes();
        int peer = 1 - comm.rank();
        MemorySegment[] small = new MemorySegment[CALLS];
        MemorySegment[] large = new MemorySegment[CALLS];
        for (int i = 0; i < CALLS; i++) {
            small[i] = filled(allocator.allocate(bytes), 100L * i + comm.rank());
            large[i] = filled(allocator.allocate(bytes * RANKS), 100L * i + 50 + comm.rank());
        }
        comm.allReduce(small[0], large[0], count, type, RedOp.SUM);
        comm.allReduce(small[1], small[1], count, type, RedOp.MAX);
        comm.reduce(small[2], large[2], count, type, RedOp.PROD, 0);
        comm.allGather(small[3], large[3], count, type);
        comm.reduceScatter(large[4], small[4], count, type, RedOp.SUM);
        comm.broadcast(small[5], large[5], count, type, 1);
        comm.allToAll(large[6], large[7], count, type);
        comm.gather(small[8], large[8], count, type, 1);
        comm.scatter(large[9], small[9], count, type, 0);
        comm.sendRecv(small[10], peer, large[10].asSlice(0, bytes), peer);
        comm.group(calls -> {
            calls.send(small[11], peer);
            calls.recv(large[11].asSlice(0, bytes), peer);
        });
        comm.synchronize();
        for (int i = 0; i < CALLS; i++) {
            MemorySegment.copy(small[i], 0, out, i * bytes * (RANKS + 1), bytes);
            MemorySegment.copy(large[i], 0, out, i * bytes * (RANKS + 1) + bytes, bytes * RANKS);
        }
    }

    @FunctionalInterface
    private interface Allocator {
        MemorySegment allocate(long bytes);
    }

    /** Bits that are a finite number in every type. */
    private static MemorySegment filled(MemorySegment segment, long seed) {
        byte[] content = new byte[(int) segment.byteSize()];
        new Random(seed).nextBytes(content);
        for (int i = 0; i < content.length; i++) {
            content[i] &= 0x3f;
        }
        return segment.copyFrom(MemorySegment.ofArray(content));
    }

    /** Another object for the device gave it, as another library might; and wrapped it is not at its beginning. */
    @ParameterizedTest
    @CsvSource({"SHM, false", "NET, false", "P2P, false", "SHM, true"})
    void shouldTakeWrappedMemoryOfAGpuInPlace(String transport, boolean isPinned) throws Exception {
        List<ProxyConfig> configs = IntStream.range(0, RANKS).mapToObj(rank ->
                GpuRanks.config(directory, ThreadingMode.INVOKER, transport, rank).build()).toList();
        assertEquals(Arrays.asList(null, null), InProcessRanks.failures(configs, comm -> {
            Device device = comm.proxy().device();
            try (Device library = Devices.open(device.name(), 0, comm.proxy().config())) {
                DeviceMemory tensors = isPinned ? library.allocateHost(1 << 20) : library.allocate(1 << 20);
                DeviceMemory tensor = device.wrap(tensors.range().address() + OFFSET, Integer.BYTES * COUNT);
                MemorySegment given = ints(i -> i + comm.rank());
                MemorySegment found = isPinned ? throughSegment(comm, tensor, given)
                        : throughCopies(comm, tensor, given);
                assertEquals(-1, ints(i -> 2 * i + 1).mismatch(found));
                comm.barrier();
            }
        }));
    }

    private static MemorySegment throughSegment(Communicator comm, DeviceMemory tensor, MemorySegment given) {
        tensor.segment().copyFrom(given);
        allReduce(comm, tensor.segment());
        return tensor.segment();
    }

    private static MemorySegment throughCopies(Communicator comm, DeviceMemory tensor, MemorySegment given) {
        try (RankBuffer buffer = new RankBuffer(comm, tensor, 0)) {
            buffer.write(given);
            allReduce(comm, buffer.range());
            return buffer.read(tensor.bytes());
        }
    }

    private static void allReduce(Communicator comm, MemorySegment buffer) {
        comm.allReduce(buffer, buffer, COUNT, DataType.INT32, RedOp.SUM);
        comm.synchronize();
    }

    private static MemorySegment ints(IntUnaryOperator value) {
        return MemorySegment.ofArray(IntStream.range(0, COUNT).map(value).toArray());
    }
}
