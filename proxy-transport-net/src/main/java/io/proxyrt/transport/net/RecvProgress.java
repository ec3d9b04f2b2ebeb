/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxyProgress;
import io.proxyrt.core.progress.ProxySubArgs;
import io.proxyrt.transport.net.spi.NetMemory;

/**
 * Receives into the slots, or into registered memory, and tells the kernel. A pass carries out the first of these
 * phases in which anything moves, for all subs:
 *
 * <ol>
 * <li>post: give a free slot to the network, up to depth ahead of done;
 * <li>receive: ask the network for the oldest slot under way, and have it flushed where that is needed;
 * <li>publish: tell the kernel of what was received and flushed;
 * <li>consume: see which slots the kernel has read.
 * </ol>
 *
 * <p>RCCL publishes in a later pass than it receives, because data that went to a GPU's memory may have to be flushed
 * first. Data that need no flush are visible once they are received, so they are published in the same pass: otherwise
 * the next pass would ask the network for the next slot before it told the kernel of this one. The order of the
 * counters is the same.
 */
final class RecvProgress implements ProxyProgress {
    private final Counters counters;
    private final boolean untracksLl;
    private final NetMemory[] memories = new NetMemory[RecvGroup.MAX_MEMBERS];
    private final long[] offsets = new long[RecvGroup.MAX_MEMBERS];
    private final long[] capacities = new long[RecvGroup.MAX_MEMBERS];
    private final int[] tags = new int[RecvGroup.MAX_MEMBERS];
    private final long[] sizes;

    RecvProgress(Counters counters, int maxRecvs, boolean untracksLl) {
        this.counters = counters;
        this.sizes = new long[Math.max(maxRecvs, RecvGroup.MAX_MEMBERS)];
        this.untracksLl = untracksLl;
    }

    @Override
    public int advance(ProxyArgs args) {
        if (args.state == State.READY) {
            int result = NetSteps.start(args);
            if (result < 0) {
                return result;
            }
            RecvGroup.form(args);
        }
        int moved = post(args);
        if (moved == 0) {
            moved = receive(args);
        }
        if (moved == 0) {
            moved = publish(args);
        }
        if (moved == 0) {
            moved = consume(args);
        }
        NetSteps.finishIfDone(args);
        assert moved < 0 || NetSteps.isOrdered(args) : args;
        return moved;
    }

    private int post(ProxyArgs args) {
        int usable = NetSteps.usable(args);
        int depth = NetSteps.depth(args.nsubs(), usable);
        int window = NetSteps.window(args, usable);
        int moved = 0;
        for (int i = 0; i < window; i++) {
            NetSub leader = NetSub.of(args.sub(i));
            if (leader.isLeader) {
                int result = post(args, leader.group, depth, window);
                if (result < 0) {
                    return result;
                }
                moved += result;
            }
        }
        return moved;
    }

    private int post(ProxyArgs args, RecvGroup group, int depth, int window) {
        int n = 0;
        int mask = 0;
        for (int i = 0; i < group.size; i++) {
            ProxySubArgs sub = group.member(i);
            if (sub.posted < sub.nsteps && sub.posted < sub.done + depth && group.index(i) < window) {
                int result = prepare(args, sub, NetSub.of(sub), n);
                if (result < 0) {
                    return result;
                }
                n += result;
                mask |= result << i;
            }
        }
        return n == 0 ? 0 : irecv(args, group, n, mask);
    }

    /** Finds where a sub's next slice goes; returns 0 if it cannot be told yet. */
    private int prepare(ProxyArgs args, ProxySubArgs sub, NetSub net, int n) {
        NetResources resources = net.resources;
        int slot = NetSteps.slot(sub.base + sub.posted);
        // With registered memory the kernel says for each step where its data shall go: place, then size with release.
        long capacity = sub.reg ? resources.recvMem.size(slot)
                : Math.min(net.slots.capacity(args.sliceSteps()), sub.nbytes);
        if (sub.reg && capacity == RecvMem.EMPTY || !net.isInUserMemory(sub, slot) && !net.slots.take(slot)) {
            return 0;
        }
        String fault = net.locate(args, sub, slot, capacity);
        if (fault != null) {
            return net.fail(args, sub, fault);
        }
        note(n, net, capacity);
        tags[n] = resources.setup.remoteRank();
        return 1;
    }

    /** Notes a slice for irecv or iflush; a store of a reference would cost the collector's barrier each time. */
    private void note(int n, NetSub net, long bytes) {
        if (memories[n] != net.memory) {
            memories[n] = net.memory;
        }
        offsets[n] = net.offset;
        capacities[n] = bytes;
    }

    private int irecv(ProxyArgs args, RecvGroup group, int n, int mask) {
        boolean isUntracked = untracksLl && group.size == 1 && args.protocol() != Protocol.SIMPLE.ordinal();
        long request = isUntracked ? group.comm.irecvUntracked(memories, offsets, capacities, tags)
                : group.comm.irecv(n, memories, offsets, capacities, tags);
        if (request < 0) {
            return NetSteps.fail(args, group.member(0), (int) request, group.comm);
        }
        if (request == 0) {
            counters.add(Counter.NET_BACK_PRESSURE, 1);
            return 0;
        }
        group.post(request, mask);
        for (int left = mask; left != 0; left &= left - 1) {
            posted(args, group.member(Integer.numberOfTrailingZeros(left)));
        }
        counters.add(Counter.NET_IRECVS, 1);
        return 1;
    }

