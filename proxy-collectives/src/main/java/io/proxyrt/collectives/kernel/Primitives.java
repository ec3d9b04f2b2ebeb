/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import java.lang.foreign.MemorySegment;

/**
 * NCCL's device primitives for the Simple protocol: move one slice between user memory and the slots of a connection.
 * None of them waits: {@link #isReady} is asked before. Confined to the thread that runs the stream.
 */
final class Primitives {
    private final DeviceConnection recv;
    private final DeviceConnection send;
    private final MemorySegment recvBuffer;
    private final MemorySegment sendBuffer;
    private int sliceSteps;
    private long headSeen;
    private long tailSeen;

    /** Either connection may be null, if no data flow that way. */
    Primitives(DeviceConnection recv, DeviceConnection send) {
        this.recv = recv;
        this.send = send;
        this.recvBuffer = recv == null ? null : recv.buffer(Protocol.SIMPLE);
        this.sendBuffer = send == null ? null : send.buffer(Protocol.SIMPLE);
    }

    /**
     * Rounds the step counters up, as the proxy rounds base, and gives the credits back that rounding skips. Only those
     * of connections that the op uses: where the proxy gets no op, it rounds nothing, and the two must count alike.
     */
    void start(int sliceSteps, int chunkSteps, boolean usesRecv, boolean usesSend) {
        this.sliceSteps = sliceSteps;
        if (usesSend) {
            send.step(roundUp(send.step(), chunkSteps));
        }
        if (usesRecv) {
            recv.step(roundUp(recv.step(), chunkSteps));
            recv.sendMem().head(recv.step());
        }
    }

    boolean isReady(boolean needsRecv, boolean needsSend) {
        return (!needsRecv || isReceived()) && (!needsSend || hasCredit());
    }

    void send(MemorySegment from, long offset, long bytes) {
        MemorySegment.copy(from, offset, sendBuffer, slot(send), bytes);
        postSend(bytes);
    }

    void recv(MemorySegment to, long offset, long bytes) {
        MemorySegment.copy(recvBuffer, slot(recv), to, offset, bytes);
        postRecv();
    }

    void copySend(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes) {
        MemorySegment.copy(from, fromOffset, to, toOffset, bytes);
        send(from, fromOffset, bytes);
    }

    void recvCopySend(MemorySegment to, long offset, long bytes) {
        MemorySegment.copy(recvBuffer, slot(recv), sendBuffer, slot(send), bytes);
        postSend(bytes);
        recv(to, offset, bytes);
    }

    void recvReduceSend(Reduction reduction, MemorySegment from, long offset, long count, long bytes) {
        reduction.operands(recvBuffer, slot(recv), from, offset).reduce(sendBuffer, slot(send), count, false);
        postRecv();
        postSend(bytes);
    }

    void recvReduceCopy(Reduction reduction, MemorySegment from, long fromOffset, MemorySegment to, long toOffset,
            long count) {
        reduction.operands(recvBuffer, slot(recv), from, fromOffset).reduce(to, toOffset, count, true);
        postRecv();
    }

    void recvReduceCopySend(Reduction reduction, MemorySegment from, MemorySegment to, long offset, long count,
            long bytes) {
        reduction.operands(recvBuffer, slot(recv), from, offset)
                .reduce(sendBuffer, slot(send), to, offset, count, true);
        postRecv();
        postSend(bytes);
    }

    private boolean isReceived() {
        long needed = recv.step() + sliceSteps;
        if (tailSeen < needed) {
            tailSeen = recv.recvMem().tail();
        }
        return tailSeen >= needed;
    }

    private boolean hasCredit() {
        long needed = send.step() + sliceSteps;
        if (headSeen + DeviceConnection.STEPS < needed) {
            headSeen = send.sendMem().head();
        }
        return headSeen + DeviceConnection.STEPS >= needed;
    }

    private void postSend(long bytes) {
        long step = send.step();
        send.recvMem().size((int) (step % DeviceConnection.STEPS), bytes);
        send.step(step + sliceSteps);
        send.recvMem().tail(step + sliceSteps);
    }

    private void postRecv() {
        recv.step(recv.step() + sliceSteps);
        recv.sendMem().head(recv.step());
    }

    private static long slot(DeviceConnection connection) {
        return connection.slotOffset(Protocol.SIMPLE, connection.step());
    }

    private static long roundUp(long step, int multiple) {
        return (step + multiple - 1) / multiple * multiple;
    }
}
