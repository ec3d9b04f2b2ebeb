/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.jmh;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxySubArgs;

/** Sends as NET does, up to the point where it would find data: a pass looks at the tail that the kernel would move. */
final class WaitingProgress {
    private WaitingProgress() {
    }

    /** What a transport keeps with an op. */
    private record Words(RecvMem recvMem) {
    }

    static int advance(ProxyArgs args) {
        if (args.state == State.READY) {
            start(args);
        }
        int moved = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            if (!sub.isDone()) {
                moved += advance(args, sub);
            }
        }
        return moved;
    }

    private static void start(ProxyArgs args) {
        for (int i = 0; i < args.nsubs(); i++) {
            args.sub(i).attachment = new Words((RecvMem) args.sub(i).connection.resources());
        }
        args.state = State.PROGRESS;
    }

    private static int advance(ProxyArgs args, ProxySubArgs sub) {
        if (sub.posted < sub.nsteps && sub.posted < sub.done + DeviceConnection.STEPS) {
            sub.posted += args.sliceSteps();
            return 1;
        }
        RecvMem recvMem = ((Words) sub.attachment).recvMem;
        if (sub.transmitted != sub.posted && recvMem.tail() > sub.base + sub.transmitted) {
            return args.fail(ProxyResult.INTERNAL_ERROR, "a kernel has written, and there is none");
        }
        return 0;
    }
}
