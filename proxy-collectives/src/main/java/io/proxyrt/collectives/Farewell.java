/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.Bootstrap;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.runtime.CloseReport;
import io.proxyrt.core.runtime.ProxyState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The end of a communicator: what is launched is finished or dropped and told, then the rank leaves its group. */
final class Farewell {
    private static final Duration LONGEST = Duration.ofDays(36_500);
    /** Within which a thread leaves a call that was aborted. */
    private static final long LEAVE_NS = 2_000_000_000;

    private final ProxyState proxy;
    private final Bootstrap bootstrap;
    private final Launches launches;
    private final CommunicatorParts parts;
    private final SingleUser user;
    private final List<String> abandoned = new ArrayList<>();

    Farewell(ProxyState proxy, Bootstrap bootstrap, Launches launches) {
        this.proxy = proxy;
        this.bootstrap = bootstrap;
        this.launches = launches;
        this.parts = launches.parts;
        this.user = parts.user;
    }

    CloseReport close(Duration timeout) {
        long start = System.nanoTime();
        long deadline = start + (timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST).toNanos();
        if (isLeft()) {
            finish(deadline);
        }
        if (!abandoned.isEmpty()) {
            bootstrap.abort("it closed and did not finish: " + String.join("; ", abandoned));
        }
        bootstrap.close();
        return new CloseReport(List.copyOf(abandoned), Duration.ofNanos(System.nanoTime() - start));
    }

    /** Whether no other thread is in a call, or comes out of it now. */
    private boolean isLeft() {
        if (user.enterLast()) {
            return true;
        }
        String inside = user.describe();
        abandoned.add(inside + " was in a call, which was aborted");
        parts.failure.end(new ProxyException(ProxyResult.INVALID_USAGE, "rank " + bootstrap.rank()
                + " was closed while " + inside + " was in a call"));
        boolean isLeft = user.enterLast(System.nanoTime() + LEAVE_NS);
        if (!isLeft) {
            abandoned.add(inside + " did not return from it; the runtime stays");
        }
        return isLeft;
    }

    private void finish(long deadline) {
        parts.memory.close();
        if (parts.failure.isKnown()) {
            parts.failure.end(proxy.asyncResult().failure());
        }
        launches.close(deadline, abandoned);
        abandoned.addAll(proxy.close(Duration.ofNanos(Math.max(0, deadline - System.nanoTime()))).abandoned());
    }
}
