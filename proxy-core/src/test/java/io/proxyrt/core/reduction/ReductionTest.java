/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.device.Copier;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class ReductionTest {
    private static final int N_RANKS = 3;
    private static final int MARGIN = 64;
    private static final byte UNTOUCHED = 0x5A;
    private static final long[] INTEGERS = {0, 1, -1, 2, -7, 7, 0x7F, 0x80, 0xFE, Integer.MAX_VALUE, Integer.MIN_VALUE,
        Long.MAX_VALUE, Long.MIN_VALUE};
    private static final float[] FLOATS = {0, -0.0f, 1, -1, 3, Float.NaN, Float.POSITIVE_INFINITY,
        Float.NEGATIVE_INFINITY, Float.MAX_VALUE, -Float.MAX_VALUE, Float.MIN_VALUE, Float.MIN_NORMAL, 0x1.002p0f};
    private static final int[] HALVES = {0, 0x8000, 0x3C00, 0xBC00, 0x3C01, 0x7E00, 0xFC01, 0x7C00, 0xFC00, 0x7BFF,
        0xFBFF, 0x0001, 0x0400, 0x6800, 0x1000};
    private static final int[] BFLOATS = {0, 0x8000, 0x3F80, 0xBF80, 0x3F81, 0x7FC0, 0xFF81, 0x7FFF, 0x7F80, 0xFF80,
        0x7F7F, 0xFF7F, 0x0001, 0x0080, 0x3B80};

    private static final int[] BYTES = {0, 0x80, 0x38, 0xB8, 0x3C, 0x7F, 0xFF, 0x7E, 0xFE, 0x7C, 0xFC, 0x7B, 0xFB, 0x01,
        0x08, 0x04};

    private final Arena arena = Arena.ofShared();
    private final Random random = new Random(42);

    @AfterEach
    void close() {
        arena.close();
    }

    static Stream<Arguments> reductions() {
        return Arrays.stream(DataType.values())
                .flatMap(type -> Arrays.stream(RedOp.values()).map(op -> Arguments.of(type, op)));
    }

    @ParameterizedTest
    @MethodSource("reductions")
    void shouldAgreeWithTheOracleAtEverySize(DataType type, RedOp op) {
        final Reduction reduction = Reduction.of(type, op, N_RANKS);
        for (int count : counts(type)) {
            final MemorySegment a = operand(type, count, 1);
            final MemorySegment b = operand(type, count, specials(type));
            final MemorySegment out = destination(type, count);

            reduction.operands(a, MARGIN, b, MARGIN).reduce(out, MARGIN, count, false);
            assertReduced(type, op, a, b, out, count, false);
            reduction.operands(a, MARGIN, b, MARGIN).reduce(out, MARGIN, count, true);
            assertReduced(type, op, a, b, out, count, true);
            assertMarginsUntouched(out);
        }
    }

    @ParameterizedTest
    @MethodSource("reductions")
    void shouldAgreeWithTheOracleOnceCompiled(DataType type, RedOp op) {
        final Reduction reduction = Reduction.of(type, op, N_RANKS);
        final int count = Reduction.BLOCK_BYTES / type.sizeBytes() + 1;
        final MemorySegment a = operand(type, count, 1);
        final MemorySegment b = operand(type, count, specials(type));
        final MemorySegment out = destination(type, count);

        for (int i = 0; i < 2_000; i++) {
            reduction.operands(a, MARGIN, b, MARGIN).reduce(out, MARGIN, count, true);
        }

        assertReduced(type, op, a, b, out, count, true);
    }

    @ParameterizedTest
    @MethodSource("reductions")
    void shouldReduceIntoEitherOperand(DataType type, RedOp op) {
        final Reduction reduction = Reduction.of(type, op, N_RANKS);
        for (int count : counts(type)) {
            final MemorySegment a = operand(type, count, 1);
            final MemorySegment b = operand(type, count, specials(type));
            final MemorySegment intoA = copyOf(a);
            final MemorySegment intoB = copyOf(b);

            reduction.operands(intoA, MARGIN, b, MARGIN).reduce(intoA, MARGIN, count, true);
            assertReduced(type, op, a, b, intoA, count, true);
            reduction.operands(a, MARGIN, intoB, MARGIN).reduce(intoB, MARGIN, count, true);
            assertReduced(type, op, a, b, intoB, count, true);
        }
    }

    @ParameterizedTest
    @MethodSource("reductions")
    void shouldReduceIntoTwoDestinations(DataType type, RedOp op) {
        final Reduction reduction = Reduction.of(type, op, N_RANKS);
        for (int count : counts(type)) {
            final MemorySegment a = operand(type, count, 1);
            final MemorySegment b = operand(type, count, specials(type));
            final MemorySegment intoA = copyOf(a);
            final MemorySegment out = destination(type, count);

            reduction.operands(intoA, MARGIN, b, MARGIN).reduce(Copier.JVM, intoA, MARGIN, out, MARGIN, count, true);
            assertReduced(type, op, a, b, intoA, count, true);
            assertReduced(type, op, a, b, out, count, true);
            assertMarginsUntouched(out);
        }
    }

    @ParameterizedTest
    @EnumSource(DataType.class)
    void shouldMultiplyTheSecondOperandFirst(DataType type) {
        final MemorySegment scalar = operand(type, 1, 1).asSlice(MARGIN, type.sizeBytes());
        final PreMulSum op = PreMulSum.at(type, scalar);
        final Reduction reduction = Reduction.of(type, op, N_RANKS);
        for (PreMulSum each : new PreMulSum[] {op, PreMulSum.of(type, -3), PreMulSum.of(type, 2)}) {
            scalar.copyFrom(MemorySegment.ofArray(new long[] {each == op ? 0x3B3B_3B3B_3B3B_3B3BL : each.bits()})
                    .asSlice(0, type.sizeBytes()));
            reduction.begin(op);
            for (int count : counts(type)) {
                final MemorySegment a = operand(type, count, 1);
                final MemorySegment b = operand(type, count, specials(type));
                final MemorySegment sum = destination(type, count);
                final MemorySegment product = copyOf(b);

                reduction.operands(a, MARGIN, b, MARGIN).reduce(sum, MARGIN, count, count % 2 == 0);
                reduction.scale(product, MARGIN, product, MARGIN, count);

                assertMultiplied(type, ReductionOracle.value(type, scalar, 0), a, b, product, sum, count);
                assertMarginsUntouched(sum);
                assertMarginsUntouched(product);
            }
        }
    }

    private static void assertMultiplied(DataType type, Object scalar, MemorySegment a, MemorySegment b,
            MemorySegment product, MemorySegment sum, int count) {
        for (int i = 0; i < count; i++) {
            final long at = MARGIN + (long) i * type.sizeBytes();
            final Object own = ReductionOracle.value(type, b, at);
            final Object expected = ReductionOracle.reduce(type, RedOp.PROD, own, scalar, 1, false);
            assertEquals(expected, ReductionOracle.value(type, product, at), own + " times " + scalar);
            final Object x = ReductionOracle.value(type, a, at);
            assertEquals(ReductionOracle.reduce(type, RedOp.SUM, x, expected, 1, false),
                    ReductionOracle.value(type, sum, at), x + " + " + own + " times " + scalar);
        }
    }

    @Test
    void shouldDivideTheAverageOnceAndTowardsZero() {
        final Reduction reduction = Reduction.of(DataType.INT32, RedOp.AVG, 3);
        final MemorySegment rank0 = arena.allocateFrom(JAVA_INT, 1, -1, 5, -5);
        final MemorySegment rank1 = arena.allocateFrom(JAVA_INT, 1, -1, 5, -5);
        final MemorySegment rank2 = arena.allocateFrom(JAVA_INT, 1, -3, 4, -1);

        reduction.operands(rank0, 0, rank1, 0).reduce(rank1, 0, 4, false);
        reduction.operands(rank1, 0, rank2, 0).reduce(rank2, 0, 4, true);

        assertEquals(-1, MemorySegment.ofArray(new int[] {1, -1, 4, -3}).mismatch(rank2));
    }

    @ParameterizedTest
    @CsvSource({
        "FLOAT16, 6800, 3C00, 6800",    // 2048 + 1: the tie below goes to even
        "FLOAT16, 6801, 3C00, 6802",    // 2050 + 1: the tie above
        "FLOAT16, 7BFF, 4C00, 7C00",    // 65504 + 16: the tie beyond the largest
        "FLOAT16, 7BFF, 4BFF, 7BFF",
        "FLOAT16, 0001, 0001, 0002",
        "BFLOAT16, 3F80, 3B80, 3F80",   // 1 + 2^-8
        "BFLOAT16, 3F81, 3B80, 3F82",
        "BFLOAT16, 3F80, 3B81, 3F81",
        "BFLOAT16, 7F7F, 7B00, 7F80",
        "BFLOAT16, 0001, 0001, 0002",
    })
    void shouldRoundSumsOf16BitsToNearestEven(DataType type, String x, String y, String sum) {
        final MemorySegment a = halves(x);
        final MemorySegment b = halves(y);

        Reduction.of(type, RedOp.SUM, 2).operands(a, 0, b, 0).reduce(a, 0, 100, true);

        for (int i = 0; i < 100; i++) {
            assertEquals(Integer.parseInt(sum, 16), Short.toUnsignedInt(a.getAtIndex(JAVA_SHORT, i)));
        }
    }

    /** All pairs there are. */
    @ParameterizedTest
    @CsvSource({"FLOAT8_E4M3, SUM", "FLOAT8_E4M3, PROD", "FLOAT8_E4M3, MAX", "FLOAT8_E4M3, MIN", "FLOAT8_E4M3, AVG",
        "FLOAT8_E5M2, SUM", "FLOAT8_E5M2, PROD", "FLOAT8_E5M2, MAX", "FLOAT8_E5M2, MIN", "FLOAT8_E5M2, AVG"})
    void shouldAgreeWithTheOracleOnEveryPairOf8Bits(DataType type, RedOp op) {
        final MemorySegment a = arena.allocate(MARGIN + 65_536);
        final MemorySegment b = arena.allocate(MARGIN + 65_536);
        final MemorySegment out = arena.allocate(MARGIN + 65_536);
        for (int i = 0; i < 65_536; i++) {
            a.set(JAVA_BYTE, MARGIN + i, (byte) (i >> 8));
            b.set(JAVA_BYTE, MARGIN + i, (byte) i);
        }

        Reduction.of(type, op, N_RANKS).operands(a, MARGIN, b, MARGIN).reduce(out, MARGIN, 65_536, true);

        assertReduced(type, op, a, b, out, 65_536, true);
    }

    @ParameterizedTest
    @CsvSource({
        "FLOAT8_E4M3, 7E, 68, 7E",      // 448 + 64: beyond the largest
        "FLOAT8_E4M3, 48, 30, 49",      // 4 + 0.5 = 4.5
        "FLOAT8_E4M3, 78, 50, 78",      // 256 + 8: less than half a step
        "FLOAT8_E4M3, 78, 58, 78",      // 256 + 16: the tie below goes to even
        "FLOAT8_E4M3, 79, 58, 7A",      // 288 + 16: the tie above
        "FLOAT8_E4M3, 01, 01, 02",
        "FLOAT8_E4M3, 07, 01, 08",      // out of the subnormal numbers
        "FLOAT8_E5M2, 7B, 7B, 7B",
        "FLOAT8_E5M2, 7C, 3C, 7B",      // an infinity, too, becomes the largest number
        "FLOAT8_E5M2, FC, 3C, FB",
        "FLOAT8_E5M2, 7C, FC, 7E",      // infinities that cancel
        "FLOAT8_E5M2, 3C, 30, 3C",      // 1 + 0.125: the tie below goes to even
        "FLOAT8_E5M2, 3D, 30, 3E",
        "FLOAT8_E5M2, 03, 01, 04",
    })
    void shouldRoundSumsOf8BitsToNearestEvenAndNotBeyondTheLargest(DataType type, String x, String y, String sum) {
        final MemorySegment a = arena.allocateFrom(JAVA_BYTE, (byte) Integer.parseInt(x, 16));
        final MemorySegment b = arena.allocateFrom(JAVA_BYTE, (byte) Integer.parseInt(y, 16));

        Reduction.of(type, RedOp.SUM, 2).operands(a, 0, b, 0).reduce(a, 0, 1, true);

        assertEquals(Integer.parseInt(sum, 16), Byte.toUnsignedInt(a.get(JAVA_BYTE, 0)));
    }

    @Test
    void shouldKeepEveryNanOfBfloat16() {
        final Reduction reduction = Reduction.of(DataType.BFLOAT16, RedOp.SUM, 2);
        for (int payload = 1; payload < 0x80; payload++) {
            final MemorySegment a = halves(Integer.toHexString(0x7F80 + payload));
            final MemorySegment b = halves("3F80");

            reduction.operands(a, 0, b, 0).reduce(b, 0, 100, true);

            final int sum = b.getAtIndex(JAVA_SHORT, 50);
            assertTrue(Float.isNaN(Float.intBitsToFloat(sum << 16)), Integer.toHexString(sum));
        }
    }

    @Test
    void shouldNotOverflowTheAverageOfHalves() {
        final MemorySegment a = halves("7BFF");

        Reduction.of(DataType.FLOAT16, RedOp.AVG, 2).operands(a, 0, a, 0).reduce(a, 0, 100, true);

        assertEquals((short) 0x7BFF, a.getAtIndex(JAVA_SHORT, 99));
    }

    @Test
    void shouldOrderZerosAndPropagateNans() {
        final MemorySegment a = arena.allocateFrom(JAVA_FLOAT, -0.0f, Float.NaN, 1);
        final MemorySegment b = arena.allocateFrom(JAVA_FLOAT, 0.0f, 1, Float.NaN);
        final MemorySegment out = arena.allocate(JAVA_FLOAT, 3);

        Reduction.of(DataType.FLOAT32, RedOp.MAX, 2).operands(a, 0, b, 0).reduce(out, 0, 3, true);

        assertEquals(0.0f, out.getAtIndex(JAVA_FLOAT, 0));
        assertEquals(Float.NaN, out.getAtIndex(JAVA_FLOAT, 1));
        assertEquals(Float.NaN, out.getAtIndex(JAVA_FLOAT, 2));
    }

    @Test
    void shouldRefuseToReduceOverNoRanks() {
        final ProxyException e = assertThrows(ProxyException.class,
                () -> Reduction.of(DataType.INT8, RedOp.AVG, 0));

        assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
    }

    private static int[] counts(DataType type) {
        final int block = Reduction.BLOCK_BYTES / type.sizeBytes();
        return new int[] {0, 1, 7, 8, 9, 64, 65, 1000, block - 1, block, block + 1, 3 * block + 5};
    }

    private static int specials(DataType type) {
        return switch (type) {
            case FLOAT16 -> HALVES.length;
            case BFLOAT16 -> BFLOATS.length;
            case FLOAT32, FLOAT64 -> FLOATS.length;
            case FLOAT8_E4M3, FLOAT8_E5M2 -> BYTES.length;
            default -> INTEGERS.length;
        };
    }

    /** Random bits, after every special value, each {@code repeat} times: strides 1 and n give all pairs of n. */
    private MemorySegment operand(DataType type, int count, int repeat) {
        final MemorySegment segment = destination(type, count);
        final int n = specials(type);
        for (int i = 0; i < count; i++) {
            final long at = MARGIN + (long) i * type.sizeBytes();
            final boolean special = i < n * n;
            final long bits = special ? special(type, i / repeat % n) : random.nextLong();
            switch (type.sizeBytes()) {
                case 1 -> segment.set(JAVA_BYTE, at, (byte) bits);
                case 2 -> segment.set(JAVA_SHORT_UNALIGNED, at, (short) bits);
                case 4 -> segment.set(JAVA_INT_UNALIGNED, at, (int) bits);
                default -> segment.set(JAVA_LONG_UNALIGNED, at, bits);
            }
        }
        return segment;
    }

    private static long special(DataType type, int index) {
        return switch (type) {
            case FLOAT16 -> HALVES[index];
            case BFLOAT16 -> BFLOATS[index];
            case FLOAT32 -> Float.floatToRawIntBits(FLOATS[index]);
            case FLOAT64 -> Double.doubleToRawLongBits(FLOATS[index]);
            case FLOAT8_E4M3, FLOAT8_E5M2 -> BYTES[index];
            default -> INTEGERS[index];
        };
    }

    /** At an odd address, and with margins. */
    private MemorySegment destination(DataType type, int count) {
        final long bytes = (long) count * type.sizeBytes() + 2 * MARGIN;
        return arena.allocate(bytes + 1, 64).asSlice(1).fill(UNTOUCHED);
    }

    private MemorySegment copyOf(MemorySegment segment) {
        return arena.allocate(segment.byteSize()).copyFrom(segment);
    }

    private MemorySegment halves(String hex) {
        final short[] values = new short[100];
        Arrays.fill(values, (short) Integer.parseInt(hex, 16));
        return arena.allocateFrom(JAVA_SHORT, values);
    }

    private static void assertReduced(DataType type, RedOp op, MemorySegment a, MemorySegment b, MemorySegment out,
            int count, boolean last) {
        for (int i = 0; i < count; i++) {
            final long at = MARGIN + (long) i * type.sizeBytes();
            final Object x = ReductionOracle.value(type, a, at);
            final Object y = ReductionOracle.value(type, b, at);
            final Object expected = ReductionOracle.reduce(type, op, x, y, N_RANKS, last);
            final Object actual = ReductionOracle.value(type, out, at);
            if (!expected.equals(actual)) {
                assertEquals(expected, actual, x + " " + op + " " + y + " at " + i + " of " + count);
            }
        }
    }

    private static void assertMarginsUntouched(MemorySegment out) {
        for (int i = 0; i < MARGIN; i++) {
            assertEquals(UNTOUCHED, out.get(JAVA_BYTE, i));
            assertEquals(UNTOUCHED, out.get(JAVA_BYTE, out.byteSize() - 1 - i));
        }
    }
}
