/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.collectives.Collectives;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.device.DeviceStream;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/** What can be measured, with the counts and bandwidth factors of nccl-tests. */
public enum Collective {
    /** Every rank gets the combination of all. */
    ALL_REDUCE,
    /** The root gets the combination of all. */
    REDUCE,
    /** Every rank gets the parts of all. */
    ALL_GATHER,
    /** The same, with parts of different sizes. */
    ALL_GATHERV,
    /** Every rank gets a part of the combination of all. */
    REDUCE_SCATTER,
    /** The same, with parts of different sizes. */
    REDUCE_SCATTERV,
    /** Every rank gets the root's. */
    BROADCAST,
    /** Every rank gets a part of each. */
    ALLTOALL,
    /** The same, with parts of different sizes. */
    ALLTOALLV,
    /** The root gets the parts of all. */
    GATHER,
    /** Every rank gets a part of the root's. */
    SCATTER,
    /** An all-gather by messages, of 2ⁿ ranks, each rank with one other at a time. */
    HYPERCUBE,
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
    record Call(long count, DataType type, PerfOp op, int root) {
        /** What a rank asks for. */
        ReduceOp reduceOp(int rank) {
            return op.of(type, rank);
        }
    }

    /** What it is of those that a file's algorithm may be for. */
    Optional<CollFunction> ofFiles() {
        return switch (this) {
            case ALL_REDUCE -> Optional.of(CollFunction.ALL_REDUCE);
            case ALL_GATHER -> Optional.of(CollFunction.ALL_GATHER);
            case REDUCE_SCATTER -> Optional.of(CollFunction.REDUCE_SCATTER);
            case ALLTOALL -> Optional.of(CollFunction.ALL_TO_ALL);
            default -> Optional.empty();
        };
    }

    /** For {@code count} elements, as many as the size asks for. */
    Shape shape(long count, int elementBytes, int rank, int nRanks) {
        return callShape(isDivided() ? count / nRanks & -(ALIGNMENT / elementBytes) : count, rank, nRanks);
    }

    /** For a call with {@code count} elements. */
    Shape callShape(long count, int rank, int nRanks) {
        long all = count * nRanks;
        return switch (this) {
            case ALL_REDUCE, REDUCE, BROADCAST, SENDRECV -> new Shape(count, count, count, 0, 0, count);
            case ALL_GATHER, GATHER, HYPERCUBE -> new Shape(count, all, count, rank * count, 0, all);
            case REDUCE_SCATTER, SCATTER -> new Shape(all, count, count, 0, rank * count, all);
            case ALLTOALL -> new Shape(all, all, count, 0, 0, all);
            case ALL_GATHERV -> {
                UnevenParts parts = UnevenParts.ofRanks(count, nRanks);
                yield new Shape(parts.counts()[rank], parts.total(), count, parts.displacements()[rank], 0,
                        parts.total());
            }
            case REDUCE_SCATTERV -> {
                UnevenParts parts = UnevenParts.ofRanks(count, nRanks);
                yield new Shape(parts.total(), parts.counts()[rank], count, 0, parts.displacements()[rank],
                        parts.total());
            }
            case ALLTOALLV -> {
                long total = UnevenParts.ofExchange(count, nRanks, rank).total();
                yield new Shape(total, total, count, 0, 0, total);
            }
        };
    }

    /** What the algorithm's bandwidth is multiplied by, so that the hardware's limit is the limit for any ranks. */
    double busFactor(int nRanks) {
        double share = (double) (nRanks - 1) / nRanks;
        return switch (this) {
            case ALL_REDUCE -> 2 * share;
            case REDUCE, BROADCAST, SENDRECV -> 1;
            default -> share;
        };
    }

    /** Parts of different sizes are made anew for each call. */
    void launch(Communicator comm, Call call, MemorySegment send, MemorySegment recv) {
        if (this == HYPERCUBE) {
            hypercube(comm, comm::group, call.count() * call.type().sizeBytes(), send, recv);
        } else {
            ask(comm, comm, call, send, recv);
        }
    }

