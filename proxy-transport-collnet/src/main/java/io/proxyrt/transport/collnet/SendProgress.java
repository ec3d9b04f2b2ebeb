/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.progress.CollNetSupport;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyProgress;
import io.proxyrt.core.progress.ProxySubArgs;
import io.proxyrt.transport.collnet.spi.CollNetMemory;

/**
 * Hands what kernels leave in the slots to the network, and makes its calls for both directions. In a pass:
 *
 * <ol>
 * <li>post: each sub lets its kernel write another step, and tells where;
 * <li>receive: each sub notes a step that its kernel wrote;
 * <li>transmit: each group whose subs all have the step, and whose receives are ready for it, makes a call; the groups
 * in order, step by step, for all participants have to make the same calls;
 * <li>complete: each group asks for its oldest call, and tells its receives.
 * </ol>
 */
final class SendProgress implements ProxyProgress {
    private final Counters counters;
    private final CollNetWindow window = new CollNetWindow();

    SendProgress(Counters counters) {
        this.counters = counters;
    }

    @Override
    public int advance(ProxyArgs args) {
        int result = CollNetOp.begin(args);
        if (result < 0) {
            return result;
        }
        CollNetOp op = CollNetOp.of(args);
        int moved = op.isReg ? registered(args, op, args.sub(0)) : slots(args, op);
        CollNetOp.finishIfDone(args);
        assert moved < 0 || CollNetOp.isOrdered(args) : args;
        return moved;
    }

    private int slots(ProxyArgs args, CollNetOp op) {
        int moved = 0;
        for (int i = 0; i < op.nsubs; i++) {
            ProxySubArgs sub = args.sub(i);
            moved += post(op, sub, i);
            int result = receive(args, op, sub, i);
            if (result < 0) {
                return result;
            }
            moved += result;
        }
        for (int i = 0; i < op.groups; i++) {
            CollNetGroup group = op.group(args, i);
            int result = transmit(args, op, group);
            int completed = result < 0 ? result : complete(args, op, group);
            if (completed < 0) {
                return completed;
            }
            moved += result + completed;
        }
        return moved;
    }

    private static int post(CollNetOp op, ProxySubArgs sub, int index) {
        if (sub.posted == op.nsteps || sub.posted == sub.done + DeviceConnection.STEPS) {
            return 0;
        }
        CollNetSub net = CollNetSub.of(sub);
        int slot = CollNetOp.slot(sub.base + sub.posted);
        net.recvMem.place(slot, RecvMem.MODE_OFFSET, (int) op.offset(false, sub.posted, index), 0);
        sub.posted++;
        // Release: the kernel that sees the credit sees the place.
        net.sendMem.head(sub.base + sub.posted - DeviceConnection.STEPS);
        return 1;
    }

    private static int receive(ProxyArgs args, CollNetOp op, ProxySubArgs sub, int index) {
        if (sub.received == sub.posted) {
            return 0;
        }
        CollNetSub net = CollNetSub.of(sub);
        long step = sub.base + sub.received;
        int slot = CollNetOp.slot(step);
        // tail pairs with the kernel's release store after it wrote size and data.
        long bytes = net.recvMem.tail() > step ? net.recvMem.size(slot) : RecvMem.EMPTY;
        if (bytes == RecvMem.EMPTY) {
            return 0;
        }
        boolean isSound = op.part > 0 ? bytes == op.length(false, sub.received, index, index + 1)
                : bytes >= 0 && bytes <= op.chunk && bytes % op.type.sizeBytes() == 0;
        if (!isSound) {
            return CollNetOp.fail(args, sub, ProxyResult.INTERNAL_ERROR, "the kernel wants to send " + bytes
                    + " bytes in step " + step + ", where " + (op.part > 0
                    ? op.length(false, sub.received, index, index + 1) + " belong"
                    : "up to " + op.chunk + " in whole elements of " + op.type.label() + " may be"));
        }
        net.sizes[CollNetOp.slot(sub.received)] = bytes;
        net.recvMem.size(slot, RecvMem.EMPTY);
        sub.received++;
        return 1;
    }

