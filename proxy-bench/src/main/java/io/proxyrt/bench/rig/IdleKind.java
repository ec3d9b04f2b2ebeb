/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.BackoffIdle;
import io.proxyrt.core.config.ProxyConfig;
import java.util.Locale;
import java.util.Map;

/** Ways in which a consumer idles between bursts. */
enum IdleKind {
    /** Never lets go of its core. */
    SPIN {
        @Override
        Strategy strategy() {
            return new BackoffIdle(config(), Integer.MAX_VALUE, 0)::idle;
        }
    },
    /** The runtime's thresholds: spins, then yields, then parks until woken. */
    BACKOFF {
        @Override
        Strategy strategy() {
            return new BackoffIdle(config())::idle;
        }
    };

    /** What to do after a pass. */
    @FunctionalInterface
    interface Strategy {
        void idle(int workCount, Agent agent);
    }

    static IdleKind of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    abstract Strategy strategy();

    private static ProxyConfig config() {
        return ProxyConfig.builder().environment(Map.of()).build();
    }
}
