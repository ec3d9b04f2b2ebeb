/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.collectives.gpu.KernelSource;
import io.proxyrt.core.DataType;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceKernel;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceModule;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.LaunchShape;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.core.reduction.Reduction;
import io.proxyrt.testkit.gpu.GpuAbi;
import io.proxyrt.testkit.gpu.StandInGpu;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A GPU's reductions are the host's, to the last bit; all of them in one program, for compiling takes its time. */
class GpuReductionTest {
    private static final int N_RANKS = 3;
    private static final int WORDS = 4096;
    private static final long BYTES = WORDS * 8L;
    /** Each of RedOp, and PreMulSum. */
    private static final int OPS = RedOp.values().length + 1;

    private static Device device;
    private static DeviceModule module;
    private static DeviceMemory memory;
    private static DeviceStream stream;

    @BeforeAll
    static void open() {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu::whyNot);
        device = Devices.open("cuda:0", 0, StandInGpu.of(GpuAbi.CUDA).config());
        module = device.compile("reductions", source());
        memory = device.allocateHost(3 * BYTES);
        stream = device.stream("reductions");
    }

    @AfterAll
    static void close() {
        if (device != null) {
            device.close();
        }
    }

    /** Each reduction's own names in a namespace, and a kernel that chooses one. */
    private static String source() {
        String all = IntStream.range(0, DataType.values().length * OPS).mapToObj(index ->
                "namespace r" + index + " {\n" + KernelSource.chosen(type(index), op(index)) + "}\n")
                .collect(Collectors.joining());
        String cases = IntStream.range(0, DataType.values().length * OPS).mapToObj(index ->
                ("case INDEX: run<rINDEX::Step, rINDEX::Last, rINDEX::Own>(nRanks, isLast, scalar, a, b, to);\n"
                + "break;\n").replace("INDEX", String.valueOf(index)))
                .collect(Collectors.joining());
        return KernelSource.functors() + all + """
                template <typename Step, typename Last, typename Own>
                __device__ void run(u64 nRanks, u64 isLast, u64 scalar, const u64* a, const u64* b, u64* to) {
                    u64 scalars = Own::load(scalar, 0);
                    for (u64 i = threadIdx.x; i < WORDS; i += blockDim.x) {
                        u64 own = Own::apply(b[i], scalars);
                        to[i] = isLast ? reduceWord<Last>(a[i], own, nRanks) : reduceWord<Step>(a[i], own, nRanks);
                    }
                }
                extern "C" __global__ void reduceWords(u64 which, u64 nRanks, u64 isLast, u64 scalar, const u64* a,
                        const u64* b, u64* to) {
                    switch (which) {
                """.replace("WORDS", String.valueOf(WORDS)) + cases + "}}\n";
    }

    private static DataType type(int index) {
        return DataType.values()[index / OPS];
    }

    private static ReduceOp op(int index) {
        int op = index % OPS;
        return op < OPS - 1 ? RedOp.values()[op] : scaled(type(index));
    }

    private static PreMulSum scaled(DataType type) {
        return type.isFloatingPoint() ? PreMulSum.of(type, -0.7) : PreMulSum.of(type, -3);
    }

    @Test
    void shouldComputeWhatTheHostComputes() {
        DeviceKernel kernel = module.kernel("reduceWords");
        Random random = new Random(7);
        for (int index = 0; index < DataType.values().length * OPS; index++) {
            for (boolean isLast : new boolean[] {false, true}) {
                fill(type(index), random);
                launch(kernel, index, isLast);
                compare(type(index), op(index), isLast);
            }
        }
    }

    /** Any bits at all, and near ones, so that sums cancel and round. */
    private static void fill(DataType type, Random random) {
        MemorySegment segment = memory.segment();
        for (int i = 0; i < WORDS; i++) {
            long bits = random.nextLong();
            segment.setAtIndex(JAVA_LONG, i, i % 7 == 0 ? 0x8000000000000000L >>> type.ordinal() : bits);
            segment.setAtIndex(JAVA_LONG, WORDS + i, i % 3 == 0 ? bits ^ random.nextInt(256) : random.nextLong());
        }
    }

    private static void launch(DeviceKernel kernel, int index, boolean isLast) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment arguments = arena.allocate(7 * 8, 8);
            long[] values = {index, N_RANKS, isLast ? 1 : 0, scaled(type(index)).bits(), memory.address(),
                memory.address() + BYTES, memory.address() + 2 * BYTES};
            MemorySegment.copy(values, 0, arguments, JAVA_LONG, 0, values.length);
            assertEquals(1, stream.launch(kernel, LaunchShape.of(1, 4), arguments));
            stream.synchronize(Duration.ofMinutes(2));
        }
    }

    private static void compare(DataType type, ReduceOp op, boolean isLast) {
        MemorySegment segment = memory.segment();
        MemorySegment expected = Arena.ofAuto().allocate(BYTES, 8);
        Reduction.of(type, op, N_RANKS).begin(op).operands(segment, 0, segment, BYTES)
                .reduce(expected, 0, BYTES / type.sizeBytes(), isLast);
        for (long at = 0; at < BYTES; at += type.sizeBytes()) {
            long host = bits(type, expected, at);
            long gpu = bits(type, segment, 2 * BYTES + at);
            if (host != gpu) {
                assertEquals(Long.toHexString(host), Long.toHexString(gpu), type + " " + op + (isLast ? " last" : "")
                        + " of " + Long.toHexString(bits(type, segment, at)) + " and "
                        + Long.toHexString(bits(type, segment, BYTES + at)));
            }
        }
    }

    /** Of an element; all NaNs have the same, for which one comes out is the processor's choice. */
    private static long bits(DataType type, MemorySegment segment, long at) {
        return switch (type) {
            case INT8, UINT8 -> segment.get(JAVA_BYTE, at);
            case INT32, UINT32 -> segment.get(JAVA_INT, at);
            case INT64, UINT64 -> segment.get(JAVA_LONG, at);
            case FLOAT16 -> Float.floatToIntBits(Float.float16ToFloat(segment.get(JAVA_SHORT, at)));
            case BFLOAT16 -> Float.floatToIntBits(Float.intBitsToFloat(segment.get(JAVA_SHORT, at) << 16));
            case FLOAT32 -> Float.floatToIntBits(segment.get(JAVA_FLOAT, at));
            case FLOAT64 -> Double.doubleToLongBits(segment.get(JAVA_DOUBLE, at));
            case FLOAT8_E4M3, FLOAT8_E5M2 -> Double.doubleToLongBits(type.fromBits(segment.get(JAVA_BYTE, at)));
        };
    }
}
