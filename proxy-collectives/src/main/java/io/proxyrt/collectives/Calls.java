/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.OpWord;
import io.proxyrt.collectives.kernel.PartTable;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ReduceOp;
import java.lang.foreign.MemorySegment;

/** Checks what a user asks for and notes it, to be launched: by {@link Launches#launch}. */
final class Calls implements Collectives {
    private final int rank;
    private final int nRanks;
    private final SingleUser user;
    private final ArgumentCheck check;
    private final CallGroup group;
    private final PartTable parts;
    private final LaunchPlanner planner;

    Calls(CommunicatorParts parts, LaunchPlanner planner, ArgumentCheck check, CallGroup group) {
        this.rank = parts.setup.rank();
        this.nRanks = parts.setup.nRanks();
        this.user = parts.user;
        this.check = check;
        this.group = group;
        this.parts = new PartTable(nRanks);
        this.planner = planner;
    }

    @Override
    public void allReduce(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type, ReduceOp op) {
        user.requireInside();
        long bytes = check.bytes(count, type);
        check.op(op, type);
        check.input("sendBuffer", sendBuffer, bytes);
        check.output("recvBuffer", recvBuffer, bytes);
        check.inPlaceOrApart(sendBuffer, 0, recvBuffer, 0, bytes, bytes);
        collective(CollFunction.ALL_REDUCE, sendBuffer, recvBuffer, bytes, type, op, 0);
    }

    @Override
    public void reduce(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type, ReduceOp op,
            int root) {
        user.requireInside();
        long bytes = check.bytes(count, type);
        check.op(op, type);
        check.rank("root", root);
        check.input("sendBuffer", sendBuffer, bytes);
        if (rank == root) {
            check.output("recvBuffer", recvBuffer, bytes);
            check.inPlaceOrApart(sendBuffer, 0, recvBuffer, 0, bytes, bytes);
        }
        collective(CollFunction.REDUCE, sendBuffer, rank == root ? recvBuffer : sendBuffer, bytes, type, op, root);
    }

    @Override
    public void broadcast(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type, int root) {
        user.requireInside();
        long bytes = check.bytes(count, type);
        check.rank("root", root);
        check.output("recvBuffer", recvBuffer, bytes);
        if (rank == root) {
            check.input("sendBuffer", sendBuffer, bytes);
            check.inPlaceOrApart(sendBuffer, 0, recvBuffer, 0, bytes, bytes);
        }
        collective(CollFunction.BROADCAST, rank == root ? sendBuffer : recvBuffer, recvBuffer, bytes, type, null,
                root);
    }

    @Override
    public void allGather(MemorySegment sendBuffer, MemorySegment recvBuffer, long sendCount, DataType type) {
        user.requireInside();
        long bytes = check.bytes(sendCount, type);
        long all = check.ofAllRanks(bytes);
        check.input("sendBuffer", sendBuffer, bytes);
        check.output("recvBuffer", recvBuffer, all);
        check.inPlaceOrApart(sendBuffer, 0, recvBuffer, rank * bytes, bytes, all);
        collective(CollFunction.ALL_GATHER, sendBuffer, recvBuffer, bytes, type, null, 0);
    }

    @Override
    public void allGatherv(MemorySegment sendBuffer, MemorySegment recvBuffer, long[] counts, long[] displacements,
            DataType type) {
        user.requireInside();
        check.parts("recvBuffer", counts, displacements, type, false);
        parts.set(counts, displacements, type.sizeBytes());
        check.input("sendBuffer", sendBuffer, parts.bytes(rank));
        check.output("recvBuffer", recvBuffer, parts.endBytes());
        check.inPlaceOrApart(sendBuffer, 0, recvBuffer, parts.offset(rank), parts.bytes(rank), parts.endBytes());
        uneven(CollFunction.ALL_GATHERV, sendBuffer, recvBuffer, type, null);
    }

    @Override
    public void reduceScatter(MemorySegment sendBuffer, MemorySegment recvBuffer, long recvCount, DataType type,
            ReduceOp op) {
        user.requireInside();
        long bytes = check.bytes(recvCount, type);
        long all = check.ofAllRanks(bytes);
        check.op(op, type);
        check.input("sendBuffer", sendBuffer, all);
        check.output("recvBuffer", recvBuffer, bytes);
        check.inPlaceOrApart(sendBuffer, rank * bytes, recvBuffer, 0, all, bytes);
        collective(CollFunction.REDUCE_SCATTER, sendBuffer, recvBuffer, bytes, type, op, 0);
    }

