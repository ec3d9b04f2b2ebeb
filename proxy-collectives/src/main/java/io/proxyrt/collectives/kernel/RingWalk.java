/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.CollFunction;

/**
 * A walk over the loops, stages and slices of a ring collective, and what each slice means for this rank. Pure
 * arithmetic: every rank takes the same walk, and one rank may take it twice, once ahead of itself.
 */
final class RingWalk {
    /** What a rank does with a slice. */
    enum Move {
        SEND(false, true),
        COPY_SEND(false, true),
        RECV(true, false),
        RECV_COPY_SEND(true, true),
        RECV_REDUCE_SEND(true, true),
        RECV_REDUCE_COPY(true, false),
        RECV_REDUCE_COPY_SEND(true, true),
        /** Gathering: the input of another rank, to be kept and passed on. */
        RECV_KEEP_SEND(true, true),
        /** Gathering: the last input, after which all are reduced. */
        RECV_KEEP_REDUCE(true, false);

        final boolean isRecv;
        final boolean isSend;

        Move(boolean isRecv, boolean isSend) {
            this.isRecv = isRecv;
            this.isSend = isSend;
        }

        /** Whether what comes in goes into the user's memory as it is. */
        boolean isPlainRecv() {
            return this == RECV || this == RECV_COPY_SEND;
        }
    }

    private final RingOrder order;
    private final int rank;
    private final int place;
    private final int nRanks;
    private final RingGeometry geometry;
    private CollFunction function;
    private boolean isGathered;
    private boolean isInPlace;
    private int root;
    private long own;
    private long offset;
    private long bytes;
    private CollectiveWork work;
    private int stages;
    private int loop;
    private int stage;
    private int slice;
    private Move move;
    private long from;
    private long to;
    private long length;

    RingWalk(RingOrder order, int rank, RingGeometry geometry) {
        this.order = order;
        this.rank = rank;
        this.place = order.place(rank);
        this.nRanks = order.nRanks();
        this.geometry = geometry;
    }

    /** Goes to the beginning; the geometry is computed. */
    void begin(CollectiveWork work, long offset, long bytes) {
        this.function = work.function();
        this.isGathered = work.isGathered();
        this.isInPlace = work.isInPlace(rank);
        this.root = work.root();
        this.own = work.ownOffset(rank);
        this.offset = offset;
        this.bytes = bytes;
        this.work = work;
        this.stages = stages();
        loop = 0;
        stage = 0;
        slice = 0;
        locate();
    }

    /** {@return what to do, or null at the end} */
    Move move() {
        return move;
    }

    /** {@return where the slice begins in the send buffer} */
    long from() {
        return from;
    }

    /** {@return where the slice begins in the receive buffer} */
    long to() {
        return to;
    }

    /** {@return bytes of the slice; 0 for one that is there for the count only} */
    long length() {
        return length;
    }

    /** {@return the place of whose walk it is} */
    int place() {
        return place;
    }

    /** {@return gathering: the place of whose input the slice is} */
    int origin() {
        return mod(place - stage);
    }

    void advance() {
        assert move != null;
        if (++slice == geometry.chunkSteps() / geometry.sliceSteps()) {
            slice = 0;
            if (++stage == stages) {
                stage = 0;
                loop++;
            }
        }
        locate();
    }

    private int stages() {
        return switch (function) {
            case ALL_REDUCE -> isGathered ? nRanks : 2 * nRanks - 1;
            case ALL_GATHER, ALL_GATHERV, REDUCE_SCATTER, REDUCE_SCATTERV -> nRanks;
            default -> 1;
        };
    }

