/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.reduction.Reduction;
import io.proxyrt.core.reduction.Reductions;
import java.lang.foreign.MemorySegment;

/**
 * One channel's part of a ring collective: what a thread block does on a GPU. Takes the walk, a slice a call. The
 * launching thread sets it up, the stream's thread runs it; the stream's queue hands it over.
 */
final class RingBlock implements Block {
    private final int nRanks;
    private final RingChannel channel;
    private final RingGeometry geometry = new RingGeometry();
    private final RingWalk walk;
    private final RingWalk ahead;

    private CollFunction function;
    private boolean isGathered;
    private boolean isRecvInPlace;
    private boolean isSendInPlace;
    private UserPlaces places;
    private MemorySegment sendBuffer;
    private MemorySegment recvBuffer;
    private DataType type;
    private ReduceOp op;
    private Reduction reduction;
    /** Of inputs that were multiplied before they came in. */
    private Reduction keptReduction;
    private Primitives primitives;
    private long offset;
    private long bytes;
    /** Where the only rank's part begins in either buffer. */
    private long aloneFrom;
    private long aloneTo;
    private int stamp;
    private boolean isStarted;

    RingBlock(RingOrder order, int rank, RingChannel channel) {
        this.nRanks = order.nRanks();
        this.channel = channel;
        this.walk = new RingWalk(order, rank, geometry);
        this.ahead = new RingWalk(order, rank, geometry);
    }

    /**
     * Sets the block up for a launch.
     *
     * @param offset of this channel's part, in each rank's part or in the whole buffer
     * @param bytes  of this channel's part; 0: nothing to do
     */
    void prepare(CollectiveWork work, long offset, long bytes) {
        this.function = work.function();
        this.isGathered = work.isGathered();
        this.isRecvInPlace = work.isRecvInPlace();
        this.isSendInPlace = work.isSendInPlace();
        this.places = work.places();
        this.sendBuffer = work.sendBuffer();
        this.recvBuffer = work.recvBuffer();
        this.type = work.type();
        this.op = work.op();
        this.reduction = op == null ? null : channel.reductions().get(type, op);
        this.keptReduction = op == null ? null : channel.reductions().get(type, Reductions.scaled(op));
        this.offset = offset;
        this.bytes = bytes;
        this.aloneFrom = function == CollFunction.REDUCE_SCATTERV ? work.partOffset(0) : 0;
        this.aloneTo = function == CollFunction.ALL_GATHERV ? work.partOffset(0) : 0;
        isStarted = false;
        if (bytes > 0 && nRanks > 1) {
            stamp = work.stamp();
            primitives = channel.primitives(work.protocol());
            if (isGathered) {
                geometry.computeGathered(nRanks, bytes, primitives.dataBytes());
            } else {
                geometry.compute(function, nRanks, bytes, primitives.dataBytes(),
                        work.protocol() == Protocol.SIMPLE ? RingGeometry.MAX_CHUNK_STEPS : 1, work.wholeChunk());
            }
            walk.begin(work, offset, bytes);
            ahead.begin(work, offset, bytes);
        }
    }

    RingGeometry geometry() {
        return geometry;
    }

    @Override
    public boolean isDone() {
        return bytes == 0;
    }

    @Override
    public int doWork() {
        if (bytes == 0) {
            return 0;
        }
        if (!isStarted) {
            start();
        }
        if (nRanks == 1) {
            copyOwn(aloneFrom + offset, recvBuffer, aloneTo + offset, bytes);
            bytes = 0;
            return 1;
        }
        if (isRecvInPlace) {
            placeReceives();
        }
        RingWalk.Move move = walk.move();
        if (move == null) {
            return finish();
        }
        if (move.isRecv && !primitives.isReceived(walk.length()) || move.isSend && !primitives.hasCredit()) {
            return 0;
        }
        run(move, walk.from(), walk.to(), walk.length());
        walk.advance();
        return 1 + (walk.move() == null ? finish() : 0);
    }

    @Override
    public ProxyException whyHopeless() {
        if (bytes == 0 || nRanks == 1 || !isStarted) {
            return null;
        }
        RingWalk.Move move = walk.move();
        if (move == null) {
            return primitives.send.whyNoCredit();
        }
        ProxyException why = move.isRecv && !primitives.isReceived(walk.length()) ? primitives.whyNoSteps() : null;
        return why == null && move.isSend && !primitives.hasCredit() ? primitives.send.whyNoCredit() : why;
    }

