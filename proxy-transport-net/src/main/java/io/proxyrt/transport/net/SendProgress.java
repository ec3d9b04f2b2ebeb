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
 * Sends what the kernel leaves in the slots. In a pass a sub does the first of these that is possible:
 *
 * <ol>
 * <li>post: let another slice be expected of the kernel, up to depth ahead of done;
 * <li>transmit: hand the slice that the kernel filled to the network;
 * <li>complete: ask the network for the oldest slice under way, and give its slot's credit back to the kernel.
 * </ol>
 *
 * <p>RCCL completes a slice in a later pass than it transmits it. Here the pass that transmits goes on to complete,
 * because the socket network is often done with a message at once, and a pass less is time saved; the counters' order
 * is the same.
 */
final class SendProgress implements ProxyProgress {
    private final int rank;
    private final Counters counters;

    SendProgress(int rank, Counters counters) {
        this.rank = rank;
        this.counters = counters;
    }

    @Override
    public int advance(ProxyArgs args) {
        if (args.state == State.READY && NetSteps.start(args) < 0) {
            return -ProxyResult.INVALID_ARGUMENT.code();
        }
        int depth = NetSteps.depth(args.nsubs());
        int moved = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            if (!sub.isDone()) {
                int result = advance(args, sub, depth);
                if (result < 0) {
                    return result;
                }
                moved += result;
                assert sub.isSendOrdered() && NetSteps.isWhole(args, sub) : sub;
            }
        }
        NetSteps.finishIfDone(args);
        return moved;
    }

    private int advance(ProxyArgs args, ProxySubArgs sub, int depth) {
        if (sub.posted < sub.nsteps && sub.posted < sub.done + depth) {
            sub.posted += args.sliceSteps();
            return 1;
        }
        NetResources resources = (NetResources) sub.connection.resources();
        int transmitted = transmit(args, sub, resources);
        if (transmitted < 0) {
            return transmitted;
        }
        int completed = complete(args, sub, resources);
        return completed < 0 ? completed : transmitted + completed;
    }

    private int transmit(ProxyArgs args, ProxySubArgs sub, NetResources resources) {
        long step = sub.base + sub.transmitted;
        // tail pairs with the kernel's release store after it wrote size and data.
        if (sub.transmitted == sub.posted || resources.recvMem.tail() <= step) {
            return 0;
        }
        int slot = NetSteps.slot(step);
        long bytes = resources.recvMem.size(slot);
        if (bytes == RecvMem.EMPTY) {
            return 0;
        }
        if (bytes < 0 || bytes > resources.stepBytes * args.sliceSteps()) {
            return args.fail(ProxyResult.INVALID_ARGUMENT, sub.connection + ": the kernel wants to send " + bytes
                    + " bytes from a slot of " + resources.stepBytes * args.sliceSteps());
        }
        long request = resources.sendComm.isend(resources.netMemory, resources.slotOffset(step), bytes, rank);
        if (request <= 0) {
            return refused(args, sub, resources, request);
        }
        sub.requests[slot] = request;
        sub.transmitted += args.sliceSteps();
        counters.add(Counter.NET_ISENDS, 1);
        counters.add(Counter.NET_BYTES_SENT, bytes);
        return 1;
    }

    private int complete(ProxyArgs args, ProxySubArgs sub, NetResources resources) {
        if (sub.done == sub.transmitted) {
            return 0;
        }
        int slot = NetSteps.slot(sub.base + sub.done);
        int result = resources.sendComm.test(sub.requests[slot], resources.sizes);
        if (result <= 0) {
            return result == 0 ? 0 : NetSteps.fail(args, sub, result, resources.sendComm);
        }
        sub.requests[slot] = 0;
        sub.done += args.sliceSteps();
        // A kernel that sees the new head must find the slot empty: size before head, both with release.
        resources.recvMem.size(slot, RecvMem.EMPTY);
        resources.sendMem.head(sub.base + sub.done);
        if (sub.isDone()) {
            args.done++;
        }
        return 1;
    }

    private int refused(ProxyArgs args, ProxySubArgs sub, NetResources resources, long request) {
        if (request < 0) {
            return NetSteps.fail(args, sub, (int) request, resources.sendComm);
        }
        counters.add(Counter.NET_BACK_PRESSURE, 1);
        return 0;
    }
}
