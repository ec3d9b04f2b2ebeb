/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.reduction.Reduction;
import java.lang.foreign.MemorySegment;

/**
 * NCCL's device primitives: move one slice between user memory and the slots of a connection. None of them waits:
 * {@link #isReceived} and {@link #hasCredit} are asked before. Confined to the thread that runs the stream.
 */
abstract class Primitives {
    /** In place of what a kernel waits for. */
    static final String MOVES = "moves";
    private static final long NONE = -1;

    final DeviceConnection recv;
    final DeviceConnection send;
    final MemorySegment recvSlots;
    final MemorySegment sendSlots;
    final boolean isRecvDirect;
    final boolean isSendDirect;
    private final Protocol protocol;
    private final boolean hasTail;
    private final int sendMode;
    /** Slots, as bits, of which the receiver was told last that the data are elsewhere. */
    private int slotsElsewhere;
    private int sliceSteps;
    private long headSeen = -DeviceConnection.STEPS;
    private long tailSeen;
    private int stamp;
    /** The operation's first step each way; NONE where it has been said, or heard. */
    private long firstSend = NONE;
    private long firstRecv = NONE;

    /** Either connection may be null, if no data flow that way. */
    Primitives(Protocol protocol, DeviceConnection recv, DeviceConnection send) {
        this.protocol = protocol;
        this.recv = recv;
        this.send = send;
        this.recvSlots = recv == null ? null : recv.buffer(protocol);
        this.sendSlots = send == null ? null : send.buffer(protocol);
        this.isRecvDirect = recv != null && recv.isDirect(protocol);
        this.isSendDirect = send != null && send.isDirect(protocol);
        this.hasTail = protocol == Protocol.SIMPLE || protocol == Protocol.LL128 && !isSendDirect;
        this.sendMode = send != null && send.isShared() && protocol == Protocol.SIMPLE ? RecvMem.MODE_OFFSET
                : RecvMem.MODE_NORMAL;
    }

    /** Bytes of the user that a step carries. */
    abstract long dataBytes();

    /** Bytes that a step with so much of the user's takes. */
    abstract long wireBytes(long dataBytes);

    abstract void send(MemorySegment from, long offset, long bytes);

    abstract void recv(MemorySegment to, long offset, long bytes);

    abstract void recvCopySend(MemorySegment to, long offset, long bytes);

    abstract void recvReduceSend(Reduction reduction, MemorySegment from, long offset, long count, long bytes);

    abstract void recvReduceCopy(Reduction reduction, MemorySegment from, MemorySegment to, long fromOffset,
            long toOffset, long count);

    /** As {@link #recvReduceCopy}, but not the last reduction of several. */
    abstract void recvReduce(Reduction reduction, MemorySegment from, long fromOffset, MemorySegment to, long toOffset,
            long count);

    /** Whether a slot that is sent has the data as they are, and keeps them until it is used again. */
    abstract boolean keepsData();

    abstract void recvReduceCopySend(Reduction reduction, MemorySegment from, MemorySegment to, long offset,
            long count, long bytes);

    final void copySend(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes) {
        send(from, fromOffset, bytes);
        MemorySegment.copy(from, fromOffset, to, toOffset, bytes);
    }

    /** Whose steps come next: what {@link OpWord#stamp} says, or 0; before {@link #start}. */
    void stamp(int operation) {
        this.stamp = operation;
    }

    /**
     * Rounds the step counters up, as the proxy rounds base, and gives the credits back that rounding skips. Only those
     * of connections that the op uses: where the proxy gets no op, it rounds nothing, and the two must count alike.
     */
    void start(int sliceSteps, int chunkSteps, boolean usesRecv, boolean usesSend) {
        assert Integer.bitCount(chunkSteps) == 1 && chunkSteps % sliceSteps == 0 : chunkSteps;
        this.sliceSteps = sliceSteps;
        if (usesSend) {
            send.step(roundUp(send.step(), chunkSteps));
            firstSend = send.step();
        }
        if (usesRecv) {
            skip(roundUp(recv.step(), chunkSteps));
            firstRecv = recv.step();
        }
    }

    private void skip(long toStep) {
        if (!isRecvDirect || toStep != recv.step()) {
            recv.step(toStep);
            recv.sendMem().head(toStep);
        }
    }

