/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankRuntime;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.runtime.CloseReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The end of a communicator: what is launched is finished or dropped and told, then the rank leaves its group; the last
 * communicator ends the runtime.
 */
final class Farewell {
    private static final Duration LONGEST = Duration.ofDays(36_500);
    /** Within which a thread leaves a call that was aborted. */
    private static final long LEAVE_NS = 2_000_000_000;

    private final RankRuntime runtime;
    private final Launches launches;
    private final CommunicatorParts parts;
    private final SingleUser user;
    private final List<String> abandoned = new ArrayList<>();
    private CloseReport report;

    Farewell(RankRuntime runtime, Launches launches) {
        this.runtime = runtime;
        this.launches = launches;
        this.parts = launches.parts;
        this.user = parts.user;
    }

    /** Idempotent. Blocks no longer than the timeout and a moment, whether interrupted or not. */
    synchronized CloseReport close(Duration timeout) {
        if (report == null) {
            Uninterruptibly.run(() -> report = closeNow(timeout));
        }
        return report;
    }

    private CloseReport closeNow(Duration timeout) {
        long start = System.nanoTime();
        long deadline = start + (timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST).toNanos();
        if (isLeft()) {
            finish(deadline);
        } else {
            runtime.group().abort("it closed and did not finish: " + String.join("; ", abandoned));
            if (!runtime.isShared()) {
                runtime.bootstrap().close();
            }
        }
        return new CloseReport(List.copyOf(abandoned), Duration.ofNanos(System.nanoTime() - start));
    }

    /** Whether no other thread is in a call, or comes out of it now. */
    private boolean isLeft() {
        if (user.enterLast()) {
            return true;
        }
        String inside = user.describe();
        abandoned.add(inside + " was in a call, which was aborted");
        parts.failure.end(new ProxyException(ProxyResult.INVALID_USAGE, runtime.group().self()
                + " was closed while " + inside + " was in a call"));
        boolean isLeft = user.enterLast(System.nanoTime() + LEAVE_NS);
        if (!isLeft) {
            abandoned.add(inside + " did not return from it; the runtime stays");
        }
        return isLeft;
    }

    private void finish(long deadline) {
        boolean isShared = runtime.isShared();
        if (isShared) {
            leave(deadline);
        } else {
            parts.memory.close();
        }
        if (parts.failure.isKnown()) {
            parts.failure.end(parts.failure.first());
        }
        launches.close(deadline, abandoned);
        List<String> left = List.copyOf(abandoned);
        abandoned.addAll(runtime.close(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())), left).abandoned());
    }

    /** What others use stays: this one's own is finished, and given back. */
    private void leave(long deadline) {
        launches.finish(deadline);
        long kernels = launches.outstandingKernels();
        long ops = parts.poster.outstanding();
        if (kernels + ops > 0) {
            parts.failure.end(new ProxyException(ProxyResult.INVALID_USAGE, runtime.group().self()
                    + " was closed, and " + kernels + " kernels and " + ops + " ops of it were not finished"));
        }
        if (ops > 0) {
            abandoned.add(ops + " ops posted and not finished");
        }
        if (parts.failure.isKnown()) {
            parts.memory.close();
        } else {
            parts.memory.leave(deadline);
        }
        launches.leave(deadline, abandoned);
    }
}