    private void locate() {
        if (loop == geometry.nLoops()) {
            move = null;
            return;
        }
        boolean isRing = function == CollFunction.ALL_REDUCE && !isGathered;
        long loopOffset = loop * geometry.chunkBytes() * (isRing ? nRanks : 1);
        long remaining = bytes - loopOffset;
        if (isRing) {
            allReduce(loopOffset, remaining);
        } else {
            long sliceBytes = sliceBytes(Math.min(remaining, geometry.chunkBytes()));
            long begin = offset + loopOffset + slice * sliceBytes;
            long size = Math.min(Math.min(remaining, geometry.chunkBytes()), partBytes() - offset - loopOffset);
            length = clip(size - slice * sliceBytes, sliceBytes);
            from = length == 0 ? 0 : begin;
            to = from;
            move = switch (function) {
                case ALL_REDUCE -> gatherReduce();
                case ALL_GATHER, ALL_GATHERV -> allGather();
                case REDUCE_SCATTER, REDUCE_SCATTERV -> reduceScatter();
                case REDUCE -> reduce();
                default -> broadcast();
            };
        }
        assert length >= 0 && length <= geometry.chunkBytes() : length;
    }

    /** Of the buffer that the stage is about: one rank's part, or the whole. */
    private long partBytes() {
        return switch (function) {
            case ALL_GATHERV -> work.partBytes(order.rank(mod(place - stage)));
            case REDUCE_SCATTERV -> work.partBytes(order.rank(mod(place - 1 - stage)));
            default -> work.bytes();
        };
    }

    private void allReduce(long loopOffset, long remaining) {
        long chunkBytes = Math.min(geometry.chunkBytes(),
                RingGeometry.share(remaining, nRanks));
        int chunk = stage < nRanks ? mod(place - 1 - stage) : mod(place - (stage - nRanks + 1));
        long size = clip(remaining - chunk * chunkBytes, chunkBytes);
        long sliceBytes = sliceBytes(chunkBytes);
        length = clip(size - slice * sliceBytes, sliceBytes);
        from = length == 0 ? 0 : offset + loopOffset + chunk * chunkBytes + slice * sliceBytes;
        to = from;
        if (stage == 0) {
            move = Move.SEND;
        } else if (stage < nRanks - 1) {
            move = Move.RECV_REDUCE_SEND;
        } else if (stage == nRanks - 1) {
            move = Move.RECV_REDUCE_COPY_SEND;
        } else {
            move = stage < stages - 1 ? Move.RECV_COPY_SEND : Move.RECV;
        }
    }

    private Move gatherReduce() {
        if (stage == 0) {
            return Move.SEND;
        }
        if (stage < stages - 1) {
            return Move.RECV_KEEP_SEND;
        }
        return nRanks == 2 ? Move.RECV_REDUCE_COPY : Move.RECV_KEEP_REDUCE;
    }

    private Move allGather() {
        to = length == 0 ? 0 : work.partOffset(order.rank(mod(place - stage))) + to;
        from = length == 0 ? 0 : from + own;
        if (stage == 0) {
            return isInPlace ? Move.SEND : Move.COPY_SEND;
        }
        return stage < stages - 1 ? Move.RECV_COPY_SEND : Move.RECV;
    }

    private Move reduceScatter() {
        from = length == 0 ? 0 : work.partOffset(order.rank(mod(place - 1 - stage))) + from;
        to = length == 0 ? 0 : to + own;
        if (stage == 0) {
            return Move.SEND;
        }
        return stage < stages - 1 ? Move.RECV_REDUCE_SEND : Move.RECV_REDUCE_COPY;
    }

    private Move broadcast() {
        if (rank == root) {
            return isInPlace ? Move.SEND : Move.COPY_SEND;
        }
        return order.next(rank) == root ? Move.RECV : Move.RECV_COPY_SEND;
    }

    /** Along the ring from the root's successor to the root. */
    private Move reduce() {
        if (rank == root) {
            return Move.RECV_REDUCE_COPY;
        }
        return order.prev(rank) == root ? Move.SEND : Move.RECV_REDUCE_SEND;
    }

    private long sliceBytes(long chunkBytes) {
        return RingGeometry.share(chunkBytes, geometry.chunkSteps() / geometry.sliceSteps());
    }

    private int mod(int position) {
        return Math.floorMod(position, nRanks);
    }

    private static long clip(long available, long wanted) {
        return Math.max(0, Math.min(available, wanted));
    }
}
