/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import java.lang.foreign.MemorySegment;

/**
 * The Simple protocol: plain data. With registered memory, what goes out or comes in as it is stays where the user has
 * it; the slot's entry in connFifo says where. Receives then have to be offered a place ahead of time, by
 * {@link #placeRecv}.
 */
final class SimplePrimitives extends Primitives {
    private final long stepBytes;
    private long sendAddress;
    private boolean isRecvInPlace;
    private boolean isSendInPlace;
    private long placed;

    SimplePrimitives(DeviceConnection recv, DeviceConnection send) {
        super(Protocol.SIMPLE, recv, send);
        this.stepBytes = (send == null ? recv : send).stepBytes(Protocol.SIMPLE);
    }

    /** Whether the next launch's memory is registered each way, and where its send buffer begins. */
    void inPlace(boolean isRecvInPlace, boolean isSendInPlace, long sendAddress) {
        this.isRecvInPlace = isRecvInPlace;
        this.isSendInPlace = isSendInPlace;
        this.sendAddress = sendAddress;
    }

    @Override
    void start(int sliceSteps, int chunkSteps, boolean usesRecv, boolean usesSend) {
        super.start(sliceSteps, chunkSteps, usesRecv, usesSend);
        if (usesRecv) {
            placed = recv.step();
        }
    }

    /** Whether the next receive may be offered a place: its slot is free as soon as the step 8 before is consumed. */
    boolean canPlaceRecv() {
        return placed < recv.step() + DeviceConnection.STEPS;
    }

    /** Offers the next receive a place: in the receive buffer, or in the slot. */
    void placeRecv(boolean isInUserMemory, long offset, long bytes) {
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
     * Whether the network is done with all that was sent, so that the user's memory may change. The proxy completes
     * steps in order, and empties a slot when it does; head would not tell on a shared connection.
     */
    boolean isSent() {
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
            MemorySegment.copy(from, offset, sendSlots, sendSlot(), bytes);
            postSend(bytes);
        }
    }

    @Override
    void recv(MemorySegment to, long offset, long bytes) {
        if (!isRecvInPlace) {
            MemorySegment.copy(recvSlots, recvSlot(), to, offset, bytes);
        }
        postRecv();
    }

    @Override
    void recvCopySend(MemorySegment to, long offset, long bytes) {
        if (isRecvInPlace || isSendInPlace) {
            recv(to, offset, bytes);
            send(to, offset, bytes);
            return;
        }
        MemorySegment.copy(recvSlots, recvSlot(), sendSlots, sendSlot(), bytes);
        postSend(bytes);
        recv(to, offset, bytes);
    }

    @Override
    void recvReduceSend(Reduction reduction, MemorySegment from, long offset, long count, long bytes) {
        reduction.operands(recvSlots, recvSlot(), from, offset).reduce(sendSlots, sendSlot(), count, false);
        postRecv();
        postSend(bytes);
    }

    @Override
    void recvReduceCopy(Reduction reduction, MemorySegment from, MemorySegment to, long fromOffset, long toOffset,
            long count) {
        reduction.operands(recvSlots, recvSlot(), from, fromOffset).reduce(to, toOffset, count, true);
        postRecv();
    }

    @Override
    void recvReduce(Reduction reduction, MemorySegment from, MemorySegment to, long count, boolean isLast) {
        reduction.operands(recvSlots, recvSlot(), from, 0).reduce(to, 0, count, isLast);
        postRecv();
    }

    @Override
    void recvReduceCopySend(Reduction reduction, MemorySegment from, MemorySegment to, long offset, long count,
            long bytes) {
        reduction.operands(recvSlots, recvSlot(), from, offset);
        if (isSendInPlace) {
            reduction.reduce(to, offset, count, true);
            postRecv();
            postFromUser(to, offset, bytes);
        } else {
            reduction.reduce(sendSlots, sendSlot(), to, offset, count, true);
            postRecv();
            postSend(bytes);
        }
    }

    private void postFromUser(MemorySegment from, long offset, long bytes) {
        int slot = slot(send);
        send.recvMem().place(slot, RecvMem.MODE_PTR,
                from.address() == sendAddress ? RecvMem.IN_SEND_BUFFER : RecvMem.IN_RECV_BUFFER, offset);
        postSend(slot, bytes);
    }
}
