/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxyProgress;
import io.proxyrt.core.progress.ProxySubArgs;
import java.lang.foreign.MemorySegment;

/** The sender's proxy: hands full slots over to the receiver. */
final class HandoverProgress implements ProxyProgress {
    private static final int SIMPLE = Protocol.SIMPLE.ordinal();

    @Override
    public int advance(ProxyArgs args) {
        if (args.state == State.READY) {
            for (int i = 0; i < args.nsubs(); i++) {
                start(args, args.sub(i));
            }
            args.state = State.PROGRESS;
        }
        int moved = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            int result = args.sub(i).isDone() ? 0 : handOver(args, args.sub(i));
            if (result < 0) {
                return result;
            }
            moved += result;
        }
        if (args.done == args.nsubs()) {
            args.state = State.NONE;
        }
        return moved;
    }

    /** Kernels round their step counter up in the same way. Lines of LL and LL128 need no proxy. */
    private static void start(ProxyArgs args, ProxySubArgs sub) {
        HandoverEnd out = (HandoverEnd) sub.connection.resources();
        sub.attachment = out;
        sub.base = (out.step + args.chunkSteps() - 1) / args.chunkSteps() * args.chunkSteps();
        out.step = sub.base + sub.nsteps;
        count(args, sub, args.protocol() == SIMPLE ? 0 : sub.nsteps);
    }

    /** At most one slice: each connection gets its turn. */
    private static int handOver(ProxyArgs args, ProxySubArgs sub) {
        HandoverEnd out = (HandoverEnd) sub.attachment;
        HandoverEnd in = out.receiver();
        long step = sub.base + sub.done;
        if (out.recvMem.tail() < step + args.sliceSteps()) {
            return 0;
        }
        int slot = (int) (step % DeviceConnection.STEPS);
        long bytes = out.recvMem.size(slot);
        long offset = slot * (out.simple().byteSize() / DeviceConnection.STEPS);
        if (bytes < 0 || bytes > sub.nbytes || offset + bytes > out.simple().byteSize()) {
            return args.fail(ProxyResult.INVALID_ARGUMENT, sub.connection + ", step " + step + ": a slice of " + bytes
                    + " bytes, where " + sub.nbytes + " can be");
        }
        MemorySegment.copy(out.simple(), offset, in.simple(), offset, bytes);
        in.recvMem.stamp(slot, out.recvMem.stamp(slot));
        out.recvMem.size(slot, RecvMem.EMPTY);
        in.recvMem.tail(step + args.sliceSteps());
        count(args, sub, sub.done + args.sliceSteps());
        return 1;
    }

    private static void count(ProxyArgs args, ProxySubArgs sub, long steps) {
        sub.posted = steps;
        sub.transmitted = steps;
        sub.done = steps;
        if (sub.isDone()) {
            args.done++;
        }
    }
}