    private int transmit(ProxyArgs args, CollNetOp op, CollNetGroup group) {
        ProxySubArgs first = args.sub(group.first);
        long step = first.transmitted;
        if (step == op.nsteps || !isNext(args, op, group, step) || !hasStep(args, group, step)
                || !op.shared.turns.isSends(group.index, step)) {
            return 0;
        }
        if (op.shared.turns.signature(group.index, step) != op.signature) {
            return CollNetOp.fail(args, first, ProxyResult.INVALID_ARGUMENT, "the receives of op " + args.opCount()
                    + " are for other channels, steps or sizes than the sends, which have channels "
                    + CollNetOp.channels(args));
        }
        long delivered = delivered(args, op, group, step);
        if (delivered < 0) {
            return CollNetOp.fail(args, first, ProxyResult.INTERNAL_ERROR, "behind a channel whose step " + step
                    + " is not full there is one with data, among channels " + CollNetOp.channels(args));
        }
        long bytes = op.part == 0 ? delivered : windowBytes(op, group, step);
        long request = bytes == 0 ? 0 : call(op, group, step, bytes);
        if (request < 0) {
            return op.fail(args, first, request);
        }
        if (request == 0 && bytes > 0) {
            counters.add(Counter.NET_BACK_PRESSURE, 1);
            return 0;
        }
        transmitted(args, op, group, request, delivered);
        return 1;
    }

    /** Whether all calls before it are made: of all groups for the steps before, of the groups before for this one. */
    private static boolean isNext(ProxyArgs args, CollNetOp op, CollNetGroup group, long step) {
        int before = group.index == 0 ? op.groups - 1 : group.index - 1;
        long transmitted = args.sub(before * CollNetSupport.GROUP_CHANNELS).transmitted;
        return group.index == 0 ? transmitted == step : transmitted > step;
    }

    private static boolean hasStep(ProxyArgs args, CollNetGroup group, long step) {
        for (int i = group.first; i < group.end; i++) {
            if (args.sub(i).received <= step) {
                return false;
            }
        }
        return true;
    }

    /** Bytes that the network will deliver here; -1 if the data have a hole. */
    private static long delivered(ProxyArgs args, CollNetOp op, CollNetGroup group, long step) {
        if (op.part > 0) {
            return op.length(true, step, group.first, group.end);
        }
        long bytes = 0;
        boolean isFull = true;
        for (int i = group.first; i < group.end; i++) {
            long size = CollNetSub.of(args.sub(i)).sizes[CollNetOp.slot(step)];
            if (size > 0 && !isFull) {
                return -1;
            }
            isFull = size == op.chunk;
            bytes += size;
        }
        return bytes;
    }

    /** Bytes of the call, of a collective that has parts. */
    private static long windowBytes(CollNetOp op, CollNetGroup group, long step) {
        return Math.max(op.length(false, step, group.first, group.end), op.length(true, step, group.first, group.end));
    }

    private long call(CollNetOp op, CollNetGroup group, long step, long bytes) {
        CollNetMemory memory = op.shared.memory();
        long from = op.offset(false, step, group.first);
        long to = op.offset(true, step, group.first);
        return switch (op.function) {
            case ALL_GATHER -> op.comm.iallgather(memory, from, memory, to,
                    window.set(op.part, op.place(true, step, group.first), bytes));
            case REDUCE_SCATTER -> op.comm.ireducescatter(memory, from, memory, to,
                    window.set(op.part, op.place(false, step, group.first), bytes), op.type, op.op);
            default -> op.comm.iallreduce(memory, from, memory, to, bytes / op.type.sizeBytes(), op.type, op.op);
        };
    }

    private void transmitted(ProxyArgs args, CollNetOp op, CollNetGroup group, long request, long delivered) {
        int slot = CollNetOp.slot(args.sub(group.first).transmitted);
        assert group.requests[slot] == 0 : args;
        group.requests[slot] = request;
        group.delivered[slot] = delivered;
        long sent = 0;
        for (int i = group.first; i < group.end; i++) {
            args.sub(i).transmitted++;
            sent += CollNetSub.of(args.sub(i)).sizes[slot];
        }
        if (request > 0) {
            op.shared.underWay++;
            counters.add(Counter.NET_ISENDS, 1);
            counters.add(Counter.NET_BYTES_SENT, sent);
        }
    }

