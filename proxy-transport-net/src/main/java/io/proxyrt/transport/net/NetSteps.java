/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxySubArgs;
import io.proxyrt.transport.net.spi.NetComm;

/** The arithmetic of steps that both directions share. */
final class NetSteps {
    private NetSteps() {
    }

    /** Fixes where each op starts; returns 0, or a negated error for an op that could never end. */
    static int start(ProxyArgs args) {
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            String refusal = NetSub.start(args, sub);
            if (refusal != null) {
                return args.fail(ProxyResult.INVALID_ARGUMENT, refusal);
            }
            int result = start(args, sub, NetSub.of(sub));
            if (result < 0) {
                return result;
            }
        }
        NetSlots.Pooled pooled = NetSub.of(args.sub(0)).pooled;
        if (pooled != null) {
            pooled.pool().begin(pooled.channel());
        }
        args.state = State.PROGRESS;
        return 0;
    }

    /**
     * The kernel rounds its own step counter the same way. On a dedicated connection the steps passed over are credits
     * that it does not get back before its first slice is done, so too many of them leave it none to write that slice
     * with.
     */
    private static int start(ProxyArgs args, ProxySubArgs sub, NetSub net) {
        NetResources resources = net.resources;
        long base = roundUp(resources.step, args.chunkSteps());
        long skipped = resources.setup.isShared() ? 0 : base - resources.step;
        if (DeviceConnection.STEPS % args.sliceSteps() != 0 || skipped + args.sliceSteps() > DeviceConnection.STEPS) {
            return args.fail(ProxyResult.INVALID_ARGUMENT, sub.connection + ": slices of " + args.sliceSteps()
                    + " steps in chunks of " + args.chunkSteps() + " do not fit into " + DeviceConnection.STEPS
                    + " slots, after an op that ended at step " + resources.step);
        }
        assert base % args.chunkSteps() == 0 && base >= resources.step && sub.nsteps % args.sliceSteps() == 0 : sub;
        sub.base = base;
        sub.posted = 0;
        sub.received = 0;
        sub.transmitted = 0;
        sub.done = 0;
        resources.step = base + sub.nsteps;
        return 0;
    }

    /**
     * Slices that the subs of a group may have under way together: as many as the pool has slots for them, if they
     * share one.
     */
    static int usable(ProxyArgs args) {
        NetSlots.Pooled pooled = NetSub.of(args.sub(0)).pooled;
        return pooled == null ? SharedPool.SLOTS : pooled.pool().usable(pooled.channel());
    }

    /** Steps that a sub may have under way: RCCL's maxDepth, except that a group of more than 16 still moves. */
    static int depth(int nsubs, int usable) {
        // Most groups are of one sub: they are spared the division.
        int each = nsubs == 1 ? usable : usable / nsubs;
        return Math.max(1, Math.min(DeviceConnection.STEPS, each));
    }

    /**
     * The index behind the last sub that may post: as many of the oldest unfinished ones may as there are slots, so
     * that each of them has one for sure. Kernels run in the order of ops, so the oldest always moves.
     */
    static int window(ProxyArgs args, int usable) {
        if (args.nsubs() <= usable) {
            return args.nsubs();
        }
        int unfinished = 0;
        int index = 0;
        while (index < args.nsubs() && unfinished < usable) {
            if (!args.sub(index++).isDone()) {
                unfinished++;
            }
        }
        return index;
    }

    static int slot(long absoluteStep) {
        return (int) (absoluteStep % DeviceConnection.STEPS);
    }

    static void finishIfDone(ProxyArgs args) {
        if (args.done == args.nsubs()) {
            args.state = State.NONE;
        }
    }

    /** Whether all counters stand as they must after a pass. */
    static boolean isOrdered(ProxyArgs args) {
        int finished = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            finished += sub.isDone() ? 1 : 0;
            boolean isOrdered = sub.connection.direction() == Direction.SEND ? sub.isSendOrdered()
                    : sub.isRecvOrdered();
            if (!isOrdered || !isWhole(args, sub)) {
                return false;
            }
        }
        return finished == args.done;
    }

    /** Whether every counter stands at the end of a slice. */
    private static boolean isWhole(ProxyArgs args, ProxySubArgs sub) {
        int slice = args.sliceSteps();
        return sub.posted % slice == 0 && sub.received % slice == 0 && sub.transmitted % slice == 0
                && sub.done % slice == 0;
    }

    static int fail(ProxyArgs args, ProxySubArgs sub, int code, NetComm comm) {
        int channelId = NetSub.of(sub).resources.setup.channelId();
        return args.fail(ProxyResult.of(-code), sub.connection + ", channel " + channelId + ", step "
                + (sub.base + sub.done) + ": " + comm.failure());
    }

    private static long roundUp(long step, int unit) {
        return (step + unit - 1) / unit * unit;
    }
}