    @Override
    public void reduceScatterv(MemorySegment sendBuffer, MemorySegment recvBuffer, long[] counts, long[] displacements,
            DataType type, ReduceOp op) {
        user.requireInside();
        check.parts("sendBuffer", counts, displacements, type, false);
        check.op(op, type);
        parts.set(counts, displacements, type.sizeBytes());
        check.input("sendBuffer", sendBuffer, parts.endBytes());
        check.output("recvBuffer", recvBuffer, parts.bytes(rank));
        check.inPlaceOrApart(sendBuffer, parts.offset(rank), recvBuffer, 0, parts.endBytes(), parts.bytes(rank));
        uneven(CollFunction.REDUCE_SCATTERV, sendBuffer, recvBuffer, type, op);
    }

    @Override
    public void allToAll(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type) {
        user.requireInside();
        long bytes = check.bytes(count, type);
        long all = check.ofAllRanks(bytes);
        check.input("sendBuffer", sendBuffer, all);
        check.output("recvBuffer", recvBuffer, all);
        check.inPlaceOrApart(sendBuffer, 0, recvBuffer, 0, all, all);
        boolean isInPlace = ArgumentCheck.isSame(sendBuffer, recvBuffer);
        if (planner.file(CollFunction.ALL_TO_ALL, bytes, type, null, isInPlace) > 0) {
            collective(CollFunction.ALL_TO_ALL, sendBuffer, recvBuffer, bytes, type, null, 0);
            return;
        }
        int stamp = note(CollFunction.ALL_TO_ALL, type, 0, bytes);
        for (int distance = isInPlace ? 1 : 0; bytes > 0 && distance < nRanks; distance++) {
            int to = (rank + distance) % nRanks;
            int from = Math.floorMod(rank - distance, nRanks);
            Message out = message(to, true, sendBuffer, to * bytes, bytes, stamp);
            if (isInPlace) {
                group.copied().add(out);
            }
            message(from, false, recvBuffer, from * bytes, bytes, stamp);
        }
    }

    @Override
    public void allToAllv(MemorySegment sendBuffer, long[] sendCounts, long[] sendDisplacements,
            MemorySegment recvBuffer, long[] recvCounts, long[] recvDisplacements, DataType type) {
        user.requireInside();
        check.parts("sendBuffer", sendCounts, sendDisplacements, type, true);
        check.parts("recvBuffer", recvCounts, recvDisplacements, type, false);
        check.ownPart(sendCounts[rank], recvCounts[rank]);
        long sent = parts.set(sendCounts, sendDisplacements, type.sizeBytes()).endBytes();
        check.input("sendBuffer", sendBuffer, sent);
        long received = parts.set(recvCounts, recvDisplacements, type.sizeBytes()).endBytes();
        check.output("recvBuffer", recvBuffer, received);
        check.inPlaceOrApart(sendBuffer, 0, recvBuffer, 0, sent, received);
        note(CollFunction.ALL_TO_ALLV, type, 0, 0);
        boolean isInPlace = ArgumentCheck.isSame(sendBuffer, recvBuffer);
        for (int distance = 0; distance < nRanks; distance++) {
            int to = (rank + distance) % nRanks;
            int from = Math.floorMod(rank - distance, nRanks);
            Message out = part(to, true, sendBuffer, sendCounts, sendDisplacements, type.sizeBytes());
            if (isInPlace && out.isMoved) {
                group.copied().add(out);
            }
            part(from, false, recvBuffer, recvCounts, recvDisplacements, type.sizeBytes());
        }
    }

    /** Its size is known to both ends, and compared by them. */
    private Message part(int peer, boolean isSend, MemorySegment buffer, long[] counts, long[] displacements,
            int elementBytes) {
        long bytes = counts[peer] * elementBytes;
        Message message = message(peer, isSend, buffer, displacements[peer] * elementBytes, bytes,
                OpWord.stamp(OpWord.MESSAGE, bytes));
        message.isMoved = bytes > 0;
        message.isCompared = true;
        return message;
    }

    @Override
    public void gather(MemorySegment sendBuffer, MemorySegment recvBuffer, long sendCount, DataType type, int root) {
        user.requireInside();
        long bytes = check.bytes(sendCount, type);
        check.rank("root", root);
        check.input("sendBuffer", sendBuffer, bytes);
        if (rank == root) {
            long all = check.ofAllRanks(bytes);
            check.output("recvBuffer", recvBuffer, all);
            check.inPlaceOrApart(sendBuffer, 0, recvBuffer, rank * bytes, bytes, all);
        }
        rooted(CollFunction.GATHER, sendBuffer, recvBuffer, bytes, type, root);
    }

