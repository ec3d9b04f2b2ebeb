/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.agent.BackoffIdle;
import io.proxyrt.core.agent.IdleStrategy;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.util.Locale;
import java.util.Map;

/** Ways in which a consumer idles between bursts. */
enum IdleKind {
    /** Never lets go of its core. */
    SPIN {
        @Override
        IdleStrategy strategy() {
            return new BackoffIdle(config(), Integer.MAX_VALUE, 0);
        }
    },
    /** The runtime's thresholds: spins, then yields, then parks until woken. */
    BACKOFF {
        @Override
        IdleStrategy strategy() {
            return new BackoffIdle(config());
        }
    },
    /** Sleeps through most of a gap as long as those before. */
    LEARNED {
        @Override
        IdleStrategy strategy() {
            return IdleStrategy.of(config());
        }

        @Override
        ProxyConfig config() {
            return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.IDLE_STRATEGY, IdleStrategy.Kind.LEARN)
                    .build();
        }
    };

    static IdleKind of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    abstract IdleStrategy strategy();

    /** Of the runtime whose thread it would be. */
    ProxyConfig config() {
        return ProxyConfig.builder().environment(Map.of()).build();
    }
}
