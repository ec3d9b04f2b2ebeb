/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import java.lang.foreign.MemorySegment;

/**
 * One channel's part of a ring collective: what a thread block does on a GPU. Walks over loops, stages and slices, a
 * slice a call. The launching thread sets it up, the stream's thread runs it; the stream's queue hands it over.
 */
final class RingBlock {
    private final int rank;
    private final int nRanks;
    private final Primitives primitives;
    private final long stepBytes;
    private final RingGeometry geometry = new RingGeometry();
    private final Reductions reductions;

    private CollFunction function;
    private MemorySegment sendBuffer;
    private MemorySegment recvBuffer;
    private DataType type;
    private Reduction reduction;
    private int root;
    private long offset;
    private long bytes;
    private long strideBytes;
    private boolean isInPlace;

    private boolean isStarted;
    private int stages;
    private int loop;
    private int stage;
    private int slice;

    RingBlock(int rank, int nRanks, long stepBytes, Primitives primitives, Reductions reductions) {
        this.rank = rank;
        this.nRanks = nRanks;
        this.stepBytes = stepBytes;
        this.primitives = primitives;
        this.reductions = reductions;
    }

    /**
     * Sets the block up for a launch.
     *
     * @param offset of this channel's part, in each rank's part or in the whole buffer
     * @param bytes  of this channel's part; 0: nothing to do
     */
    void prepare(CollectiveWork work, long offset, long bytes) {
        this.function = work.function();
        this.sendBuffer = work.sendBuffer();
        this.recvBuffer = work.recvBuffer();
        this.type = work.type();
        this.reduction = work.op() == null ? null : reductions.get(work.type(), work.op());
        this.root = work.root();
        this.offset = offset;
        this.bytes = bytes;
        this.strideBytes = work.bytes();
        this.isInPlace = work.isInPlace(rank);
        isStarted = false;
        loop = 0;
        stage = 0;
        slice = 0;
        stages = stages();
        if (bytes > 0 && nRanks > 1) {
            geometry.compute(function, nRanks, bytes, stepBytes);
        }
    }

    RingGeometry geometry() {
        return geometry;
    }

    boolean isDone() {
        return bytes == 0;
    }

    int doWork() {
        if (bytes == 0) {
            return 0;
        }
        if (nRanks == 1) {
            MemorySegment.copy(sendBuffer, offset, recvBuffer, offset, bytes);
            bytes = 0;
            return 1;
        }
        if (!isStarted) {
            isStarted = true;
            boolean isBroadcast = function == CollFunction.BROADCAST;
            primitives.start(geometry.sliceSteps(), geometry.chunkSteps(), !isBroadcast || needsRecv(),
                    !isBroadcast || needsSend());
        }
        if (!primitives.isReady(needsRecv(), needsSend())) {
            return 0;
        }
        runSlice();
        advance();
        return 1;
    }

    /** Forgets the user's memory. */
    void retire() {
        bytes = 0;
        sendBuffer = null;
        recvBuffer = null;
    }

    private int stages() {
        return switch (function) {
            case ALL_REDUCE -> 2 * nRanks - 1;
            case ALL_GATHER, REDUCE_SCATTER -> nRanks;
            default -> 1;
        };
    }

    private boolean needsRecv() {
        return function == CollFunction.BROADCAST ? rank != root : stage > 0;
    }

    private boolean needsSend() {
        return switch (function) {
            case BROADCAST -> (rank + 1) % nRanks != root;
            default -> stage < stages - 1;
        };
    }

    private void runSlice() {
        long loopOffset = loop * geometry.chunkBytes() * (function == CollFunction.ALL_REDUCE ? nRanks : 1);
        long remaining = bytes - loopOffset;
        switch (function) {
            case ALL_REDUCE -> allReduce(loopOffset, remaining);
            case ALL_GATHER -> allGather(loopOffset, Math.min(remaining, geometry.chunkBytes()));
            case REDUCE_SCATTER -> reduceScatter(loopOffset, Math.min(remaining, geometry.chunkBytes()));
            default -> broadcast(loopOffset, Math.min(remaining, geometry.chunkBytes()));
        }
    }

