/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.Direction;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ProxySubArgs;

/**
 * The calls of an op whose user's memory is registered: the network reads and writes it itself, in one step as the
 * kernel sees it, and in calls of a chunk each. RCCL makes them as great as the network bears. Here the op says how
 * great, so that heads whose memory is registered can make the same calls as heads whose data go through slots.
 * Progress thread.
 */
final class RegisteredCalls {
    /** Bytes of a call, but for the last one. */
    private long callBytes;
    private CollNetOp op;
    private UserMemory from;
    private UserMemory to;
    private long fromStart;
    private long toStart;
    /** All of them. */
    private long count;
    private long issued;
    private long complete;
    private boolean isFlushed;
    private long flush;
    private final long[] requests = new long[DeviceConnection.STEPS];
    private final CollNetWindow window = new CollNetWindow();

    /** Returns why there cannot be any; null if they can begin. A receive op has none: its sends' are for both. */
    String begin(CollNetOp newOp, ProxySubArgs sub) {
        if (newOp.nsubs != 1 || newOp.nsteps != 1) {
            return "registered memory is for one channel and one step, not for " + newOp.nsubs + " and "
                    + newOp.nsteps;
        }
        return sub.connection.direction() == Direction.SEND ? beginSend(newOp, sub) : null;
    }

    private String beginSend(CollNetOp newOp, ProxySubArgs sub) {
        op = newOp;
        callBytes = Math.min(op.chunk, op.shared.callBytes());
        count = (op.all + callBytes - 1) / callBytes;
        issued = 0;
        complete = 0;
        isFlushed = false;
        flush = 0;
        String refusal = sub.hold();
        if (refusal == null && (sub.sendRegistration == null || sub.recvRegistration == null)) {
            refusal = "it has no registered memory to send from, or none to receive into";
        }
        if (refusal == null) {
            refusal = locate(sub);
        }
        if (refusal != null) {
            sub.release();
        }
        return refusal;
    }

    private String locate(ProxySubArgs sub) {
        from = (UserMemory) sub.sendRegistration.mhandle();
        to = (UserMemory) sub.recvRegistration.mhandle();
        boolean isWithin = from.has(sub.sendbuff, fromBytes()) && to.has(sub.recvbuff, toBytes());
        fromStart = from.offset() + sub.sendbuff;
        toStart = to.offset() + sub.recvbuff;
        return isWithin ? null : "buffers of " + fromBytes() + " bytes at " + sub.sendbuff + " and of " + toBytes()
                + " at " + sub.recvbuff + " are not within the registered memory";
    }

    /** Bytes that the call sent which was tested last, and is complete. */
    long lastFromBytes() {
        return op.function == CollFunction.ALL_GATHER ? lastOwnBytes() : lastBytes();
    }

    /** Bytes that it delivered. */
    long lastToBytes() {
        return op.function == CollFunction.REDUCE_SCATTER ? lastOwnBytes() : lastBytes();
    }

    private long lastBytes() {
        long offset = (complete - 1) * callBytes;
        return Math.min(callBytes, op.all - offset);
    }

    private long lastOwnBytes() {
        return window.set(op.part, (complete - 1) * callBytes, lastBytes()).length(op.shared.rank());
    }

    long fromBytes() {
        return op.function == CollFunction.ALL_GATHER ? op.part : op.all;
    }

    /** What the network delivers in all. */
    long toBytes() {
        return op.function == CollFunction.REDUCE_SCATTER ? op.part : op.all;
    }

    boolean mayIssue() {
        return issued < count && issued < complete + DeviceConnection.STEPS;
    }

    boolean isIssued() {
        return issued == count;
    }

    boolean isComplete() {
        return complete == count;
    }

    boolean isUnderWay() {
        return complete < issued;
    }

    /** Makes the next call; returns what the comm did. */
    long issue() {
        long offset = issued * callBytes;
        long request = call(offset, Math.min(callBytes, op.all - offset));
        if (request > 0) {
            requests[CollNetOp.slot(issued++)] = request;
            op.shared.underWay++;
        }
        return request;
    }

    private long call(long offset, long bytes) {
        long inPart = Math.clamp(offset - op.shared.rank() * op.part, 0, op.part);
        return switch (op.function) {
            case ALL_GATHER -> op.comm.iallgather(from.memory(), fromStart + inPart, to.memory(), toStart + offset,
                    window.set(op.part, offset, bytes));
            case REDUCE_SCATTER -> op.comm.ireducescatter(from.memory(), fromStart + offset, to.memory(),
                    toStart + inPart, window.set(op.part, offset, bytes), op.type, op.op);
            default -> op.comm.iallreduce(from.memory(), fromStart + offset, to.memory(), toStart + offset,
                    bytes / op.type.sizeBytes(), op.type, op.op);
        };
    }

    /** Asks for the oldest call under way; returns what the comm said. */
    int test() {
        int result = test(requests[CollNetOp.slot(complete)]);
        complete += result > 0 ? 1 : 0;
        return result;
    }

    private int test(long request) {
        int result = op.comm.test(request);
        op.shared.underWay -= result > 0 ? 1 : 0;
        return result;
    }

    /** Makes what was delivered to a device visible; returns 1 when it is, 0 if not yet, a negated error. */
    int flush() {
        if (to.device() != null && !isFlushed && op.all > 0) {
            flush = op.comm.iflush(to.memory(), toStart, toBytes());
            isFlushed = flush >= 0;
            op.shared.underWay += flush > 0 ? 1 : 0;
            if (flush == 0 && to.device().capabilities().contains(DeviceCapability.WRITE_FLUSH)) {
                return to.device().flush();
            }
        }
        return flush == 0 ? 1 : flush < 0 ? (int) flush : testFlush();
    }

    private int testFlush() {
        int result = test(flush);
        flush = result > 0 ? 0 : flush;
        return result;
    }

    /** Why {@link #flush} failed. */
    String failure() {
        return isFlushed && flush == 0 ? to.device().name() + " cannot flush what the network wrote to its memory"
                : op.comm.failure();
    }
}
