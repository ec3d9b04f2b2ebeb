/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.core.DataType;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/**
 * What ranks put in and have to get out, for one type and reduction: periods of values, made once, which fill and check
 * buffers as fast as memory can be copied and compared. Not thread-safe.
 */
final class DataPattern {
    private final DataType type;
    private final PerfOp op;
    private final int nRanks;
    private final PatternValues values;
    private final Map<Integer, Period> inputs = new HashMap<>();
    private Period reduced;

    /** {@code op} is null where nothing is reduced. */
    DataPattern(DataType type, PerfOp op, int nRanks) {
        this.type = type;
        this.op = op;
        this.nRanks = nRanks;
        this.values = new PatternValues(type, op, nRanks);
    }

    /** What a rank puts in. */
    Period input(int rank) {
        return inputs.computeIfAbsent(rank, r -> {
            Period period = new Period(type);
            for (int i = 0; i < PatternValues.PERIOD; i++) {
                period.put(i, values.bits(r, i));
            }
            return period;
        });
    }

    /** The combination of what all ranks put in. */
    Period reduced() {
        if (reduced == null) {
            Period period = new Period(type);
            for (int i = 0; i < PatternValues.PERIOD; i++) {
                long bits = combined(0, i);
                for (int r = 1; r < nRanks; r++) {
                    bits = Numbers.combine(type, op.combining(), bits, combined(r, i));
                }
                period.put(i, Numbers.finish(type, op.combining(), bits, nRanks));
            }
            reduced = period;
        }
        return reduced;
    }

    private long combined(int rank, int index) {
        return Numbers.multiplied(type, values.bits(rank, index), op.factor(rank));
    }

    /**
     * What is to be in an output of a rank, part by part; source is the root, or the rank that the data came from, and
     * count what the call was told.
     */
    List<Expected> output(Collective collective, MemorySegment output, int rank, int source, long phase, long count) {
        return switch (collective) {
            case ALL_REDUCE -> List.of(new Expected("output", output, reduced(), phase));
            case REDUCE -> rank == source ? List.of(new Expected("output", output, reduced(), phase)) : List.of();
            case REDUCE_SCATTER -> List.of(new Expected("output", output, reduced(), phase + rank * count));
            case REDUCE_SCATTERV -> List.of(new Expected("output", output, reduced(),
                    phase + UnevenParts.ofRanks(count, nRanks).displacements()[rank]));
            case BROADCAST, SENDRECV -> List.of(new Expected("output", output, input(source), phase));
            case SCATTER -> List.of(new Expected("output", output, input(source), phase + rank * count));
            case ALL_GATHER, HYPERCUBE -> parts(output, of -> phase, of -> of * count, of -> count);
            case GATHER -> rank == source ? parts(output, of -> phase, of -> of * count, of -> count) : List.of();
            case ALLTOALL -> parts(output, of -> phase + rank * count, of -> of * count, of -> count);
            case ALL_GATHERV -> {
                UnevenParts parts = UnevenParts.ofRanks(count, nRanks);
                yield parts(output, of -> phase, of -> parts.displacements()[of], of -> parts.counts()[of]);
            }
            case ALLTOALLV -> {
                UnevenParts parts = UnevenParts.ofExchange(count, nRanks, rank);
                yield parts(output, of -> phase + UnevenParts.ofExchange(count, nRanks, of).displacements()[rank],
                        of -> parts.displacements()[of], of -> parts.counts()[of]);
            }
        };
    }

    /** A part of each rank's input. */
    private List<Expected> parts(MemorySegment output, IntToLongFunction firstIndex, IntToLongFunction at,
            IntToLongFunction length) {
        int bytes = type.sizeBytes();
        return IntStream.range(0, nRanks).mapToObj(of -> new Expected("output of rank " + of, output.asSlice(
                at.applyAsLong(of) * bytes, length.applyAsLong(of) * bytes), input(of), firstIndex.applyAsLong(of)))
                .toList();
    }

    /**
     * A part of an output, and the values that are to be there.
     *
     * @param name       for people
     * @param actual     what is there
     * @param values     go on and on
     * @param firstIndex where in them the part begins
     */
    record Expected(String name, MemorySegment actual, Period values, long firstIndex) {
    }

    /** Values that go on and on. */
    static final class Period {
        private final DataType type;
        private final int elementBytes;
        private final MemorySegment once;

        private Period(DataType type) {
            this.type = type;
            this.elementBytes = type.sizeBytes();
            this.once = MemorySegment.ofArray(new byte[PatternValues.PERIOD * elementBytes]);
        }

        /** Bytes of a value. */
        int elementBytes() {
            return elementBytes;
        }

        private void put(int index, long bits) {
            Numbers.put(once, type, index, bits);
        }

        /** Fills memory with the values from an index on. */
        void fill(MemorySegment target, long firstIndex) {
            long from = firstIndex % PatternValues.PERIOD * elementBytes;
            for (long at = 0; at < target.byteSize(); from = 0) {
                long length = Math.min(once.byteSize() - from, target.byteSize() - at);
                MemorySegment.copy(once, from, target, at, length);
                at += length;
            }
        }

        /** Counts elements that are not the values from an index on. */
        long countWrong(MemorySegment actual, long firstIndex) {
            long wrong = 0;
            long from = firstIndex % PatternValues.PERIOD * elementBytes;
            for (long at = 0; at < actual.byteSize(); from = 0) {
                long length = Math.min(once.byteSize() - from, actual.byteSize() - at);
                wrong += countWrong(from, actual, at, length);
                at += length;
            }
            return wrong;
        }

        /** The first element that is not the value from an index on; -1 if there is none. */
        long firstWrong(MemorySegment actual, long firstIndex) {
            for (long i = 0; i < actual.byteSize() / elementBytes; i++) {
                if (Numbers.get(actual, type, i) != bits(firstIndex + i)) {
                    return i;
                }
            }
            return -1;
        }

        /** The value at an index. */
        long bits(long index) {
            return Numbers.get(once, type, index % PatternValues.PERIOD);
        }

        private long countWrong(long from, MemorySegment actual, long at, long length) {
            long wrong = 0;
            for (long done = 0; done < length; ) {
                long mismatch = MemorySegment.mismatch(once, from + done, from + length, actual, at + done,
                        at + length);
                if (mismatch < 0) {
                    return wrong;
                }
                wrong++;
                done += mismatch - mismatch % elementBytes + elementBytes;
            }
            return wrong;
        }
    }
}
