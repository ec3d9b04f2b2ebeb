/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxySubArgs;
import io.proxyrt.transport.net.spi.NetComm;

/** The arithmetic of steps that both directions share. */
final class NetSteps {
    /** Requests of all subs of a group together. */
    private static final int MAX_DEPTH = 2 * DeviceConnection.STEPS;

    private NetSteps() {
    }

    /** Fixes where each op starts; returns 0, or a negated error for an op that could never end. */
    static int start(ProxyArgs args) {
        for (int i = 0; i < args.nsubs(); i++) {
            int result = start(args, args.sub(i));
            if (result < 0) {
                return result;
            }
        }
        args.state = State.PROGRESS;
        return 0;
    }

    /**
     * The kernel rounds its own step counter the same way. The steps passed over are credits that it does not get back
     * before its first slice is done, so too many of them leave it none to write that slice with.
     */
    private static int start(ProxyArgs args, ProxySubArgs sub) {
        NetResources resources = (NetResources) sub.connection.resources();
        long base = roundUp(resources.step, args.chunkSteps());
        if (DeviceConnection.STEPS % args.sliceSteps() != 0
                || base - resources.step + args.sliceSteps() > DeviceConnection.STEPS) {
            return args.fail(ProxyResult.INVALID_ARGUMENT, sub.connection + ": slices of " + args.sliceSteps()
                    + " steps in chunks of " + args.chunkSteps() + " do not fit into " + DeviceConnection.STEPS
                    + " slots, after an op that ended at step " + resources.step);
        }
        sub.base = base;
        sub.posted = 0;
        sub.received = 0;
        sub.transmitted = 0;
        sub.done = 0;
        resources.step = base + sub.nsteps;
        return 0;
    }

    /** Steps that a sub may have under way: RCCL's maxDepth, except that a group of more than 16 still moves. */
    static int depth(int nsubs) {
        return Math.max(1, Math.min(DeviceConnection.STEPS, MAX_DEPTH / nsubs));
    }

    static int slot(long absoluteStep) {
        return (int) (absoluteStep % DeviceConnection.STEPS);
    }

    static void finishIfDone(ProxyArgs args) {
        if (args.done == args.nsubs()) {
            args.state = State.NONE;
        }
    }

    /** Whether every counter stands at the end of a slice. */
    static boolean isWhole(ProxyArgs args, ProxySubArgs sub) {
        int slice = args.sliceSteps();
        return sub.posted % slice == 0 && sub.received % slice == 0 && sub.transmitted % slice == 0
                && sub.done % slice == 0;
    }

    static int fail(ProxyArgs args, ProxySubArgs sub, int code, NetComm comm) {
        return args.fail(ProxyResult.of(-code), sub.connection + ": " + comm.failure());
    }

    private static long roundUp(long step, int unit) {
        return (step + unit - 1) / unit * unit;
    }
}
