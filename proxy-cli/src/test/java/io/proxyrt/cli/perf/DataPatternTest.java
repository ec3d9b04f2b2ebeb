/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.perf.DataPattern.Period;
import io.proxyrt.core.DataType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class DataPatternTest {
    private static final int[] RANKS = {1, 2, 3, 4, 5, 6, 7, 8, 9, 255, 256};
    private static final int SAMPLES = 60;

    static Stream<Arguments> combinations() {
        return Arrays.stream(DataType.values())
                .flatMap(type -> Arrays.stream(PerfOp.values()).map(op -> Arguments.of(type, op)));
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void shouldExpectWhatExactArithmeticGives(DataType type, PerfOp op) {
        for (int nRanks : RANKS) {
            PatternValues values = new PatternValues(type, op, nRanks);
            MemorySegment expected = reduced(type, op, nRanks);
            for (int index = 0; index < SAMPLES; index++) {
                int at = index;
                List<BigDecimal> inputs = IntStream.range(0, nRanks).mapToObj(rank -> exact(type, values.bits(rank, at))
                        .multiply(BigDecimal.valueOf(op.factor(rank)))).toList();
                assertEquals(oracle(type, op, inputs), get(expected, type, index),
                        () -> type + " " + op + " of " + nRanks + " ranks at " + at + ": " + inputs);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void shouldNotDependOnTheOrderOfRanks(DataType type, PerfOp op) {
        Random random = new Random(1);
        for (int nRanks : RANKS) {
            PatternValues values = new PatternValues(type, op, nRanks);
            MemorySegment expected = reduced(type, op, nRanks);
            List<Integer> ranks = new ArrayList<>(IntStream.range(0, nRanks).boxed().toList());
            for (int index = 0; index < SAMPLES; index++) {
                Collections.shuffle(ranks, random);
                long bits = multiplied(values, type, op, ranks.getFirst(), index);
                for (int rank : ranks.subList(1, nRanks)) {
                    bits = Numbers.combine(type, op.combining(), bits, multiplied(values, type, op, rank, index));
                }
                long finished = Numbers.finish(type, op.combining(), bits, nRanks);
                assertEquals(get(expected, type, index), finished & mask(type),
                        type + " " + op + " of " + nRanks + " ranks at " + index);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void shouldNoticeARankThatIsMissingOrCountedTwice(DataType type, PerfOp op) {
        for (int nRanks : new int[] {2, 4, 9}) {
            PatternValues values = new PatternValues(type, op, nRanks);
            for (int suspect = 0; suspect < nRanks; suspect++) {
                int noticed = 0;
                for (int index = 0; index < 500; index++) {
                    noticed += combined(values, type, op, nRanks, index, suspect, 0)
                            != combined(values, type, op, nRanks, index, suspect, 1) ? 1 : 0;
                    if (op != PerfOp.MAX && op != PerfOp.MIN) {
                        noticed += combined(values, type, op, nRanks, index, suspect, 2)
                                != combined(values, type, op, nRanks, index, suspect, 1) ? 1 : 0;
                    }
                }
                assertTrue(noticed > 25, type + " " + op + " of " + nRanks + ": " + noticed);
            }
        }
    }

    @Test
    void shouldFillAndCheckFromAnyIndexOn() {
        for (DataType type : DataType.values()) {
            Period period = new DataPattern(type, null, 3).input(1);
            for (long first : new long[] {0, 1, PatternValues.PERIOD - 1, PatternValues.PERIOD, 123_456_789_012L}) {
                MemorySegment target = MemorySegment.ofArray(new byte[2 * 4093 * type.sizeBytes() + 24]);
                period.fill(target, first);
                assertEquals(0, period.countWrong(target, first));
                assertEquals(0, period.countWrong(target.asSlice(3L * type.sizeBytes()), first + 3));
                assertNotEquals(0, period.countWrong(target, first + 1));
            }
        }
    }

    @Test
    void shouldCountEveryWrongElementOnce() {
        for (DataType type : DataType.values()) {
            Period period = new DataPattern(type, PerfOp.SUM, 3).reduced();
            MemorySegment target = MemorySegment.ofArray(new byte[10_000 * type.sizeBytes()]);
            period.fill(target, 5);
            for (long element : new long[] {0, 1, 2, 4090, 4091, 9999}) {
                long last = element * type.sizeBytes() + type.sizeBytes() - 1;
                target.set(ValueLayout.JAVA_BYTE, last, (byte) ~target.get(ValueLayout.JAVA_BYTE, last));
                if (type.sizeBytes() > 1) {
                    long first = element * type.sizeBytes();
                    target.set(ValueLayout.JAVA_BYTE, first, (byte) ~target.get(ValueLayout.JAVA_BYTE, first));
                }
            }
            assertEquals(6, period.countWrong(target, 5));
        }
    }

    @Test
    void shouldGiveEveryRankItsOwnValues() {
        for (DataType type : DataType.values()) {
            DataPattern pattern = new DataPattern(type, null, 4);
            MemorySegment target = MemorySegment.ofArray(new byte[1000 * type.sizeBytes()]);
            pattern.input(0).fill(target, 0);
            assertTrue(pattern.input(1).countWrong(target, 0) > 900);
        }
    }

    @Test
    void shouldBeFastEnoughForLargeBuffers() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(64 << 20, 4096);
            Period period = new DataPattern(DataType.FLOAT32, PerfOp.SUM, 4).reduced();
            long start = System.nanoTime();
            period.fill(memory, 7);
            assertEquals(0, period.countWrong(memory, 7));
            assertTrue(System.nanoTime() - start < 2_000_000_000L);
        }
    }

    @Test
    void shouldHaveNoNegativeZeroAndNothingThatIsNoNumber() {
        for (DataType type : DataType.values()) {
            for (PerfOp op : PerfOp.values()) {
                PatternValues values = new PatternValues(type, op, 8);
                for (int i = 0; !Numbers.isInteger(type) && i < PatternValues.PERIOD; i++) {
                    double value = Numbers.value(type, values.bits(3, i));
                    assertTrue(Double.isFinite(value));
                    assertFalse(value == 0 && 1 / value < 0);
                }
            }
        }
    }

    private static MemorySegment reduced(DataType type, PerfOp op, int nRanks) {
        MemorySegment expected = MemorySegment.ofArray(new byte[SAMPLES * type.sizeBytes()]);
        new DataPattern(type, op, nRanks).reduced().fill(expected, 0);
        return expected;
    }

    private static long combined(PatternValues values, DataType type, PerfOp op, int nRanks, int index, int suspect,
            int times) {
        Long bits = null;
        for (int rank = 0; rank < nRanks; rank++) {
            for (int i = 0; i < (rank == suspect ? times : 1); i++) {
                long next = multiplied(values, type, op, rank, index);
                bits = bits == null ? next : Numbers.combine(type, op.combining(), bits, next);
            }
        }
        return Numbers.finish(type, op.combining(), bits, nRanks);
    }

    private static long multiplied(PatternValues values, DataType type, PerfOp op, int rank, int index) {
        return Numbers.multiplied(type, values.bits(rank, index), op.factor(rank));
    }

    /** The result in exact arithmetic, as bits: wrapped for integers, rounded once for an average of other numbers. */
    private static long oracle(DataType type, PerfOp op, List<BigDecimal> inputs) {
        BigDecimal value = switch (op) {
            case SUM, AVG, MULSUM -> inputs.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
            case PROD -> inputs.stream().reduce(BigDecimal.ONE, BigDecimal::multiply);
            case MAX -> Collections.max(inputs);
            case MIN -> Collections.min(inputs);
        };
        BigDecimal count = BigDecimal.valueOf(inputs.size());
        if (Numbers.isInteger(type)) {
            BigInteger wrapped = wrap(type, value.toBigIntegerExact());
            return (op == PerfOp.AVG ? wrapped.divide(count.toBigInteger()) : wrapped).longValue() & mask(type);
        }
        double result = value.doubleValue();
        assertEquals(0, new BigDecimal(result).compareTo(value), "the exact result does not fit a double");
        if (op != PerfOp.AVG) {
            assertEquals(result, Numbers.value(type, Numbers.bits(type, result)), "the exact result does not fit");
        }
        double divided = op != PerfOp.AVG ? result : type == DataType.FLOAT64 ? result / inputs.size()
                : (float) result / inputs.size();
        return Numbers.bits(type, divided) & mask(type);
    }

    private static BigInteger wrap(DataType type, BigInteger value) {
        BigInteger low = value.and(BigInteger.ONE.shiftLeft(8 * type.sizeBytes()).subtract(BigInteger.ONE));
        boolean isSigned = type == DataType.INT8 || type == DataType.INT32 || type == DataType.INT64;
        return isSigned && low.testBit(8 * type.sizeBytes() - 1)
                ? low.subtract(BigInteger.ONE.shiftLeft(8 * type.sizeBytes())) : low;
    }

    private static BigDecimal exact(DataType type, long bits) {
        if (!Numbers.isInteger(type)) {
            return new BigDecimal(Numbers.value(type, bits));
        }
        return new BigDecimal(wrap(type, BigInteger.valueOf(bits)));
    }

    private static long get(MemorySegment segment, DataType type, int index) {
        long bits = 0;
        for (int i = 0; i < type.sizeBytes(); i++) {
            bits |= (segment.get(ValueLayout.JAVA_BYTE, (long) index * type.sizeBytes() + i) & 0xFFL) << 8 * i;
        }
        return bits;
    }

    private static long mask(DataType type) {
        return -1L >>> Long.SIZE - 8 * type.sizeBytes();
    }
}
