/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.UserRedOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** A collective of any kind with values whose combinations are exact in every type; all ranks draw the same. */
final class CheckedCollective {
    private static final byte UNTOUCHED = 0x5A;
    private static final int MARGIN = 32;
    private static final List<Integer> ALL_OPS = List.of(0, 1, 2, 3, 4, 5, 6);
    private static final int[] COUNTS = {0, 1, 2, 3, 17, 600, 4099, 40_001};
    private static final ReduceOp OR = UserRedOp.of("or", (in, inout, count, type) -> {
        for (long i = 0; i < count * type.sizeBytes(); i++) {
            inout.set(JAVA_BYTE, i, (byte) (inout.get(JAVA_BYTE, i) | in.get(JAVA_BYTE, i)));
        }
    });

    private final int rank;
    private final int nRanks;
    private final CollFunction function;
    private final DataType type;
    private final ReduceOp op;
    private final int count;
    private final int root;
    private final boolean isInPlace;
    private final MemorySegment send;
    private final MemorySegment recv;

    CheckedCollective(Communicator comm, Random random, List<CollFunction> functions) {
        this(comm, random, functions, List.of(DataType.values()), ALL_OPS);
    }

    /** Of these types and operators, of which the last of all is one of the user. */
    CheckedCollective(Communicator comm, Random random, List<CollFunction> functions, List<DataType> types,
            List<Integer> ops) {
        this.rank = comm.rank();
        this.nRanks = comm.nRanks();
        this.function = functions.get(random.nextInt(functions.size()));
        this.type = types.get(random.nextInt(types.size()));
        this.op = op(type, ops.get(random.nextInt(ops.size())));
        this.count = COUNTS[random.nextInt(COUNTS.length)];
        this.root = random.nextInt(nRanks);
        this.isInPlace = random.nextBoolean();
        long own = (long) type.sizeBytes() * count;
        boolean isSendLarge = function == CollFunction.REDUCE_SCATTER || function == CollFunction.ALL_TO_ALL;
        MemorySegment out = untouched(comm, own * (isSendLarge ? nRanks : 1));
        MemorySegment in = untouched(comm, own * (isRecvLarge() ? nRanks : 1));
        this.send = !isInPlace ? out : isSendLarge || !isRecvLarge() ? out : in.asSlice(rank * own);
        this.recv = !isInPlace || send != out ? in : isSendLarge && !isRecvLarge() ? out.asSlice(rank * own) : out;
        for (int i = 0; i < count * (isSendLarge ? nRanks : 1); i++) {
            put(send, i, bits(rank, i));
        }
    }

    private static ReduceOp op(DataType type, int which) {
        boolean isNarrow = type == DataType.FLOAT8_E4M3 || type == DataType.FLOAT8_E5M2;
        return switch (which) {
            case 0 -> RedOp.PROD;
            case 1 -> RedOp.MAX;
            case 2 -> RedOp.MIN;
            case 3 -> isNarrow ? RedOp.SUM : RedOp.AVG;
            case 4 -> type.isFloatingPoint() ? PreMulSum.of(type, 2.0) : PreMulSum.of(type, 2L);
            case 5 -> RedOp.SUM;
            default -> OR;
        };
    }

    private static MemorySegment untouched(Communicator comm, long bytes) {
        MemorySegment memory = comm.proxy().device().attributes().kind().equals("host")
                ? Arena.ofAuto().allocate(bytes + MARGIN, Long.BYTES) : Way.memory(comm, bytes + MARGIN);
        return memory.fill(UNTOUCHED);
    }

    private boolean isRecvLarge() {
        return function == CollFunction.ALL_GATHER || function == CollFunction.ALL_TO_ALL;
    }

