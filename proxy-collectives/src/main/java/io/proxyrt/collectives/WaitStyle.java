/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.agent.BackoffIdle;
import io.proxyrt.core.agent.IdleStrategy;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.util.Arrays;

/**
 * How the caller waits. With more ranks than cores, whoever spins keeps the rank from working that it waits for: so it
 * sleeps in the network soon, or, where kernels reach each other and nothing would wake it, goes on yielding. With a
 * core for each rank it spins: yielding would only hand a time slice to somebody outside the job.
 */
final class WaitStyle {
    private static final int CROWDED_YIELDS = 200;
    /** About what a scheduler's slices of a few neighbours take. */
    private static final int CROWDED_DIRECT_YIELDS = 20_000;
    private static final int INVOKER_SPINS = 5000;

    private WaitStyle() {
    }

    static IdleStrategy of(ProxyConfig config, int localRanks, Ring[] rings) {
        if (config.get(CoreOptions.THREADING) != ThreadingMode.INVOKER) {
            return new BackoffIdle(config);
        }
        if (localRanks <= Runtime.getRuntime().availableProcessors()) {
            return new BackoffIdle(config, INVOKER_SPINS, 0);
        }
        boolean isDirect = Arrays.stream(rings).allMatch(Ring::isDirect);
        return new BackoffIdle(config, 0, isDirect ? CROWDED_DIRECT_YIELDS : CROWDED_YIELDS);
    }
}
