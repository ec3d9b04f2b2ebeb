/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.PeerMemory;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.reduction.Reduction;
import java.lang.foreign.MemorySegment;

/**
 * The Simple protocol: plain data. With registered memory, what goes out or comes in as it is stays where the user has
 * it; the slot's entry in connFifo says where. Receives then have to be offered a place ahead of time, by
 * {@link #placeRecv}.
 */
final class SimplePrimitives extends Primitives {
    private final long stepBytes;
    private final PeerMemory peerMemory;
    private final SharedCopy shared;
    private UserPlaces places;
    private boolean isOffered;
    private boolean isRecvInPlace;
    private boolean isSendInPlace;
    private long placed;
    /** Where the data of the step that is being received are. */
    private MemorySegment from;
    private long fromOffset;

    SimplePrimitives(DeviceConnection recv, DeviceConnection send) {
        super(Protocol.SIMPLE, recv, send);
        this.stepBytes = (send == null ? recv : send).stepBytes(Protocol.SIMPLE);
        this.peerMemory = isRecvDirect ? recv.peerMemory() : null;
        this.shared = isSendDirect && send.peerMemory() != null ? new SharedCopy(send) : null;
    }

    /** Whether the next launch's memory is registered each way, and where it is. */
    void inPlace(boolean isRecvInPlace, boolean isSendInPlace, UserPlaces places) {
        this.isRecvInPlace = isRecvInPlace;
        this.isSendInPlace = isSendInPlace;
        this.places = places;
    }

    @Override
    void start(int sliceSteps, int chunkSteps, boolean usesRecv, boolean usesSend) {
        super.start(sliceSteps, chunkSteps, usesRecv, usesSend);
        if (usesRecv) {
            placed = recv.step();
        }
        isOffered = false;
        if (shared != null) {
            shared.start(0, 0);
        }
    }

    /** Copies a part of a message from registered memory, if the receiver offers a place for it; once begun. */
    void share(long offset, long bytes) {
        if (shared != null) {
            shared.start(offset, bytes);
        }
    }

    /** Offers the sender the place that the message goes to; once begun. */
    void offer(long handle, long offset, long bytes) {
        recv.sendMem().offer(recv.step(), handle, offset, bytes);
        isOffered = true;
    }

    /** Whether the next receive may be offered a place: its slot is free as soon as the step 8 before is consumed. */
    boolean canPlaceRecv() {
        return placed < recv.step() + DeviceConnection.STEPS;
    }

    /** Offers the next receive a place: in the receive buffer, or in the slot. */
    void placeRecv(boolean isInUserMemory, long offset, long bytes) {
        assert canPlaceRecv() : placed;
        int slot = (int) (placed++ % DeviceConnection.STEPS);
        if (isInUserMemory) {
            recv.recvMem().place(slot, RecvMem.MODE_PTR, RecvMem.IN_RECV_BUFFER, offset);
            recv.recvMem().size(slot, bytes);
        } else {
            recv.recvMem().mode(slot, RecvMem.MODE_NORMAL);
            recv.recvMem().size(slot, stepBytes);
        }
    }

    /**
     * Whether the network, or a direct receiver, is done with all that was sent, so that the user's memory may change.
     * The proxy completes steps in order, and empties a slot when it does; head would not tell on a shared connection.
     */
    boolean isSent() {
        if (isSendDirect) {
            return send.sendMem().head() >= send.step();
        }
        int last = (int) ((send.step() + DeviceConnection.STEPS - 1) % DeviceConnection.STEPS);
        return send.recvMem().size(last) == RecvMem.EMPTY;
    }

    @Override
    long dataBytes() {
        return stepBytes;
    }

    @Override
    long wireBytes(long dataBytes) {
        return dataBytes;
    }

    @Override
    void send(MemorySegment from, long offset, long bytes) {
        if (isSendInPlace) {
            postFromUser(from, offset, bytes);
        } else {
            send.copier().copy(from, offset, sendSlots, sendSlot(), bytes);
            postSend(bytes);
        }
    }

