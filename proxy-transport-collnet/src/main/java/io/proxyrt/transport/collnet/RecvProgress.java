/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyProgress;
import io.proxyrt.core.progress.ProxySubArgs;

/**
 * Lets the sends of the same collective have the network write into the slots, and tells kernels of it. The slots are
 * the host's memory, where what a call delivered can be seen once it is complete: nothing is flushed. In a pass:
 *
 * <ol>
 * <li>consume: each sub sees which slots its kernel has read;
 * <li>post: each group whose subs all have a free slot gives the turn to its sends;
 * <li>receive: each group sees whether it has the turn back;
 * <li>publish: each sub tells its kernel.
 * </ol>
 */
final class RecvProgress implements ProxyProgress {
    private final Counters counters;

    RecvProgress(Counters counters) {
        this.counters = counters;
    }

    @Override
    public int advance(ProxyArgs args) {
        int result = CollNetOp.begin(args);
        if (result < 0) {
            return result;
        }
        CollNetOp op = CollNetOp.of(args);
        int moved = consume(args);
        for (int i = 0; i < op.groups; i++) {
            CollNetGroup group = op.group(args, i);
            moved += post(args, op, group) + receive(args, op, group) + publish(args, op, group);
        }
        CollNetOp.finishIfDone(args);
        assert CollNetOp.isOrdered(args) : args;
        return moved;
    }

    private static int consume(ProxyArgs args) {
        int moved = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            if (sub.transmitted > sub.done) {
                moved += consume(args, sub);
            }
        }
        return moved;
    }

    private static int consume(ProxyArgs args, ProxySubArgs sub) {
        // head pairs with the kernel's release store after it read the data; only then may the network overwrite them.
        long read = Math.min(CollNetSub.of(sub).sendMem.head() - sub.base, sub.transmitted);
        if (read <= sub.done) {
            return 0;
        }
        sub.done = read;
        args.done += sub.isDone() ? 1 : 0;
        return 1;
    }

    private static int post(ProxyArgs args, CollNetOp op, CollNetGroup group) {
        long step = args.sub(group.first).posted;
        if (step == op.nsteps) {
            return 0;
        }
        for (int i = group.first; i < group.end; i++) {
            if (args.sub(i).done + DeviceConnection.STEPS == step) {
                return 0;
            }
        }
        op.shared.turns.give(group.index, step, op.signature);
        for (int i = group.first; i < group.end; i++) {
            args.sub(i).posted++;
        }
        return 1;
    }

    private int receive(ProxyArgs args, CollNetOp op, CollNetGroup group) {
        ProxySubArgs first = args.sub(group.first);
        long step = first.received;
        if (step == first.posted || op.shared.turns.isSends(group.index, step)) {
            return 0;
        }
        for (int i = group.first; i < group.end; i++) {
            args.sub(i).received++;
        }
        counters.add(Counter.NET_BYTES_RECEIVED, op.shared.turns.bytes(group.index, step));
        return 1;
    }

    private static int publish(ProxyArgs args, CollNetOp op, CollNetGroup group) {
        int moved = 0;
        for (int i = group.first; i < group.end; i++) {
            ProxySubArgs sub = args.sub(i);
            if (sub.transmitted < sub.received) {
                publish(op, sub, CollNetSub.of(sub), i);
                moved++;
            }
        }
        return moved;
    }

    private static void publish(CollNetOp op, ProxySubArgs sub, CollNetSub net, int index) {
        int slot = CollNetOp.slot(sub.base + sub.transmitted);
        if (!op.isReg) {
            net.recvMem.place(slot, RecvMem.MODE_OFFSET, (int) op.offset(true, sub.transmitted, index), 0);
        }
        net.recvMem.stamp(slot, 0);
        net.recvMem.size(slot, RecvMem.EMPTY);
        sub.transmitted++;
        // Pairs with the kernel's acquire load of tail: it sees the place, and the data that the network wrote before.
        net.recvMem.tail(sub.base + sub.transmitted);
    }
}
