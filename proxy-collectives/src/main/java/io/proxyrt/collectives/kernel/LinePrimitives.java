/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.Ll128Lines;
import io.proxyrt.core.device.LlLines;
import io.proxyrt.core.reduction.Reduction;
import java.lang.foreign.MemorySegment;

/**
 * LL and LL128: data travel in lines that carry their own flags. On a direct connection the reader looks at the lines
 * as they come in, and at nothing else. Where a proxy copies them out of a socket, it promises no
 * order, so the reader waits for tail first and then finds every flag in place.
 *
 * <p>A flag of LL has 32 bits and comes round. On a direct connection it counts the steps of LL alone, and they take
 * the slots in turn: so the few steps that clean their slots are steps of LL, whatever other protocols do between.
 *
 * <p>On a direct connection the lines also say whose they are, so that ranks that do different things find out.
 */
final class LinePrimitives extends Primitives {
    private final boolean isLl;
    private final long stepBytes;
    /** How far the lines of the next receive were seen, from the beginning of their slot. */
    private long seen;
    private final Scratch incoming = new Scratch();
    private final Scratch outgoing = new Scratch();
    private long sent;
    private long received;
    private int stamp;
    private int mark;

    LinePrimitives(Protocol protocol, DeviceConnection recv, DeviceConnection send) {
        this(protocol, recv, send, 0);
    }

    /** As if {@code count} steps of this protocol had gone either way. */
    LinePrimitives(Protocol protocol, DeviceConnection recv, DeviceConnection send, long count) {
        super(protocol, recv, send);
        this.sent = count;
        this.received = count;
        this.isLl = protocol == Protocol.LL;
        this.stepBytes = (send == null ? recv : send).stepBytes(protocol);
    }

    @Override
    long dataBytes() {
        return isLl ? LlLines.dataBytes(stepBytes) : Ll128Lines.dataBytes(stepBytes);
    }

    @Override
    long wireBytes(long dataBytes) {
        return isLl ? LlLines.wireBytes(dataBytes) : Ll128Lines.wireBytes(dataBytes);
    }

    @Override
    void stamp(int operation) {
        super.stamp(operation);
        stamp = operation;
        mark = LlLines.mark(operation);
    }

    @Override
    boolean isReceived(long bytes) {
        if (!isRecvDirect && !super.isReceived(bytes)) {
            return false;
        }
        long slot = recvLines();
        long end = slot + wireBytes(bytes);
        long missing = isLl ? missingLl(slot, end) : missingLl128(slot, end);
        seen = missing - slot;
        return missing >= end;
    }

    private long missingLl(long slot, long end) {
        int flag = LlLines.flag(recvCount());
        if (isRecvDirect && seen == 0 && slot < end) {
            int first = LlLines.firstLine(recvSlots, slot, flag, mark);
            if (first <= 0) {
                requireOwn(first == 0);
                return slot;
            }
            seen = LlLines.LINE_BYTES;
        }
        return LlLines.firstMissing(recvSlots, slot + seen, end, flag);
    }

    private long missingLl128(long slot, long end) {
        long flag = Ll128Lines.flag(recv.step(), isRecvDirect ? stamp : 0);
        long missing = Ll128Lines.firstMissing(recvSlots, slot + seen, end, flag);
        requireOwn(missing >= end || !isRecvDirect || !Ll128Lines.isForeign(recvSlots, missing, flag));
        return missing;
    }

    private void requireOwn(boolean isOwn) {
        if (!isOwn) {
            throw disagreement();
        }
    }

    @Override
    boolean isHere(long bytes) {
        if (!isRecvDirect) {
            return super.isHere(bytes);
        }
        long slot = recvLines();
        long end = slot + wireBytes(bytes);
        return (isLl ? LlLines.firstMissing(recvSlots, slot, end, LlLines.flag(recvCount()))
                : Ll128Lines.firstMissing(recvSlots, slot, end, Ll128Lines.flag(recv.step()))) >= end;
    }

    @Override
    void send(MemorySegment from, long offset, long bytes) {
        if (isLl) {
            sendLl(from, offset, bytes);
        } else {
            Ll128Lines.pack(from, offset, bytes, sendSlots, sendSlot(),
                    Ll128Lines.flag(send.step(), isSendDirect ? stamp : 0));
            postSend(wireBytes(bytes));
        }
    }

    @Override
    void recv(MemorySegment to, long offset, long bytes) {
        unpack(to, offset, bytes);
        seen = 0;
        received++;
        postRecv();
    }

    @Override
    void recvCopySend(MemorySegment to, long offset, long bytes) {
        recv(to, offset, bytes);
        send(to, offset, bytes);
    }

    @Override
    void recvReduceSend(Reduction reduction, MemorySegment from, long offset, long count, long bytes) {
        MemorySegment sum = outgoing.of(bytes);
        receive(reduction, from, offset, count).reduce(sum, 0, count, false);
        send(sum, 0, bytes);
    }

    @Override
    void recvReduceCopy(Reduction reduction, MemorySegment from, MemorySegment to, long fromOffset, long toOffset,
            long count) {
        receive(reduction, from, fromOffset, count).reduce(to, toOffset, count, true);
    }

    @Override
    void recvReduce(Reduction reduction, MemorySegment from, long fromOffset, MemorySegment to, long toOffset,
            long count) {
        receive(reduction, from, fromOffset, count).reduce(to, toOffset, count, false);
    }

    private Reduction receive(Reduction reduction, MemorySegment from, long fromOffset, long count) {
        long bytes = count * reduction.elementBytes();
        MemorySegment data = incoming.of(bytes);
        recv(data, 0, bytes);
        return reduction.operands(data, 0, from, fromOffset);
    }

    @Override
    boolean keepsData() {
        return false;
    }

    @Override
    void recvReduceCopySend(Reduction reduction, MemorySegment from, MemorySegment to, long offset, long count,
            long bytes) {
        recvReduceCopy(reduction, from, to, offset, offset, count);
        send(to, offset, bytes);
    }

    private void sendLl(MemorySegment from, long offset, long bytes) {
        long count = isSendDirect ? sent++ : send.step();
        long slot = send.slotOffset(Protocol.LL, count);
        assert bytes <= dataBytes() : bytes;
        boolean isCleaning = LlLines.isCleaning(count);
        long wire = wireBytes(bytes);
        if (isSendDirect) {
            LlLines.pack(from, offset, bytes, sendSlots, slot, LlLines.flag(count), mark);
        } else {
            LlLines.pack(from, offset, bytes, sendSlots, slot, LlLines.flag(count));
        }
        if (isCleaning) {
            // Only what is left of the slot: a direct receiver would take a cleaned line for data.
            long written = isSendDirect ? Math.max(wire, LlLines.LINE_BYTES) : wire;
            LlLines.clean(sendSlots, slot + written, stepBytes - written, LlLines.flag(count));
        }
        postSend(isCleaning ? stepBytes : wire);
    }

    private long recvCount() {
        return isLl && isRecvDirect ? received : recv.step();
    }

    private long recvLines() {
        return isLl ? recv.slotOffset(Protocol.LL, recvCount()) : recvSlot();
    }

    private void unpack(MemorySegment to, long offset, long bytes) {
        if (isLl) {
            LlLines.unpack(recvSlots, recvLines(), to, offset, bytes);
        } else {
            Ll128Lines.unpack(recvSlots, recvSlot(), to, offset, bytes);
        }
    }
}