    private static int complete(ProxyArgs args, CollNetOp op, CollNetGroup group) {
        ProxySubArgs first = args.sub(group.first);
        if (first.done == first.transmitted) {
            return 0;
        }
        int slot = CollNetOp.slot(first.done);
        if (group.requests[slot] > 0) {
            int result = op.comm.test(group.requests[slot]);
            if (result <= 0) {
                return result == 0 ? 0 : op.fail(args, first, result);
            }
            group.requests[slot] = 0;
            op.shared.underWay--;
        }
        op.shared.turns.giveBack(group.index, first.done, group.delivered[slot]);
        for (int i = group.first; i < group.end; i++) {
            ProxySubArgs sub = args.sub(i);
            sub.done++;
            args.done += sub.isDone() ? 1 : 0;
        }
        return 1;
    }

    /** One step, as the kernel sees it; in the end its receives find all data there, flushed. */
    private int registered(ProxyArgs args, CollNetOp op, ProxySubArgs sub) {
        CollNetSub net = CollNetSub.of(sub);
        if (sub.posted == 0) {
            sub.posted = 1;
            net.sendMem.head(sub.base + 1 - DeviceConnection.STEPS);
            return 1;
        }
        // The kernel need not tell a size.
        if (sub.received == 0 && net.recvMem.tail() > sub.base) {
            sub.received = 1;
            return 1;
        }
        if (sub.received == 0 || !op.shared.turns.isSends(0, 0)) {
            return 0;
        }
        if (op.shared.turns.signature(0, 0) != op.signature) {
            return CollNetOp.fail(args, sub, ProxyResult.INVALID_ARGUMENT, "the receive of op " + args.opCount()
                    + " is not for registered memory of channel " + net.resources.channelId + " alone");
        }
        int issued = issue(args, op, sub);
        int completed = issued < 0 ? issued : test(args, op, sub);
        if (completed < 0) {
            return completed;
        }
        return op.calls.isComplete() ? finish(args, op, sub, net) : issued + completed;
    }

    private int issue(ProxyArgs args, CollNetOp op, ProxySubArgs sub) {
        int moved = 0;
        while (op.calls.mayIssue()) {
            long request = op.calls.issue();
            if (request < 0) {
                return op.fail(args, sub, request);
            }
            if (request == 0) {
                counters.add(Counter.NET_BACK_PRESSURE, 1);
                return moved;
            }
            counters.add(Counter.NET_ISENDS, 1);
            moved++;
        }
        sub.transmitted = op.calls.isIssued() ? 1 : 0;
        return moved;
    }

    private int test(ProxyArgs args, CollNetOp op, ProxySubArgs sub) {
        int moved = 0;
        while (op.calls.isUnderWay()) {
            int result = op.calls.test();
            if (result < 0) {
                return op.fail(args, sub, result);
            }
            if (result == 0) {
                return moved;
            }
            // Counted as they go, so that a long op shows progress.
            counters.add(Counter.NET_BYTES_SENT, op.calls.lastFromBytes());
            counters.add(Counter.NET_BYTES_RECEIVED, op.calls.lastToBytes());
            moved++;
        }
        return moved;
    }

    private int finish(ProxyArgs args, CollNetOp op, ProxySubArgs sub, CollNetSub net) {
        int result = op.calls.flush();
        if (result <= 0) {
            return result == 0 ? 0 : CollNetOp.fail(args, sub, ProxyResult.of(-result), op.calls.failure());
        }
        net.recvMem.size(CollNetOp.slot(sub.base), RecvMem.EMPTY);
        sub.transmitted = 1;
        sub.done = 1;
        sub.release();
        args.done++;
        op.shared.turns.giveBack(0, 0, 0);
        return 1;
    }
}