    void call(Collectives calls) {
        switch (function) {
            case ALL_REDUCE -> calls.allReduce(send, recv, count, type, op);
            case REDUCE -> calls.reduce(send, recv, count, type, op, root);
            case BROADCAST -> calls.broadcast(send, recv, count, type, root);
            case ALL_GATHER -> calls.allGather(send, recv, count, type);
            case REDUCE_SCATTER -> calls.reduceScatter(send, recv, count, type, op);
            case ALL_TO_ALL -> calls.allToAll(send, recv, count, type);
            default -> throw new IllegalArgumentException(function.name());
        }
    }

    /** Once it is done. */
    void check() {
        int all = count * (isRecvLarge() ? nRanks : 1);
        boolean isLeftAlone = function == CollFunction.REDUCE && rank != root;
        for (int i = 0; i < all; i++) {
            is(i, !isLeftAlone ? expected(i) : isInPlace ? bits(rank, i) : 0x5A5A5A5A5A5A5A5AL);
        }
        for (long i = (long) all * type.sizeBytes(); !isInPlace && i < recv.byteSize(); i++) {
            assertEquals(UNTOUCHED, recv.get(JAVA_BYTE, i), () -> this + " wrote behind the end");
        }
    }

    private void is(int index, long expected) {
        assertEquals(expected & mask(), get(recv, index) & mask(), () -> this + ", element " + index);
    }

    private long mask() {
        return -1L >>> Long.SIZE - Byte.SIZE * type.sizeBytes();
    }

    private long expected(int index) {
        return switch (function) {
            case ALL_REDUCE, REDUCE -> reduced(index);
            case REDUCE_SCATTER -> reduced(rank * count + index);
            case BROADCAST -> bits(root, index);
            case ALL_GATHER -> bits(index / count, index % count);
            default -> bits(index / count, rank * count + index % count);
        };
    }

    private long reduced(int index) {
        if (op == OR) {
            return LongStream.range(0, nRanks).map(from -> bits((int) from, index)).reduce(0, (a, b) -> a | b);
        }
        IntStream values = IntStream.range(0, nRanks).map(from -> value(from, index));
        int result = op == RedOp.PROD ? values.reduce(1, (a, b) -> a * b) : op == RedOp.MAX ? values.max().orElseThrow()
                : op == RedOp.MIN ? values.min().orElseThrow() : op == RedOp.AVG ? values.sum() / nRanks
                : op == RedOp.SUM ? values.sum() : 2 * values.sum();
        return bits(result);
    }

    private long bits(int from, int index) {
        return bits(value(from, index));
    }

    private long bits(int value) {
        return type.isFloatingPoint() ? type.toBits(value) : value;
    }

    /** Few ranks have other values than 0 for a sum, or 1 for a product. */
    private int value(int from, int index) {
        int few = (index * 7 + from * 3) % Math.max(1, nRanks / 2) == 0 ? 1 : 0;
        return op == RedOp.PROD ? few + 1 : op == RedOp.AVG ? index % 4
                : op == RedOp.MAX || op == RedOp.MIN || op == OR ? (index * 7 + from * 5) % 8 : few;
    }

    private void put(MemorySegment segment, int index, long bits) {
        switch (type.sizeBytes()) {
            case 1 -> segment.set(JAVA_BYTE, index, (byte) bits);
            case 2 -> segment.set(JAVA_SHORT_UNALIGNED, 2L * index, (short) bits);
            case 4 -> segment.set(JAVA_INT_UNALIGNED, 4L * index, (int) bits);
            default -> segment.set(JAVA_LONG_UNALIGNED, 8L * index, bits);
        }
    }

    private long get(MemorySegment segment, int index) {
        return switch (type.sizeBytes()) {
            case 1 -> segment.get(JAVA_BYTE, index);
            case 2 -> segment.get(JAVA_SHORT_UNALIGNED, 2L * index);
            case 4 -> segment.get(JAVA_INT_UNALIGNED, 4L * index);
            default -> segment.get(JAVA_LONG_UNALIGNED, 8L * index);
        };
    }

    @Override
    public String toString() {
        return "rank " + rank + " of " + nRanks + ": " + function + " of " + count + " " + type + " " + op + " root "
                + root + (isInPlace ? " in place" : "");
    }
}