    private static void posted(ProxyArgs args, ProxySubArgs sub) {
        NetResources resources = NetSub.of(sub).resources;
        if (sub.reg) {
            resources.recvMem.size(NetSteps.slot(sub.base + sub.posted), RecvMem.EMPTY);
        }
        sub.posted += args.sliceSteps();
        resources.underWay++;
    }

    private int receive(ProxyArgs args) {
        int moved = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            NetSub leader = NetSub.of(args.sub(i));
            if (leader.isLeader && leader.group.posted > leader.group.received) {
                int result = receive(args, leader.group);
                if (result < 0) {
                    return result;
                }
                moved += result;
            }
        }
        return moved;
    }

    private int receive(ProxyArgs args, RecvGroup group) {
        long request = group.oldestPosted();
        int result = group.comm.test(request, sizes);
        if (result <= 0) {
            return result == 0 ? 0 : NetSteps.fail(args, group.member(0), result, group.comm);
        }
        int n = 0;
        int mask = group.oldestPostedMask();
        for (int i = 0, left = mask; left != 0; left &= left - 1, i++) {
            ProxySubArgs sub = group.member(Integer.numberOfTrailingZeros(left));
            NetSub.of(sub).recvMem.stamp(NetSteps.slot(sub.base + sub.received), group.comm.stamp(request, i));
            n += received(args, sub, sizes[i], n);
        }
        long flush = n == 0 || !NetSub.of(group.member(0)).resources.flushesByNet ? 0
                : group.comm.iflush(n, memories, offsets, capacities);
        if (flush < 0) {
            return NetSteps.fail(args, group.member(0), (int) flush, group.comm);
        }
        if (flush == 0 && n > 0) {
            int flushed = flushDevice(args, group);
            if (flushed < 0) {
                return flushed;
            }
        }
        group.receive(flush);
        int published = flush > 0 ? 0 : publish(args, group);
        return published < 0 ? published : 1;
    }

    /** What the network does not flush, the device does at once. Returns a negated error if it cannot. */
    private static int flushDevice(ProxyArgs args, RecvGroup group) {
        ProxySubArgs sub = group.member(0);
        Device device = NetSub.of(sub).resources.flushed;
        int result = device == null ? 1 : device.flush();
        return result > 0 ? result : args.fail(ProxyResult.of(-result), sub.connection + ": " + device.name()
                + " cannot flush what the network wrote to its memory");
    }

    /** Counts a slice that came in; returns 1 if it has to be flushed, and notes where it lies. */
    private int received(ProxyArgs args, ProxySubArgs sub, long bytes, int n) {
        NetSub net = NetSub.of(sub);
        NetResources resources = net.resources;
        int slot = NetSteps.slot(sub.base + sub.received);
        int flushes = 0;
        if (bytes > 0 && resources.needsFlush && net.protocol == Protocol.SIMPLE) {
            net.locate(args, sub, slot, bytes);
            note(n, net, bytes);
            flushes = 1;
            if (resources.hdp != null) {
                resources.hdp.flush(sub.base + sub.received + args.sliceSteps());
            }
        }
        resources.recvMem.size(slot, RecvMem.EMPTY);
        sub.received += args.sliceSteps();
        assert resources.underWay > 0 : sub;
        resources.underWay--;
        sub.bytes += bytes;
        counters.add(Counter.NET_BYTES_RECEIVED, bytes);
        return flushes;
    }

    private int publish(ProxyArgs args) {
        int moved = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            NetSub leader = NetSub.of(args.sub(i));
            if (leader.isLeader && leader.group.received > leader.group.published) {
                int result = publish(args, leader.group);
                if (result < 0) {
                    return result;
                }
                moved += result;
            }
        }
        return moved;
    }

    /** Tells the kernels of the oldest slices that were received, unless their flush is under way. */
    private int publish(ProxyArgs args, RecvGroup group) {
        long flush = group.oldestFlush();
        int result = flush == 0 ? 1 : group.comm.test(flush, sizes);
        if (result <= 0) {
            return result == 0 ? 0 : NetSteps.fail(args, group.member(0), result, group.comm);
        }
        for (int left = group.oldestReceivedMask(); left != 0; left &= left - 1) {
            ProxySubArgs sub = group.member(Integer.numberOfTrailingZeros(left));
            sub.transmitted += args.sliceSteps();
            // Pairs with the kernel's acquire load of tail: it sees the data that the network wrote before.
            NetSub.of(sub).recvMem.tail(sub.base + sub.transmitted);
        }
        group.publish();
        return 1;
    }

    private static int consume(ProxyArgs args) {
        int moved = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            if (sub.transmitted > sub.done) {
                moved += consume(args, sub, NetSub.of(sub));
            }
        }
        return moved;
    }

    private static int consume(ProxyArgs args, ProxySubArgs sub, NetSub net) {
        int moved = 0;
        // head pairs with the kernel's release store after it read the data; only then may the network overwrite them.
        long head = net.sendMem.head();
        while (sub.transmitted > sub.done && head > sub.base + sub.done) {
            net.slots.give(NetSteps.slot(sub.base + sub.done));
            sub.done += args.sliceSteps();
            moved++;
        }
        if (moved > 0 && sub.isDone()) {
            net.finish(args, sub);
        }
        return moved;
    }
}
