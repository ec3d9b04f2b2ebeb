/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Direction;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.progress.CollNetSupport;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxySubArgs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * A collective of ints at all heads.
 *
 * @param function which
 * @param op       the reduction
 * @param channels it uses
 * @param nsteps   of each channel
 * @param chunk    bytes
 * @param all      bytes of all parts, or of the all-reduce
 * @param heads    participants
 * @param seed     of the data
 */
record TestCollective(CollFunction function, RedOp op, int[] channels, int nsteps, long chunk, long all, int heads,
        long seed) {
    /** One that uses the first channels and as many steps as it takes. */
    static TestCollective of(CollFunction function, int channels, long chunk, long all, int heads, long seed) {
        long steps = Math.max(1, (all + channels * chunk - 1) / (channels * chunk));
        return new TestCollective(function, RedOp.SUM, IntStream.range(0, channels).toArray(), (int) steps, chunk, all,
                heads, seed);
    }

    long part() {
        return function == CollFunction.ALL_REDUCE ? 0 : all / heads;
    }

    long inputBytes() {
        return function == CollFunction.ALL_GATHER ? part() : all;
    }

    long outputBytes() {
        return function == CollFunction.REDUCE_SCATTER ? part() : all;
    }

    /** What a head has. */
    MemorySegment input(int rank) {
        MemorySegment input = Arena.ofAuto().allocate(Math.max(1, inputBytes()), 8);
        SplittableRandom random = new SplittableRandom(seed * 31 + rank);
        for (long i = 0; i < inputBytes(); i += Integer.BYTES) {
            input.set(ValueLayout.JAVA_INT, i, random.nextInt());
        }
        return input;
    }

    /** What a head is to have in the end. */
    byte[] expected(int rank) {
        MemorySegment[] inputs = IntStream.range(0, heads).mapToObj(this::input).toArray(MemorySegment[]::new);
        MemorySegment out = MemorySegment.ofArray(new byte[(int) outputBytes()]);
        long begin = function == CollFunction.REDUCE_SCATTER ? rank * part() : 0;
        for (long i = 0; i < outputBytes(); i += Integer.BYTES) {
            if (function == CollFunction.ALL_GATHER) {
                out.set(ValueLayout.JAVA_INT_UNALIGNED, i,
                        inputs[(int) (i / part())].get(ValueLayout.JAVA_INT, i % part()));
            } else {
                int value = inputs[0].get(ValueLayout.JAVA_INT, begin + i);
                for (int other = 1; other < heads; other++) {
                    int next = inputs[other].get(ValueLayout.JAVA_INT, begin + i);
                    value = op == RedOp.SUM ? value + next : Math.max(value, next);
                }
                out.set(ValueLayout.JAVA_INT_UNALIGNED, i, value);
            }
        }
        return out.toArray(ValueLayout.JAVA_BYTE);
    }

    /** The ops of one direction at a head, in the order of channels. */
    ProxyArgs args(TestHead head, Direction direction, long opCount) {
        ProxyArgs args = null;
        for (int channel : channels) {
            TestHead.End end = direction == Direction.SEND ? head.send(channel) : head.recv(channel);
            if (args == null) {
                args = ProxyArgs.of(end.connection, opCount, nsteps, 1, 1, all)
                        .collective(function, DataType.INT32, op);
            } else {
                args.add(end.connection, nsteps, all);
            }
            ProxySubArgs sub = args.sub(args.nsubs() - 1);
            sub.chunkSize = chunk;
            sub.loopSize = part();
        }
        return args;
    }

    /** Where the step of a channel begins in the data of a side: 0 to the side's bytes. */
    long place(boolean isAll, int rank, long step, int index) {
        long chunks = (step * channels.length + index) * chunk;
        return isAll ? Math.min(chunks, all) : Math.clamp(chunks, rank * part(), (rank + 1) * part()) - rank * part();
    }

    /** How many calls the network gets. */
    int calls() {
        int calls = 0;
        for (long step = 0; step < nsteps; step++) {
            for (int first = 0; first < channels.length; first += CollNetSupport.GROUP_CHANNELS) {
                int end = Math.min(first + CollNetSupport.GROUP_CHANNELS, channels.length);
                calls += place(true, 0, step, end) > place(true, 0, step, first) ? 1 : 0;
            }
        }
        return calls;
    }
}