    @Override
    void recv(MemorySegment to, long offset, long bytes) {
        if (!isRecvInPlace && !isPlaced()) {
            locate(bytes);
            recv.copier().copy(from, fromOffset, to, offset, bytes);
        }
        postRecv();
    }

    /** Whether the sender put the step where it was offered to. */
    private boolean isPlaced() {
        int slot = slot(recv);
        return isOffered && recv.recvMem().directMode(slot) == RecvMem.MODE_PTR
                && recv.recvMem().directHandle(slot) == RecvMem.PLACED;
    }

    @Override
    void recvCopySend(MemorySegment to, long offset, long bytes) {
        if (isRecvInPlace || isSendInPlace) {
            recv(to, offset, bytes);
            send(to, offset, bytes);
            return;
        }
        locate(bytes);
        send.copier().copy(from, fromOffset, sendSlots, sendSlot(), bytes);
        postSend(bytes);
        recv.copier().copy(from, fromOffset, to, offset, bytes);
        postRecv();
    }

    @Override
    void recvReduceSend(Reduction reduction, MemorySegment own, long offset, long count, long bytes) {
        operands(reduction, own, offset, count).reduce(send.copier(), sendSlots, sendSlot(), count, false);
        postRecv();
        postSend(bytes);
    }

    @Override
    void recvReduceCopy(Reduction reduction, MemorySegment own, MemorySegment to, long ownOffset, long toOffset,
            long count) {
        operands(reduction, own, ownOffset, count).reduce(to, toOffset, count, true);
        postRecv();
    }

    @Override
    void recvReduce(Reduction reduction, MemorySegment own, long ownOffset, MemorySegment to, long toOffset,
            long count) {
        operands(reduction, own, ownOffset, count).reduce(to, toOffset, count, false);
        postRecv();
    }

    /** Slots that connections share are another one's as soon as the network has sent them. */
    @Override
    boolean keepsData() {
        return !send.isShared();
    }

    @Override
    void recvReduceCopySend(Reduction reduction, MemorySegment own, MemorySegment to, long offset, long count,
            long bytes) {
        operands(reduction, own, offset, count);
        if (isSendInPlace) {
            reduction.reduce(to, offset, count, true);
            postRecv();
            postFromUser(to, offset, bytes);
        } else {
            reduction.reduce(send.copier(), sendSlots, sendSlot(), to, offset, count, true);
            postRecv();
            postSend(bytes);
        }
    }

    private Reduction operands(Reduction reduction, MemorySegment own, long ownOffset, long count) {
        locate(count * reduction.elementBytes());
        return reduction.operands(from, fromOffset, own, ownOffset);
    }

    /** Finds the data of the step that was received: in its slot, or where a direct sender left them. */
    private void locate(long bytes) {
        if (peerMemory != null && recv.recvMem().directMode(slot(recv)) == RecvMem.MODE_PTR) {
            locateElsewhere(slot(recv), bytes);
        } else {
            from = recvSlots;
            fromOffset = recvSlot();
        }
    }

    private void locateElsewhere(int slot, long bytes) {
        long handle = recv.recvMem().directHandle(slot);
        from = peerMemory.find(handle);
        fromOffset = recv.recvMem().ptr(slot);
        if (from == null || fromOffset < 0 || fromOffset > from.byteSize() - bytes) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "step " + recv.step() + " of a direct connection: the "
                    + "peer says that its " + bytes + " bytes are at " + fromOffset + " of its memory " + handle
                    + (from == null ? ", which it did not register" : ", which has " + from.byteSize()));
        }
    }

    private void postFromUser(MemorySegment from, long offset, long bytes) {
        if (isSendDirect && shared != null && shared.take(from, offset, bytes)) {
            postElsewhere(RecvMem.PLACED, 0);
            return;
        }
        if (isSendDirect) {
            postElsewhere(places.handle(from), places.offset(from) + offset);
            return;
        }
        int slot = slot(send);
        send.recvMem().place(slot, RecvMem.MODE_PTR,
                places.isInSendBuffer(from) ? RecvMem.IN_SEND_BUFFER : RecvMem.IN_RECV_BUFFER, offset);
        postSend(slot, bytes);
    }
}