    private void allReduce(long loopOffset, long remaining) {
        long chunkBytes = Math.min(geometry.chunkBytes(),
                RingGeometry.alignUp(RingGeometry.ceilDiv(remaining, nRanks)));
        int chunk = stage < nRanks ? mod(rank - 1 - stage) : mod(rank - (stage - nRanks + 1));
        long size = clip(remaining - chunk * chunkBytes, chunkBytes);
        long sliceBytes = sliceBytes(chunkBytes);
        long at = offset + loopOffset + chunk * chunkBytes + slice * sliceBytes;
        long n = clip(size - slice * sliceBytes, sliceBytes);
        if (stage == 0) {
            primitives.send(sendBuffer, n == 0 ? 0 : at, n);
        } else if (stage < nRanks - 1) {
            primitives.recvReduceSend(reduction, sendBuffer, n == 0 ? 0 : at, count(n), n);
        } else if (stage == nRanks - 1) {
            primitives.recvReduceCopySend(reduction, sendBuffer, recvBuffer, n == 0 ? 0 : at, count(n), n);
        } else if (stage < stages - 1) {
            primitives.recvCopySend(recvBuffer, n == 0 ? 0 : at, n);
        } else {
            primitives.recv(recvBuffer, n == 0 ? 0 : at, n);
        }
    }

    private void allGather(long loopOffset, long size) {
        long sliceBytes = sliceBytes(size);
        long at = offset + loopOffset + slice * sliceBytes;
        long n = clip(size - slice * sliceBytes, sliceBytes);
        long own = n == 0 ? 0 : at;
        long to = n == 0 ? 0 : mod(rank - stage) * strideBytes + at;
        if (stage > 0 && stage < stages - 1) {
            primitives.recvCopySend(recvBuffer, to, n);
        } else if (stage > 0) {
            primitives.recv(recvBuffer, to, n);
        } else if (isInPlace) {
            primitives.send(sendBuffer, own, n);
        } else {
            primitives.copySend(sendBuffer, own, recvBuffer, to, n);
        }
    }

    private void reduceScatter(long loopOffset, long size) {
        long sliceBytes = sliceBytes(size);
        long at = offset + loopOffset + slice * sliceBytes;
        long n = clip(size - slice * sliceBytes, sliceBytes);
        long from = n == 0 ? 0 : mod(rank - 1 - stage) * strideBytes + at;
        if (stage == 0) {
            primitives.send(sendBuffer, from, n);
        } else if (stage < stages - 1) {
            primitives.recvReduceSend(reduction, sendBuffer, from, count(n), n);
        } else {
            primitives.recvReduceCopy(reduction, sendBuffer, from, recvBuffer, n == 0 ? 0 : at, count(n));
        }
    }

    private void broadcast(long loopOffset, long size) {
        long sliceBytes = sliceBytes(size);
        long n = clip(size - slice * sliceBytes, sliceBytes);
        long at = n == 0 ? 0 : offset + loopOffset + slice * sliceBytes;
        if (rank != root) {
            if (needsSend()) {
                primitives.recvCopySend(recvBuffer, at, n);
            } else {
                primitives.recv(recvBuffer, at, n);
            }
        } else if (isInPlace) {
            primitives.send(sendBuffer, at, n);
        } else {
            primitives.copySend(sendBuffer, at, recvBuffer, at, n);
        }
    }

    private void advance() {
        if (++slice < geometry.chunkSteps() / geometry.sliceSteps()) {
            return;
        }
        slice = 0;
        if (++stage < stages) {
            return;
        }
        stage = 0;
        if (++loop == geometry.nLoops()) {
            bytes = 0;
        }
    }

    private long sliceBytes(long chunkBytes) {
        return RingGeometry.alignUp(
                RingGeometry.ceilDiv(chunkBytes, geometry.chunkSteps() / geometry.sliceSteps()));
    }

    private long count(long n) {
        return n / type.sizeBytes();
    }

    private int mod(int position) {
        return Math.floorMod(position, nRanks);
    }

    private static long clip(long available, long wanted) {
        return Math.max(0, Math.min(available, wanted));
    }
}