    @Override
    public void scatter(MemorySegment sendBuffer, MemorySegment recvBuffer, long recvCount, DataType type, int root) {
        user.requireInside();
        long bytes = check.bytes(recvCount, type);
        check.rank("root", root);
        check.output("recvBuffer", recvBuffer, bytes);
        if (rank == root) {
            long all = check.ofAllRanks(bytes);
            check.input("sendBuffer", sendBuffer, all);
            check.inPlaceOrApart(sendBuffer, rank * bytes, recvBuffer, 0, all, bytes);
        }
        rooted(CollFunction.SCATTER, recvBuffer, sendBuffer, bytes, type, root);
    }

    /** Between each rank's part and the root's buffer of all parts; what lies where it belongs is not moved. */
    private void rooted(CollFunction function, MemorySegment part, MemorySegment all, long bytes, DataType type,
            int root) {
        int stamp = note(function, type, root, bytes);
        if (bytes == 0) {
            return;
        }
        boolean isGather = function == CollFunction.GATHER;
        boolean isInPlace = rank == root && ArgumentCheck.isSame(part, 0, all, rank * bytes);
        if (!isInPlace) {
            message(root, isGather, part, 0, bytes, stamp);
        }
        for (int distance = isInPlace ? 1 : 0; rank == root && distance < nRanks; distance++) {
            int peer = (rank + distance) % nRanks;
            message(peer, !isGather, all, peer * bytes, bytes, stamp);
        }
    }

    @Override
    public void sendRecv(MemorySegment sendBuffer, int sendPeer, MemorySegment recvBuffer, int recvPeer) {
        user.requireInside();
        check.rank("sendPeer", sendPeer);
        check.rank("recvPeer", recvPeer);
        check.input("sendBuffer", sendBuffer);
        check.output("recvBuffer", recvBuffer);
        check.apart(sendBuffer, recvBuffer);
        message(sendPeer, true, sendBuffer);
        message(recvPeer, false, recvBuffer);
    }

    @Override
    public void send(MemorySegment buffer, int peer) {
        user.requireInside();
        check.rank("peer", peer);
        check.input("buffer", buffer);
        message(peer, true, buffer);
    }

    @Override
    public void recv(MemorySegment buffer, int peer) {
        user.requireInside();
        check.rank("peer", peer);
        check.output("buffer", buffer);
        message(peer, false, buffer);
    }

    private void collective(CollFunction function, MemorySegment sendBuffer, MemorySegment recvBuffer, long bytes,
            DataType type, ReduceOp op, int root) {
        int file = planner.file(function, bytes, type, op, isInPlace(function, sendBuffer, recvBuffer, bytes));
        group.note(OpWord.word(function, type, op, file > 0 ? file : root), bytes);
        if (bytes > 0) {
            group.collective().function(function, type, op, root).file(file).buffers(sendBuffer, recvBuffer, bytes);
        }
    }

    private boolean isInPlace(CollFunction function, MemorySegment sendBuffer, MemorySegment recvBuffer, long bytes) {
        return switch (function) {
            case ALL_GATHER -> ArgumentCheck.isSame(sendBuffer, 0, recvBuffer, rank * bytes);
            case REDUCE_SCATTER -> ArgumentCheck.isSame(sendBuffer, rank * bytes, recvBuffer, 0);
            default -> ArgumentCheck.isSame(sendBuffer, recvBuffer);
        };
    }

    private void uneven(CollFunction function, MemorySegment sendBuffer, MemorySegment recvBuffer, DataType type,
            ReduceOp op) {
        group.note(parts.word() | OpWord.word(function, type, op, 0), parts.mostBytes());
        if (parts.mostBytes() > 0) {
            group.collective().function(function, type, op, 0).buffers(sendBuffer, recvBuffer, parts);
        }
    }

    /** Of a collective that consists of messages. Returns what tells them from others. */
    private int note(CollFunction function, DataType type, int root, long bytes) {
        long word = OpWord.word(function, type, null, root);
        group.note(word, bytes);
        return OpWord.stamp(word, bytes);
    }

    private Message message(int peer, boolean isSend, MemorySegment buffer, long offset, long bytes, int stamp) {
        Message message = group.message(peer, isSend, true);
        message.part.of(buffer, offset, bytes, stamp);
        return message;
    }

    private void message(int peer, boolean isSend, MemorySegment buffer) {
        Message message = group.message(peer, isSend, false);
        message.part.of(buffer);
        message.isCompared = true;
    }
}
