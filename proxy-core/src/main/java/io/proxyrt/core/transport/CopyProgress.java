/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxyProgress;
import io.proxyrt.core.progress.ProxySubArgs;

/**
 * Advances ops of copy-engine mode: RCCL's {@code shmSendProxyProgress} and {@code shmRecvProxyProgress}, which mirror
 * each other. For each sub, at most one of each a pass:
 *
 * <ol>
 * <li>transmit: begin to copy the next slice that is there, up to eight steps ahead of done;
 * <li>complete: look whether the oldest slice is copied, and publish it.
 * </ol>
 *
 * Between passes {@link CopyLanes} gives the device what has gathered, and asks it how far it is.
 *
 * <pre>
 *  done ≤ transmitted ≤ nsteps       transmitted - done ≤ 8       posted and received are not used
 * </pre>
 *
 * <p>Nothing here gives credits: head goes from kernel to kernel. A slot is free when the receiving kernel has read it;
 * then no copy to it or from it is under way. LL and LL128 go from kernel to kernel too; their ops are done at once,
 * and only count steps.
 */
public final class CopyProgress implements ProxyProgress {
    private static final int SIMPLE = Protocol.SIMPLE.ordinal();

    /** Without state: one serves all connections. */
    public CopyProgress() {
    }

    @Override
    public int advance(ProxyArgs args) {
        int moved = 0;
        if (args.state == State.READY) {
            moved = start(args);
        }
        for (int i = 0; moved >= 0 && i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            if (!sub.isDone()) {
                int result = advance(args, sub, engine(sub));
                moved = result < 0 ? result : moved + result;
            }
        }
        if (moved >= 0 && args.done == args.nsubs()) {
            args.state = State.NONE;
        }
        assert moved < 0 || isOrdered(args) : args;
        return moved;
    }

    /** {@inheritDoc} A sender waits for its own kernel only. */
    @Override
    public boolean awaitsPeer(ProxyArgs args, ProxySubArgs sub) {
        return sub.connection.direction() == Direction.RECV && !sub.isDone() && sub.done == sub.transmitted
                && engine(sub).arrived(sub.base + sub.transmitted) == RecvMem.EMPTY;
    }

    private static CopyEngine engine(ProxySubArgs sub) {
        return (CopyEngine) sub.attachment;
    }

    private static int start(ProxyArgs args) {
        if (DeviceConnection.STEPS % args.sliceSteps() != 0 || args.chunkSteps() % args.sliceSteps() != 0) {
            return args.fail(ProxyResult.INVALID_ARGUMENT, args.sub(0).connection + ": slices of " + args.sliceSteps()
                    + " steps in chunks of " + args.chunkSteps() + " do not fit into " + DeviceConnection.STEPS
                    + " slots");
        }
        for (int i = 0; i < args.nsubs(); i++) {
            if (!(args.sub(i).connection.resources() instanceof CopyEngine.Holder)) {
                return args.fail(ProxyResult.INVALID_USAGE, args.sub(i).connection + " carries no data");
            }
        }
        for (int i = 0; i < args.nsubs(); i++) {
            start(args, args.sub(i));
        }
        args.state = State.PROGRESS;
        return args.done;
    }

    /** The kernel rounds its own step counter the same way. */
    private static void start(ProxyArgs args, ProxySubArgs sub) {
        CopyEngine engine = ((CopyEngine.Holder) sub.connection.resources()).engine();
        sub.attachment = engine;
        sub.base = (engine.step + args.chunkSteps() - 1) / args.chunkSteps() * args.chunkSteps();
        engine.step = sub.base + sub.nsteps;
        boolean isCopied = args.protocol() == SIMPLE && sub.nsteps > 0;
        sub.posted = 0;
        sub.received = 0;
        sub.transmitted = isCopied ? 0 : sub.nsteps;
        sub.done = sub.transmitted;
        if (!isCopied) {
            args.done++;
        }
    }

    private static int advance(ProxyArgs args, ProxySubArgs sub, CopyEngine engine) {
        int transmitted = transmit(args, sub, engine);
        if (transmitted < 0) {
            return transmitted;
        }
        int completed = complete(args, sub, engine);
        return completed < 0 ? completed : transmitted + completed;
    }

    private static int transmit(ProxyArgs args, ProxySubArgs sub, CopyEngine engine) {
        if (sub.transmitted == sub.nsteps || sub.transmitted - sub.done == DeviceConnection.STEPS) {
            return 0;
        }
        long step = sub.base + sub.transmitted;
        long bytes = engine.arrived(step);
        if (bytes == RecvMem.EMPTY) {
            return 0;
        }
        if (bytes < 0 || bytes > engine.capacity(args.sliceSteps())) {
            return fail(args, sub, step, ProxyResult.INVALID_ARGUMENT, "a slice of " + bytes + " bytes in a slot of "
                    + engine.capacity(args.sliceSteps()));
        }
        int taken = engine.copy(step, bytes, step + args.sliceSteps());
        if (taken <= 0) {
            return taken == 0 ? 0 : fail(args, sub, step, ProxyResult.of(-taken), engine.failure());
        }
        sub.transmitted += args.sliceSteps();
        sub.bytes += bytes;
        return 1;
    }

    private static int complete(ProxyArgs args, ProxySubArgs sub, CopyEngine engine) {
        if (sub.done == sub.transmitted) {
            return 0;
        }
        long step = sub.base + sub.done;
        int copied = engine.isCopied(step);
        if (copied <= 0) {
            return copied == 0 ? 0 : fail(args, sub, step, ProxyResult.of(-copied), engine.failure());
        }
        sub.done += args.sliceSteps();
        engine.publish(step, sub.base + sub.done);
        if (sub.isDone()) {
            args.done++;
        }
        return 1;
    }

    private static int fail(ProxyArgs args, ProxySubArgs sub, long step, ProxyResult result, String reason) {
        return args.fail(result, sub.connection + ", channel " + sub.channelId + ", step " + step + ": " + reason);
    }

    /**
     * Whether all counters stand as they must after a pass; for tests.
     *
     * @param args of ops that are copied
     * @return true if they do
     */
    public static boolean isOrdered(ProxyArgs args) {
        int slice = args.sliceSteps();
        int finished = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            if (sub.done < 0 || sub.done > sub.transmitted || sub.transmitted > sub.nsteps || sub.done % slice != 0
                    || sub.transmitted - sub.done > DeviceConnection.STEPS || sub.transmitted % slice != 0) {
                return false;
            }
            finished += sub.isDone() ? 1 : 0;
        }
        return finished == args.done;
    }
}
