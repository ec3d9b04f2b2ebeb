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
    SPIN {
        @Override
        IdleStrategy strategy(ProxyConfig config) {
            return new BackoffIdle(config, Integer.MAX_VALUE, 0);
        }
    },
    /** The runtime's thresholds: spins, then yields, then parks until woken. */
    BACKOFF {
        @Override
        IdleStrategy strategy(ProxyConfig config) {
            return new BackoffIdle(config);
        }
    },
    /** Sleeps until shortly before the next burst is due. */
    LEARNED {
        @Override
        IdleStrategy strategy(ProxyConfig config) {
            return ThreadSetup.idle(config, ThreadSetup.Duty.PROGRESS);
        }
    };

    static IdleKind of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    abstract IdleStrategy strategy(ProxyConfig config);

    /** Of the runtime whose thread it would be, with more options. */
    ProxyConfig config(Map<String, String> options) {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of());
        if (this == LEARNED) {
            config.set(CoreOptions.IDLE_STRATEGY, IdleStrategyKind.LEARN);
        }
        options.forEach(config::set);
        return config.build();
    }
}