    /** The same, as part of what a stream captures. */
    void capture(Communicator comm, DeviceStream stream, Call call, MemorySegment send, MemorySegment recv) {
        if (this == HYPERCUBE) {
            hypercube(comm, body -> comm.group(stream, body), call.count() * call.type().sizeBytes(), send, recv);
        } else {
            comm.group(stream, calls -> ask(comm, calls, call, send, recv));
        }
    }

    private void ask(Communicator comm, Collectives calls, Call call, MemorySegment send, MemorySegment recv) {
        switch (this) {
            case ALL_REDUCE -> calls.allReduce(send, recv, call.count(), call.type(), call.reduceOp(comm.rank()));
            case REDUCE -> calls.reduce(send, recv, call.count(), call.type(), call.reduceOp(comm.rank()), call.root());
            case ALL_GATHER -> calls.allGather(send, recv, call.count(), call.type());
            case REDUCE_SCATTER ->
                calls.reduceScatter(send, recv, call.count(), call.type(), call.reduceOp(comm.rank()));
            case BROADCAST -> calls.broadcast(send, recv, call.count(), call.type(), call.root());
            case ALLTOALL -> calls.allToAll(send, recv, call.count(), call.type());
            case GATHER -> calls.gather(send, recv, call.count(), call.type(), call.root());
            case SCATTER -> calls.scatter(send, recv, call.count(), call.type(), call.root());
            case SENDRECV -> calls.sendRecv(send, (comm.rank() + 1) % comm.nRanks(), recv,
                    Math.floorMod(comm.rank() - 1, comm.nRanks()));
            default -> askUneven(comm, calls, call, send, recv);
        }
    }

    private void askUneven(Communicator comm, Collectives calls, Call call, MemorySegment send, MemorySegment recv) {
        UnevenParts parts = this == ALLTOALLV ? UnevenParts.ofExchange(call.count(), comm.nRanks(), comm.rank())
                : UnevenParts.ofRanks(call.count(), comm.nRanks());
        switch (this) {
            case ALL_GATHERV -> calls.allGatherv(send, recv, parts.counts(), parts.displacements(), call.type());
            case REDUCE_SCATTERV -> calls.reduceScatterv(send, recv, parts.counts(), parts.displacements(),
                    call.type(), call.reduceOp(comm.rank()));
            default -> calls.allToAllv(send, parts.counts(), parts.displacements(), recv, parts.counts(),
                    parts.displacements(), call.type());
        }
    }

    /** In the n-th round a rank has 2ⁿ parts, and gets as many from the other. */
    private static void hypercube(Communicator comm, Consumer<Consumer<Collectives>> groups, long bytes,
            MemorySegment send, MemorySegment recv) {
        if (send.address() != recv.address() + comm.rank() * bytes) {
            groups.accept(group -> {
                group.send(send, comm.rank());
                group.recv(recv.asSlice(comm.rank() * bytes, bytes), comm.rank());
            });
        }
        for (int parts = 1; parts < comm.nRanks(); parts *= 2) {
            int peer = comm.rank() ^ parts;
            MemorySegment own = recv.asSlice((comm.rank() & -parts) * bytes, parts * bytes);
            MemorySegment others = recv.asSlice((comm.rank() & -parts ^ parts) * bytes, parts * bytes);
            groups.accept(group -> group.sendRecv(own, peer, others, peer));
        }
    }

    /**
     * Whether it can be done by so many ranks.
     *
     * @param nRanks in the group
     * @return false for one rank's messages to others, and for a hypercube of other than 2ⁿ ranks
     */
    public boolean isFor(int nRanks) {
        return switch (this) {
            case SENDRECV -> nRanks > 1;
            case HYPERCUBE -> Integer.bitCount(nRanks) == 1;
            default -> true;
        };
    }

    boolean isReducing() {
        return this == ALL_REDUCE || this == REDUCE || this == REDUCE_SCATTER || this == REDUCE_SCATTERV;
    }

    boolean isRooted() {
        return this == BROADCAST || this == REDUCE || this == GATHER || this == SCATTER;
    }

    /** Whether a rank's input is looked at. */
    boolean isReadAt(int rank, int root) {
        return rank == root || this != BROADCAST && this != SCATTER;
    }

    /** Whether one side has a part of each rank. */
    boolean isDivided() {
        return switch (this) {
            case ALL_REDUCE, REDUCE, BROADCAST, SENDRECV -> false;
            default -> true;
        };
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
