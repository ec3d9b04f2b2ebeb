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
    /** Everybody gets the combination of all. */
    ALL_REDUCE {
        @Override
        Shape shape(long count, int elementBytes, int nRanks) {
            return new Shape(count, count, count, 0, 0);
        }

        @Override
        double busFactor(int nRanks) {
            return 2.0 * (nRanks - 1) / nRanks;
        }

        @Override
        void launch(Communicator comm, Call call, MemorySegment send, MemorySegment recv) {
            comm.allReduce(send, recv, call.count(), call.type(), call.op());
        }
    },
    /** Everybody gets everybody's. */
    ALL_GATHER {
        @Override
        Shape shape(long count, int elementBytes, int nRanks) {
            long part = part(count, elementBytes, nRanks);
            return new Shape(part, part * nRanks, part, part, 0);
        }

        @Override
        double busFactor(int nRanks) {
            return (double) (nRanks - 1) / nRanks;
        }

        @Override
        void launch(Communicator comm, Call call, MemorySegment send, MemorySegment recv) {
            comm.allGather(send, recv, call.count(), call.type());
        }
    },
    /** Everybody gets a part of the combination of all. */
    REDUCE_SCATTER {
        @Override
        Shape shape(long count, int elementBytes, int nRanks) {
            long part = part(count, elementBytes, nRanks);
            return new Shape(part * nRanks, part, part, 0, part);
        }

        @Override
        double busFactor(int nRanks) {
            return (double) (nRanks - 1) / nRanks;
        }

        @Override
        void launch(Communicator comm, Call call, MemorySegment send, MemorySegment recv) {
            comm.reduceScatter(send, recv, call.count(), call.type(), call.op());
        }
    },
    /** Everybody gets the root's. */
    BROADCAST {
        @Override
        Shape shape(long count, int elementBytes, int nRanks) {
            return new Shape(count, count, count, 0, 0);
        }

        @Override
        double busFactor(int nRanks) {
            return 1;
        }

        @Override
        void launch(Communicator comm, Call call, MemorySegment send, MemorySegment recv) {
            comm.broadcast(send, recv, call.count(), call.type(), call.root());
        }
    },
    /** Everybody sends to the next rank and receives from the one before. */
    SENDRECV {
        @Override
        Shape shape(long count, int elementBytes, int nRanks) {
            return new Shape(count, count, count, 0, 0);
        }

        @Override
        double busFactor(int nRanks) {
            return 1;
        }

        @Override
        void launch(Communicator comm, Call call, MemorySegment send, MemorySegment recv) {
            int nRanks = comm.nRanks();
            comm.sendRecv(send, (comm.rank() + 1) % nRanks, recv, Math.floorMod(comm.rank() - 1, nRanks));
        }
    };

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
    abstract Shape shape(long count, int elementBytes, int nRanks);

    /** What the algorithm's bandwidth is multiplied by, so that the hardware's limit is the limit for any ranks. */
    abstract double busFactor(int nRanks);

    abstract void launch(Communicator comm, Call call, MemorySegment send, MemorySegment recv);

    boolean isReducing() {
        return this == ALL_REDUCE || this == REDUCE_SCATTER;
    }

    boolean isRooted() {
        return this == BROADCAST;
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

    private static long part(long count, int elementBytes, int nRanks) {
        return count / nRanks & -(ALIGNMENT / elementBytes);
    }
}
