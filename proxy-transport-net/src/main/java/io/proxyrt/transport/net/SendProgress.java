/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.Ll128Lines;
import io.proxyrt.core.device.LlLines;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxyProgress;
import io.proxyrt.core.progress.ProxySubArgs;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Sends what the kernel leaves in the slots, or in registered memory. In a pass a sub does the first of these that is
 * possible:
 *
 * <ol>
 * <li>post: let another slice be expected of the kernel, up to depth ahead of done, once there is a slot for it;
 * <li>transmit: hand the slice that the kernel filled to the network;
 * <li>complete: ask the network for the oldest slice under way, and give its slot back.
 * </ol>
 *
 * <p>RCCL completes a slice in a later pass than it transmits it. Here the pass that transmits goes on to complete,
 * because the socket network is often done with a message at once, and a pass less is time saved; the counters' order
 * is the same.
 */
final class SendProgress implements ProxyProgress {
    private final Counters counters;
    private final long[] sizes;

    SendProgress(Counters counters, int maxRecvs) {
        this.counters = counters;
        this.sizes = new long[maxRecvs];
    }

    @Override
    public int advance(ProxyArgs args) {
        if (args.state == State.READY) {
            int result = NetSteps.start(args);
            if (result < 0) {
                return result;
            }
        }
        int usable = NetSteps.usable(args);
        int depth = NetSteps.depth(args.nsubs(), usable);
        int window = NetSteps.window(args, usable);
        int moved = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            if (!sub.isDone()) {
                int result = advance(args, sub, i < window ? depth : 0);
                if (result < 0) {
                    return result;
                }
                moved += result;
            }
        }
        NetSteps.finishIfDone(args);
        assert NetSteps.isOrdered(args) : args;
        return moved;
    }

    private int advance(ProxyArgs args, ProxySubArgs sub, int depth) {
        NetSub net = NetSub.of(sub);
        if (sub.posted < sub.nsteps && sub.posted < sub.done + depth && post(args, sub, net)) {
            return 1;
        }
        int transmitted = transmit(args, sub, net);
        if (transmitted < 0) {
            return transmitted;
        }
        int completed = complete(args, sub, net);
        return completed < 0 ? completed : transmitted + completed;
    }

    private static boolean post(ProxyArgs args, ProxySubArgs sub, NetSub net) {
        if (!net.slots.take(NetSteps.slot(sub.base + sub.posted))) {
            return false;
        }
        sub.posted += args.sliceSteps();
        net.slots.posted(sub.base + sub.posted);
        return true;
    }

    private int transmit(ProxyArgs args, ProxySubArgs sub, NetSub net) {
        if (sub.transmitted == sub.posted) {
            return 0;
        }
        long step = sub.base + sub.transmitted;
        int slot = NetSteps.slot(step);
        // tail pairs with the kernel's release store after it wrote size and data; LL has none, its lines have flags.
        long tail = net.recvMem.tail();
        long bytes = tail > step || net.protocol == Protocol.LL ? net.recvMem.size(slot) : RecvMem.EMPTY;
        if (bytes == RecvMem.EMPTY) {
            return 0;
        }
        String fault = net.locate(args, sub, slot, bytes);
        if (fault != null) {
            return net.fail(args, sub, fault);
        }
        if (!isWritten(net, bytes, step)) {
            return 0;
        }
        NetResources resources = net.resources;
        if (resources.hdp != null) {
            resources.hdp.flush(tail);
        }
        long request = resources.sendComm.isend(net.memory, net.offset, bytes, resources.setup.rank(),
                net.recvMem.stamp(slot));
        return request <= 0 ? refused(args, sub, resources, request) : transmitted(args, sub, net, request, bytes);
    }

    /** Whether every line has the flag of its step. Simple has no lines: tail is enough. */
    private static boolean isWritten(NetSub net, long bytes, long step) {
        if (net.protocol == Protocol.SIMPLE) {
            return true;
        }
        MemorySegment buffer = net.memory.segment();
        boolean isWritten = net.protocol == Protocol.LL
                ? LlLines.isReady(buffer, net.offset, bytes, LlLines.flag(step))
                : Ll128Lines.isReady(buffer, net.offset, bytes, Ll128Lines.flag(step));
        // The network's loads stay behind those of the flags.
        VarHandle.acquireFence();
        return isWritten;
    }

    private int transmitted(ProxyArgs args, ProxySubArgs sub, NetSub net, long request, long bytes) {
        net.requests[NetSteps.slot(sub.base + sub.transmitted)] = request;
        sub.transmitted += args.sliceSteps();
        net.resources.underWay++;
        counters.add(Counter.NET_ISENDS, 1);
        sub.bytes += bytes;
        counters.add(Counter.NET_BYTES_SENT, bytes);
        return 1;
    }

    private int refused(ProxyArgs args, ProxySubArgs sub, NetResources resources, long request) {
        if (request < 0) {
            return NetSteps.fail(args, sub, (int) request, resources.sendComm);
        }
        counters.add(Counter.NET_BACK_PRESSURE, 1);
        return 0;
    }

    private int complete(ProxyArgs args, ProxySubArgs sub, NetSub net) {
        if (sub.done == sub.transmitted) {
            return 0;
        }
        NetResources resources = net.resources;
        int slot = NetSteps.slot(sub.base + sub.done);
        assert net.requests[slot] != 0 && resources.underWay > 0 : sub;
        int result = resources.sendComm.test(net.requests[slot], sizes);
        if (result <= 0) {
            return result == 0 ? 0 : NetSteps.fail(args, sub, result, resources.sendComm);
        }
        net.requests[slot] = 0;
        resources.underWay--;
        sub.done += args.sliceSteps();
        // A kernel that sees the new head must find the slot empty: size before head, both with release.
        resources.recvMem.size(slot, RecvMem.EMPTY);
        net.slots.give(slot);
        net.slots.completed(sub.base + sub.done);
        if (sub.isDone()) {
            net.finish(args, sub);
        }
        return 1;
    }
}
