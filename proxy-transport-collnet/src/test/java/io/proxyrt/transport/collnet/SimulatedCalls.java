/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The calls of those who are connected with each other. All must make the same ones, and a call is carried out when all
 * have made it. It is checked that what is sent stays as it is until then, and what is received is overwritten at once:
 * both belong to the network. Allocates nothing for a call if it is told not to check. One thread.
 */
final class SimulatedCalls {
    private static final int RING = 64;
    private static final byte GARBAGE = (byte) 0xee;
    private static final byte UNFLUSHED = 0x5a;

    String failure = "";
    private final SimulatedCollNet net;
    private final int nRanks;
    private final Call[] calls = new Call[RING];
    private final long[] posted;
    private final long[] tested;
    private int arrived;
    private long executed;

    SimulatedCalls(SimulatedCollNet net, int nRanks) {
        this.net = net;
        this.nRanks = nRanks;
        this.posted = new long[nRanks];
        this.tested = new long[nRanks];
        Arrays.setAll(calls, any -> new Call(nRanks));
    }

    /** What one participant asks for, and where each has its data. */
    private static final class Call {
        private int firstRank;
        private CollFunction function;
        private long bytes;
        private DataType type;
        private RedOp op;
        private final CollNetWindow window = new CollNetWindow();
        private final MemorySegment[] from;
        private final MemorySegment[] to;
        private final long[] fromOffset;
        private final long[] toOffset;
        private final byte[][] sent;
        private final boolean[] isUnflushed;
        private final boolean[] isTested;

        Call(int nRanks) {
            from = new MemorySegment[nRanks];
            to = new MemorySegment[nRanks];
            fromOffset = new long[nRanks];
            toOffset = new long[nRanks];
            sent = new byte[nRanks][];
            isUnflushed = new boolean[nRanks];
            isTested = new boolean[nRanks];
        }

        long sentBytes(int rank) {
            return function == CollFunction.ALL_GATHER ? window.length(rank) : bytes;
        }

        long receivedBytes(int rank) {
            return function == CollFunction.REDUCE_SCATTER ? window.length(rank) : bytes;
        }

        @Override
        public String toString() {
            return function + " of " + bytes + " bytes at " + window.offset() + " of parts of " + window.bytesPerRank()
                    + ", " + type + " " + op;
        }
    }

    static boolean reduces(DataType type, RedOp op) {
        return (type == DataType.INT32 || type == DataType.INT64) && (op == RedOp.SUM || op == RedOp.MAX);
    }

    static void invert(MemorySegment memory, long offset, long bytes) {
        for (long i = offset; i < offset + bytes; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (memory.get(ValueLayout.JAVA_BYTE, i) ^ UNFLUSHED));
        }
    }

    void arrive() {
        arrived++;
    }

    boolean isComplete() {
        return arrived == nRanks;
    }

    private Call call(long number) {
        return calls[(int) (number % RING)];
    }

    /** Returns false if there is no room, or the participants disagree. */
    boolean post(int rank, CollFunction function, long part, long offset, long bytes, DataType type, RedOp op) {
        if (posted[rank] - tested[rank] == net.room) {
            return false;
        }
        Call call = call(posted[rank]);
        if (isFirst(rank)) {
            call.firstRank = rank;
            call.function = function;
            call.bytes = bytes;
            call.window.set(part, offset, bytes);
            call.type = type;
            call.op = op;
            net.calls++;
        } else if (call.function != function || call.bytes != bytes || call.window.offset() != offset
                || call.window.bytesPerRank() != part || call.type != type || call.op != op) {
            failure = "the participants disagree: rank " + call.firstRank + " asks for " + call + ", rank " + rank
                    + " for " + function + " of " + bytes + " bytes at " + offset;
            return false;
        }
        return true;
    }

    private boolean isFirst(int rank) {
        for (long number : posted) {
            if (number > posted[rank]) {
                return false;
            }
        }
        return true;
    }

    /** Behind {@link #post}; returns the request. What comes has to be flushed, or not. */
    long place(int rank, MemorySegment from, long fromOffset, MemorySegment to, long toOffset, boolean isUnflushed) {
        Call call = call(posted[rank]);
        call.from[rank] = from;
        call.fromOffset[rank] = fromOffset;
        call.to[rank] = to;
        call.toOffset[rank] = toOffset;
        call.isUnflushed[rank] = isUnflushed;
        call.isTested[rank] = false;
        if (net.patience > 0) {
            call.sent[rank] = sent(call, rank);
            if (from.address() + fromOffset != to.address() + toOffset) {
                to.asSlice(toOffset, call.receivedBytes(rank)).fill(GARBAGE);
            }
        }
        return ++posted[rank];
    }

    private static byte[] sent(Call call, int rank) {
        return call.from[rank].asSlice(call.fromOffset[rank], call.sentBytes(rank)).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Carries a call out, if there is one that all have made. */
    void advance() {
        long all = Long.MAX_VALUE;
        for (long number : posted) {
            all = Math.min(all, number);
        }
        if (executed == all || net.isLate()) {
            return;
        }
        Call call = call(executed++);
        for (int rank = 0; net.patience > 0 && rank < nRanks; rank++) {
            if (!Arrays.equals(call.sent[rank], sent(call, rank))) {
                throw new AssertionError("what rank " + rank + " sends was written to: " + call);
            }
        }
        carryOut(call);
        for (int rank = 0; rank < nRanks; rank++) {
            if (call.isUnflushed[rank]) {
                invert(call.to[rank], call.toOffset[rank], call.receivedBytes(rank));
            }
        }
    }

    private void carryOut(Call call) {
        for (int rank = 0; rank < nRanks; rank++) {
            long begin = call.window.begin(rank) - call.window.offset();
            switch (call.function) {
                case ALL_GATHER -> {
                    for (int to = 0; to < nRanks; to++) {
                        MemorySegment.copy(call.from[rank], call.fromOffset[rank], call.to[to],
                                call.toOffset[to] + begin, call.window.length(rank));
                    }
                }
                case REDUCE_SCATTER -> reduce(call, rank, begin, call.window.length(rank));
                default -> reduce(call, rank, 0, call.bytes);
            }
        }
    }

    private void reduce(Call call, int to, long begin, long bytes) {
        int size = call.type.sizeBytes();
        for (long i = 0; i < bytes; i += size) {
            long value = get(call, 0, begin + i);
            for (int rank = 1; rank < nRanks; rank++) {
                long other = get(call, rank, begin + i);
                value = call.op == RedOp.SUM ? value + other : Math.max(value, other);
            }
            if (size == Integer.BYTES) {
                call.to[to].set(ValueLayout.JAVA_INT, call.toOffset[to] + i, (int) value);
            } else {
                call.to[to].set(ValueLayout.JAVA_LONG, call.toOffset[to] + i, value);
            }
        }
    }

    private static long get(Call call, int rank, long at) {
        return call.type == DataType.INT32 ? call.from[rank].get(ValueLayout.JAVA_INT, call.fromOffset[rank] + at)
                : call.from[rank].get(ValueLayout.JAVA_LONG, call.fromOffset[rank] + at);
    }

    /** Whether a request is complete; then it is over. */
    boolean test(int rank, long request) {
        Call call = call(request - 1);
        if (request <= 0 || request > posted[rank] || request <= posted[rank] - RING || call.isTested[rank]) {
            throw new AssertionError("rank " + rank + " asks for request " + request + ", which is not outstanding");
        }
        if (request > executed) {
            return false;
        }
        call.isTested[rank] = true;
        tested[rank]++;
        return true;
    }
}
