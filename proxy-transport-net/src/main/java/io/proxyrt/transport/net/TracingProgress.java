/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxyProgress;
import io.proxyrt.core.progress.ProxySubArgs;
import java.util.function.Consumer;

/** Logs each move of a counter that a progress function makes, one line for each sub that moved. */
final class TracingProgress implements ProxyProgress {
    private static final int COUNTERS = 4;

    private final int rank;
    private final ProxyProgress progress;
    private final Consumer<String> log;
    private final long[] before = new long[ProxyArgs.MAX_SUBS * COUNTERS];

    TracingProgress(int rank, ProxyProgress progress, Consumer<String> log) {
        this.rank = rank;
        this.progress = progress;
        this.log = log;
    }

    @Override
    public int advance(ProxyArgs args) {
        boolean isStarting = args.state == State.READY;
        for (int i = 0; i < args.nsubs(); i++) {
            note(args.sub(i), i * COUNTERS, isStarting);
        }
        int moved = progress.advance(args);
        for (int i = 0; i < args.nsubs(); i++) {
            trace(args, args.sub(i), i * COUNTERS);
        }
        if (moved < 0) {
            log.accept("rank " + rank + " failed with " + ProxyResult.of(-moved) + ": " + args);
        }
        return moved;
    }

    private void note(ProxySubArgs sub, int at, boolean isStarting) {
        before[at] = isStarting ? 0 : sub.posted;
        before[at + 1] = isStarting ? 0 : sub.received;
        before[at + 2] = isStarting ? 0 : sub.transmitted;
        before[at + 3] = isStarting ? 0 : sub.done;
    }

    private void trace(ProxyArgs args, ProxySubArgs sub, int at) {
        StringBuilder moves = new StringBuilder();
        move(moves, " posted ", before[at], sub.posted);
        move(moves, " received ", before[at + 1], sub.received);
        move(moves, " transmitted ", before[at + 2], sub.transmitted);
        move(moves, " done ", before[at + 3], sub.done);
        if (!moves.isEmpty()) {
            log.accept("rank " + rank + " op " + args.opCount() + " " + sub.connection + ", base " + sub.base + ":"
                    + moves + " of " + sub.nsteps);
        }
    }

    private static void move(StringBuilder moves, String counter, long from, long to) {
        if (from != to) {
            moves.append(counter).append(from).append(" to ").append(to);
        }
    }
}
