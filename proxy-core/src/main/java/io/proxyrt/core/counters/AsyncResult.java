/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.jfr.ErrorEvent;
import io.proxyrt.core.jfr.Jfr;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Keeps the first failure of a runtime, as RCCL's {@code asyncResult} does. The caller can ask for it, and so can,
 * through the counters file, other processes. Later failures are logged. Any thread.
 */
public final class AsyncResult {
    private static final Logger LOGGER = Subsystem.PROXY.logger("failure");
    /** A peer that posts nonsense all day shall not fill a disk. */
    private static final int MOST_LOGGED = 100;

    private final AtomicInteger others = new AtomicInteger();
    private final AtomicReference<ProxyException> first = new AtomicReference<>();
    private final Counters counters;

    /**
     * A result without a failure, for agents that are put together by hand.
     *
     * @param counters of the same runtime, which show the failure to others
     */
    public AsyncResult(Counters counters) {
        this.counters = counters;
    }

    /**
     * Notes a failure.
     *
     * @param failure kept if it is the first; logged if it is one of the first
     */
    public void fail(ProxyException failure) {
        if (failure != first.get()) {
            counters.event(failure.result().code());
        }
        boolean isFirst = first.compareAndSet(null, failure);
        if (Jfr.recordsErrors() && (isFirst || failure != first.get())) {
            record(failure, isFirst);
        }
        if (isFirst) {
            counters.failure(failure.result().code(), failure.getMessage());
            LOGGER.error("rank {}: {}: {}", counters.rank(), failure.result(), failure.getMessage());
        } else if (failure != first.get() && failure.getCause() != first.get()) {
            int count = others.incrementAndGet();
            LOGGER.atLevel(count <= MOST_LOGGED ? Level.WARN : Level.DEBUG).log(
                    "rank {}, after the first failure: {}: {}{}", counters.rank(), failure.result(),
                    failure.getMessage(),
                    count == MOST_LOGGED ? "; from now on only the counters tell" : "");
        }
    }

    private void record(ProxyException failure, boolean isFirst) {
        ErrorEvent event = new ErrorEvent();
        event.rank = counters.rank();
        event.job = counters.job();
        event.result = failure.result().name();
        event.message = failure.getMessage();
        event.isFirst = isFirst;
        event.commit();
    }

    /**
     * The first failure.
     *
     * @return null while all is well
     */
    public ProxyException failure() {
        return first.get();
    }

    /**
     * Throws the first failure, if there is one.
     *
     * @throws ProxyException with the failure's result and message, and the failure as its cause
     */
    public void check() {
        ProxyException failure = first.get();
        if (failure != null) {
            throw new ProxyException(failure.result(), failure.getMessage(), failure);
        }
    }
}