    /** Whether the next slice is here. The proxy, or a direct sender, publishes tail. */
    boolean isReceived(long bytes) {
        long needed = recv.step() + sliceSteps;
        if (tailSeen < needed) {
            tailSeen = recv.recvMem().tail();
        }
        if (tailSeen < needed) {
            return false;
        }
        if (firstRecv == recv.step()) {
            hear();
        }
        return true;
    }

    /** Compares the first step's stamp with this rank's. A network may carry none. */
    private void hear() {
        int said = recv.recvMem().stamp(slot(recv));
        if (said != 0 && stamp != 0 && said != OpWord.atStep(stamp, firstRecv)) {
            throw disagreement();
        }
        firstRecv = NONE;
    }

    /** The sender's operation is another than this rank's. */
    final ProxyException disagreement() {
        return new ProxyException(ProxyResult.INVALID_USAGE, "the ranks disagree: step " + recv.step()
                + " of a connection is part of another operation than this rank's");
    }

    /** Before the size, if there is one, and tail. */
    private void say() {
        if (firstSend == send.step()) {
            send.recvMem().stamp(slot(send), OpWord.atStep(stamp, firstSend));
            firstSend = NONE;
        }
    }

    /** As {@link #isReceived}, but for any thread: changes nothing. */
    boolean isHere(long bytes) {
        return recv.recvMem().tail() >= recv.step() + sliceSteps;
    }

    /** Why the next slice, which is not here, will never come; null if it may. */
    final ProxyException whyNoSteps() {
        return recv.whyNoSteps(protocol);
    }

    /** What a kernel waits for that receives, or sends, or both in one; any thread. */
    final String awaited(boolean isRecv, boolean isSend, long bytes) {
        if (isRecv && !isHere(bytes)) {
            return "waits for step " + (recv.step() + sliceSteps) + " from " + recv.peerName();
        }
        return isSend && send.sendMem().head() + DeviceConnection.STEPS < send.step() + sliceSteps
                ? "waits for credit for step " + (send.step() + sliceSteps) + " from " + send.peerName() : MOVES;
    }

    final boolean hasCredit() {
        long needed = send.step() + sliceSteps;
        if (headSeen + DeviceConnection.STEPS < needed) {
            headSeen = send.sendMem().head();
        }
        return headSeen + DeviceConnection.STEPS >= needed;
    }

    final long recvSlot() {
        return recv.slotOffset(protocol, recv.step());
    }

    final long sendSlot() {
        return send.slotOffset(protocol, send.step());
    }

    /** The data lie in the slot; size and mode go before tail, which a proxy reads first. */
    final void postSend(long wireBytes) {
        if (isSendDirect) {
            if (slotsElsewhere != 0) {
                directMode(slot(send), RecvMem.MODE_NORMAL);
            }
            if (hasTail) {
                say();
            }
            advanceSend();
            return;
        }
        int slot = slot(send);
        send.recvMem().mode(slot, sendMode);
        postSend(slot, wireBytes);
    }

    final void postSend(int slot, long wireBytes) {
        say();
        send.recvMem().size(slot, wireBytes);
        advanceSend();
    }

    /** The data stay in memory that the receiver's kernels reach, too. */
    final void postElsewhere(long handle, long offset) {
        int slot = slot(send);
        directMode(slot, RecvMem.MODE_PTR);
        send.recvMem().directPlace(slot, handle, offset);
        say();
        advanceSend();
    }

    /** What a slot has already is not said again: the receiver would miss its cache for it. */
    private void directMode(int slot, int mode) {
        int bit = 1 << slot;
        if (mode == RecvMem.MODE_PTR != ((slotsElsewhere & bit) != 0)) {
            slotsElsewhere ^= bit;
            send.recvMem().directMode(slot, mode);
        }
    }

    private void advanceSend() {
        long next = send.step() + sliceSteps;
        assert next <= headSeen + DeviceConnection.STEPS : next;
        send.step(next);
        if (hasTail) {
            send.recvMem().tail(next);
        }
    }

    final void postRecv() {
        // Lines of a direct connection are seen by their flags; all else comes by tail.
        assert isRecvDirect && protocol != Protocol.SIMPLE || recv.step() + sliceSteps <= tailSeen : recv.step();
        recv.step(recv.step() + sliceSteps);
        recv.sendMem().head(recv.step());
    }

    static int slot(DeviceConnection connection) {
        return (int) (connection.step() % DeviceConnection.STEPS);
    }

    /** To a power of two. */
    private static long roundUp(long step, int multiple) {
        return (step + multiple - 1) & -multiple;
    }
}
