/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What can be measured, with the counts and bandwidth factors of nccl-tests. */
public enum Collective {
    /** Every rank gets the combination of all. */
    ALL_REDUCE,
    /** Every rank gets the parts of all. */
    ALL_GATHER,
    /** Every rank gets a part of the combination of all. */
    REDUCE_SCATTER,
    /** Every rank gets the root's. */
    BROADCAST,
    /** Every rank sends to the next and receives from the one before. */
    SENDRECV;

    /** nccl-tests keeps the parts of ranks aligned to this much. */
    private static final int ALIGNMENT = 16;

    /**
     * The arguments of one call besides its buffers.
     *
     * @param count elements, as the call is told
     * @param type  of the elements
     * @param op    null where nothing is reduced
     * @param root  -1 where there is none
     */
    record Call(long count, DataType type, RedOp op, int root) {
    }

    /** For {@code count} elements, as many as the size asks for. */
    Shape shape(long count, int elementBytes, int nRanks) {
        return callShape(isDivided() ? count / nRanks & -(ALIGNMENT / elementBytes) : count, nRanks);
    }

    /** For a call with {@code count} elements. */
    Shape callShape(long count, int nRanks) {
        return switch (this) {
            case ALL_REDUCE, BROADCAST, SENDRECV -> new Shape(count, count, count, 0, 0);
            case ALL_GATHER -> new Shape(count, count * nRanks, count, count, 0);
            case REDUCE_SCATTER -> new Shape(count * nRanks, count, count, 0, count);
        };
    }

    /** What the algorithm's bandwidth is multiplied by, so that the hardware's limit is the limit for any ranks. */
    double busFactor(int nRanks) {
        double share = (double) (nRanks - 1) / nRanks;
        return switch (this) {
            case ALL_REDUCE -> 2 * share;
            case ALL_GATHER, REDUCE_SCATTER -> share;
            case BROADCAST, SENDRECV -> 1;
        };
    }

    void launch(Communicator comm, Call call, MemorySegment send, MemorySegment recv) {
        switch (this) {
            case ALL_REDUCE -> comm.allReduce(send, recv, call.count(), call.type(), call.op());
            case ALL_GATHER -> comm.allGather(send, recv, call.count(), call.type());
            case REDUCE_SCATTER -> comm.reduceScatter(send, recv, call.count(), call.type(), call.op());
            case BROADCAST -> comm.broadcast(send, recv, call.count(), call.type(), call.root());
            case SENDRECV -> comm.sendRecv(send, (comm.rank() + 1) % comm.nRanks(), recv,
                    Math.floorMod(comm.rank() - 1, comm.nRanks()));
        }
    }

    boolean isReducing() {
        return this == ALL_REDUCE || this == REDUCE_SCATTER;
    }

    boolean isRooted() {
        return this == BROADCAST;
    }

    /** Whether one side has a part of each rank, and the other a single part. */
    boolean isDivided() {
        return this == ALL_GATHER || this == REDUCE_SCATTER;
    }

    /** Sending from and receiving into the same memory at the same time has no result to speak of. */
    boolean isCheckedInPlace() {
        return this != SENDRECV;
    }

    /** As on the command line. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Finds a collective by the name on the command line; that of nccl-tests' program will do.
     *
     * @param text such as {@code all_reduce} or {@code all_reduce_perf}
     * @return empty if there is none
     */
    public static Optional<Collective> of(String text) {
        String name = text.toLowerCase(Locale.ROOT);
        return Arrays.stream(values()).filter(c -> name.equals(c.label()) || name.equals(c.label() + "_perf"))
                .findFirst();
    }
}
