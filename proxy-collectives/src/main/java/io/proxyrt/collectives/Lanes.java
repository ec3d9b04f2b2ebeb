/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.runtime.ProxyState;
import java.time.Duration;
import java.util.Arrays;

/**
 * Lanes of the ops pool for all communicators of a runtime, of which there may be more than lanes. One that posts takes
 * a lane that is free, or one of another communicator's without ops in flight. Thread-safe.
 */
final class Lanes {
    private static final long PARK_NS = 50_000;

    private final ProxyState proxy;
    /** Copied when it changes. */
    private volatile LanePoster[] posters = {};

    Lanes(ProxyState proxy) {
        this.proxy = proxy;
    }

    /** Those of a runtime, which may be this one. */
    Lanes of(ProxyState runtime) {
        return runtime == proxy ? this : new Lanes(runtime);
    }

    ProxyState proxy() {
        return proxy;
    }

    /** For a communicator, which closes it; without a lane so far. */
    synchronized LanePoster poster(FirstFailure failure, Duration timeout) {
        LanePoster[] more = Arrays.copyOf(posters, posters.length + 1);
        more[posters.length] = new LanePoster(this, failure, timeout);
        posters = more;
        return more[more.length - 1];
    }

    /** Whether any communicator has ops that have not ended. */
    boolean isAnyOutstanding() {
        for (LanePoster poster : posters) {
            if (poster.outstanding() > 0) {
                return true;
            }
        }
        return false;
    }

    synchronized void forget(LanePoster poster) {
        posters = Arrays.stream(posters).filter(other -> other != poster).toArray(LanePoster[]::new);
    }

    /** A lane for one that has none. Waits for one that another communicator has no ops in, and drives meanwhile. */
    OpsPoster take(LanePoster taker, FirstFailure failure, Duration timeout, Runnable driver) {
        long start = System.nanoTime();
        OpsPoster lane = tryTake(taker);
        while (lane == null) {
            failure.check();
            if (System.nanoTime() - start > timeout.toNanos()) {
                throw new ProxyException(ProxyResult.TIMEOUT, "all lanes of the ops pool are taken, by communicators"
                        + " with ops in flight or by other posters, and none was given back within "
                        + timeout.toMillis() + " ms; let fewer be in flight at a time, or raise " + CoreOptions.LANES);
            }
            driver.run();
            Uninterruptibly.parkNanos(PARK_NS);
            lane = tryTake(taker);
        }
        return lane;
    }

    /** Null if there is none. */
    private synchronized OpsPoster tryTake(LanePoster taker) {
        OpsPoster lane = free();
        LanePoster[] all = posters;
        for (int i = 0; lane == null && i < all.length; i++) {
            lane = all[i] != taker && all[i].giveUp() ? free() : null;
        }
        return lane;
    }

    private OpsPoster free() {
        try {
            return proxy.poster();
        } catch (ProxyException e) {
            if (e.result() != ProxyResult.INVALID_USAGE) {
                throw e;
            }
            return null;
        }
    }
}
