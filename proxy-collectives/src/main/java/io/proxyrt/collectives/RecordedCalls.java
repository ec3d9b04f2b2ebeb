/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.core.jfr.CollectiveEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** The calls of a launch that Flight Recorder hears of, once. */
final class RecordedCalls {
    private final List<CollectiveEvent> events = new ArrayList<>();
    /** By event; null for what consists of messages, or moves nothing. */
    private final List<CollectiveWork> works = new ArrayList<>();
    private final AtomicBoolean isEnded = new AtomicBoolean();

    void add(CollectiveEvent event, CollectiveWork work) {
        events.add(event);
        works.add(work);
    }

    /** Before the work is used for another launch. */
    void wentBy(Function<CollectiveWork, Algorithm> algorithm) {
        for (int i = 0; i < events.size(); i++) {
            if (works.get(i) != null) {
                events.get(i).algorithm = algorithm.apply(works.get(i)).name();
            }
        }
    }

    /** Their data are there, or never will be. Any thread; idempotent. */
    void end(boolean isFailed) {
        if (isEnded.compareAndSet(false, true)) {
            for (CollectiveEvent event : events) {
                event.isFailed = isFailed;
                event.commit();
            }
        }
    }
}
