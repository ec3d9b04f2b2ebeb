/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.agent.BackoffIdle;
import io.proxyrt.core.agent.IdleStrategy;
import io.proxyrt.core.agent.thread.ThreadSetup;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.IdleStrategyKind;
import io.proxyrt.core.config.ProxyConfig;
import java.util.Locale;
import java.util.Map;

/** Ways in which a consumer idles between bursts. */
enum IdleKind {
    /** Never lets go of its core. */
    SPIN,
    /** The runtime's thresholds: spins, then yields, then parks until woken. */
    BACKOFF,
    /** Sleeps until shortly before the next burst is due. */
    LEARNED;

    static IdleKind of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    IdleStrategy strategy(ProxyConfig config) {
        return switch (this) {
            case SPIN -> new BackoffIdle(config, Integer.MAX_VALUE, 0);
            case BACKOFF -> new BackoffIdle(config);
            case LEARNED -> ThreadSetup.idle(config, ThreadSetup.Duty.PROGRESS);
        };
    }

    /** Of the runtime whose thread it would be, with more options. */
    ProxyConfig config(Map<String, String> options) {
        ProxyConfig.Builder config = RigArguments.config(options);
        return (this == LEARNED ? config.set(CoreOptions.IDLE_STRATEGY, IdleStrategyKind.LEARN) : config).build();
    }
}
