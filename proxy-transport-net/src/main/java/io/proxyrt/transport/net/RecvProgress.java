/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxySubArgs;
import io.proxyrt.core.spi.ProxyProgress;

/**
 * Receives into the slots and tells the kernel. A pass carries out the first of these phases in which anything moves,
 * for all subs:
 *
 * <ol>
 * <li>post: give a free slot to the network, up to depth ahead of done;
 * <li>receive: ask the network for the oldest slot under way, and publish it to the kernel;
 * <li>consume: see which slots the kernel has read.
 * </ol>
 *
 * <p>RCCL publishes in a phase of its own, because data that went to a GPU's memory may have to be flushed first. Data
 * in host memory are visible once they are received, so a slot is published in the pass that receives it: otherwise the
 * next pass would ask the network for the next slot before it told the kernel of this one. The order of the counters is
 * the same.
 */
final class RecvProgress implements ProxyProgress {
    private final Counters counters;

    RecvProgress(Counters counters) {
        this.counters = counters;
    }

    @Override
    public int advance(ProxyArgs args) {
        if (args.state == State.READY && NetSteps.start(args) < 0) {
            return -ProxyResult.INVALID_ARGUMENT.code();
        }
        int moved = post(args);
        if (moved == 0) {
            moved = receive(args);
        }
        if (moved == 0) {
            moved = consume(args);
        }
        NetSteps.finishIfDone(args);
        assert moved < 0 || isOrdered(args) : args;
        return moved;
    }

    private int post(ProxyArgs args) {
        int depth = NetSteps.depth(args.nsubs());
        int moved = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            if (sub.posted < sub.nsteps && sub.posted < sub.done + depth) {
                int result = post(args, sub, (NetResources) sub.connection.resources());
                if (result < 0) {
                    return result;
                }
                moved += result;
            }
        }
        return moved;
    }

    private int post(ProxyArgs args, ProxySubArgs sub, NetResources resources) {
        long step = sub.base + sub.posted;
        resources.offsets[0] = resources.slotOffset(step);
        resources.sizes[0] = Math.min(resources.stepBytes * args.sliceSteps(), sub.nbytes);
        resources.tags[0] = sub.connection.peer();
        long request = resources.recvComm.irecv(1, resources.memories, resources.offsets, resources.sizes,
                resources.tags);
        if (request < 0) {
            return NetSteps.fail(args, sub, (int) request, resources.recvComm);
        }
        if (request == 0) {
            counters.add(Counter.NET_BACK_PRESSURE, 1);
            return 0;
        }
        sub.requests[NetSteps.slot(step)] = request;
        sub.posted += args.sliceSteps();
        counters.add(Counter.NET_IRECVS, 1);
        return 1;
    }

    private int receive(ProxyArgs args) {
        int moved = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            if (sub.posted > sub.received) {
                int result = receive(args, sub, (NetResources) sub.connection.resources());
                if (result < 0) {
                    return result;
                }
                moved += result;
            }
        }
        return moved;
    }

    private int receive(ProxyArgs args, ProxySubArgs sub, NetResources resources) {
        int slot = NetSteps.slot(sub.base + sub.received);
        int result = resources.recvComm.test(sub.requests[slot], resources.sizes);
        if (result <= 0) {
            return result == 0 ? 0 : NetSteps.fail(args, sub, result, resources.recvComm);
        }
        sub.requests[slot] = 0;
        sub.received += args.sliceSteps();
        counters.add(Counter.NET_BYTES_RECEIVED, resources.sizes[0]);
        resources.recvMem.size(slot, RecvMem.EMPTY);
        publish(args, sub, resources);
        return 1;
    }

    private static void publish(ProxyArgs args, ProxySubArgs sub, NetResources resources) {
        sub.transmitted += args.sliceSteps();
        // Pairs with the kernel's acquire load of tail: it sees the data that the network wrote before.
        resources.recvMem.tail(sub.base + sub.transmitted);
    }

    private static int consume(ProxyArgs args) {
        int moved = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            if (sub.transmitted > sub.done) {
                moved += consume(args, sub, (NetResources) sub.connection.resources());
            }
        }
        return moved;
    }

    private static int consume(ProxyArgs args, ProxySubArgs sub, NetResources resources) {
        int moved = 0;
        // head pairs with the kernel's release store after it read the data; only then may the network overwrite them.
        long head = resources.sendMem.head();
        while (sub.transmitted > sub.done && head > sub.base + sub.done) {
            sub.done += args.sliceSteps();
            moved++;
        }
        if (moved > 0 && sub.isDone()) {
            args.done++;
        }
        return moved;
    }

    private static boolean isOrdered(ProxyArgs args) {
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            if (!sub.isRecvOrdered() || !NetSteps.isWhole(args, sub)) {
                return false;
            }
        }
        return true;
    }
}