    /** A kernel's last step included. */
    @Override
    public String awaited() {
        if (bytes == 0) {
            return "";
        }
        RingWalk.Move move = walk.move();
        if (nRanks == 1 || !isStarted) {
            return "has not begun";
        }
        return move == null ? "waits until " + primitives.send.peerName() + " has read what was sent"
                : primitives.awaited(move.isRecv, move.isSend, walk.length());
    }

    @Override
    public void retire() {
        bytes = 0;
        sendBuffer = null;
        recvBuffer = null;
    }

    private void start() {
        isStarted = true;
        if (reduction != null) {
            reduction.begin(op);
        }
        if (nRanks > 1) {
            startSteps();
        }
    }

    private void startSteps() {
        if (isGathered) {
            channel.keep(geometry.chunkBytes());
        }
        boolean isPipeline = function == CollFunction.BROADCAST || function == CollFunction.REDUCE;
        channel.simple().inPlace(isRecvInPlace, isSendInPlace, places);
        primitives.stamp(stamp);
        primitives.start(geometry.sliceSteps(), geometry.chunkSteps(), !isPipeline || walk.move().isRecv,
                !isPipeline || walk.move().isSend);
    }

    /** Tells the proxy where the data of the next steps go, before it posts their receives. */
    private void placeReceives() {
        SimplePrimitives simple = channel.simple();
        for (RingWalk.Move move = ahead.move(); move != null && (!move.isRecv || simple.canPlaceRecv());
                move = ahead.move()) {
            if (move.isRecv) {
                simple.placeRecv(move.isPlainRecv(), ahead.to(), ahead.length());
            }
            ahead.advance();
        }
    }

    /** The user's memory is the network's until the last send of it is complete. */
    private int finish() {
        if (isSendInPlace && !channel.simple().isSent()) {
            return 0;
        }
        bytes = 0;
        return 1;
    }

    private void run(RingWalk.Move move, long from, long to, long length) {
        switch (move) {
            case SEND -> sendOwn(from, length);
            case COPY_SEND -> primitives.copySend(sendBuffer, from, recvBuffer, to, length);
            case RECV -> primitives.recv(recvBuffer, to, length);
            case RECV_COPY_SEND -> primitives.recvCopySend(recvBuffer, to, length);
            case RECV_REDUCE_SEND -> primitives.recvReduceSend(reduction, sendBuffer, from, count(length), length);
            case RECV_REDUCE_COPY ->
                primitives.recvReduceCopy(reduction, sendBuffer, recvBuffer, from, to, count(length));
            case RECV_REDUCE_COPY_SEND ->
                primitives.recvReduceCopySend(reduction, sendBuffer, recvBuffer, to, count(length), length);
            case RECV_KEEP_SEND -> primitives.recvCopySend(channel.kept(), kept(walk.origin()), length);
            case RECV_KEEP_REDUCE -> {
                primitives.recv(channel.kept(), kept(walk.origin()), length);
                reduceKept(from, to, length);
            }
        }
    }

    private void sendOwn(long from, long length) {
        if (reduction == null || !reduction.isScaling()) {
            primitives.send(sendBuffer, from, length);
        } else {
            assert !isSendInPlace : "what is sent is not what lies there";
            MemorySegment scaled = channel.scaled(length);
            copyOwn(from, scaled, 0, length);
            primitives.send(scaled, 0, length);
        }
    }

    /** This rank's input, as it is to be reduced. */
    private void copyOwn(long from, MemorySegment to, long toOffset, long length) {
        if (reduction == null || !reduction.isScaling()) {
            MemorySegment.copy(sendBuffer, from, to, toOffset, length);
        } else {
            reduction.scale(sendBuffer, from, to, toOffset, count(length));
        }
    }

    private long kept(int origin) {
        return channel.keptOffset(origin);
    }

    /** In the order of places, so that all ranks get the same to the last bit. */
    private void reduceKept(long from, long to, long length) {
        MemorySegment kept = channel.kept();
        int own = walk.place();
        copyOwn(from, kept, kept(own), length);
        for (int origin = 1; origin < nRanks; origin++) {
            keptReduction.operands(kept, kept(0), kept, kept(origin))
                    .reduce(kept, kept(0), count(length), origin == nRanks - 1);
        }
        MemorySegment.copy(kept, kept(0), recvBuffer, to, length);
    }

    private long count(long length) {
        assert length % type.sizeBytes() == 0 : length;
        return length / type.sizeBytes();
    }
}
