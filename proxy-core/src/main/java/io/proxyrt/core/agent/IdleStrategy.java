/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;

/** What a thread does between passes of its agent in which nothing moved. Each thread has one of its own. */
public interface IdleStrategy {
    /**
     * Waits a little, if nothing was done. Allocates nothing.
     *
     * @param workCount what {@link Agent#doWork()} returned
     * @param agent     knows how to park
     */
    void idle(int workCount, Agent agent);

    /** Forgets how long it has waited: starts over with spinning. */
    void reset();

    /**
     * The configured one.
     *
     * @param config {@link CoreOptions#IDLE_STRATEGY} and its thresholds
     * @return for one thread
     */
    static IdleStrategy of(ProxyConfig config) {
        BackoffIdle backoff = new BackoffIdle(config);
        return switch (config.get(CoreOptions.IDLE_STRATEGY)) {
            case BACKOFF -> backoff;
            case LEARN -> new LearningIdle(backoff, System::nanoTime);
        };
    }

    /**
     * The one for threads that control: they look for a while after work, then sleep.
     *
     * @param config {@link CoreOptions#CONTROL_LINGER}
     * @return for one thread
     */
    static IdleStrategy ofControl(ProxyConfig config) {
        return new LingerIdle(config, System::nanoTime);
    }
}
