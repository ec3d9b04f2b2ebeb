/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.agent.BackoffIdle;
import io.proxyrt.core.agent.IdleStrategy;
import io.proxyrt.core.agent.OversubscribedIdle;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.runtime.HostLoad;
import io.proxyrt.core.runtime.ThreadingChoice;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * How the caller waits. With a core for each rank it spins, for yielding would only hand a time slice to a process
 * outside the job; with more ranks than cores it keeps the rank from working that it waits for. Then it sleeps in the
 * network, which wakes it. Where kernels reach each other nothing does: two ranks that sleep by the clock, each for its
 * time, would wait for each other's sleep call after call. There it goes on yielding, also where it has a network
 * besides: a rank that waits for one of its host waits for what the network brings that one. A GPU wakes no thread
 * either; its runtime's configuration knows that.
 */
final class WaitStyle {
    private static final int CROWDED_YIELDS = 200;
    /** About what a scheduler's slices of a few neighbours take. */
    private static final int DIRECT_YIELDS = 20_000;
    private static final int INVOKER_SPINS = 5000;
    /** Enough for a peer that runs, and little of a quota of CPU time. */
    private static final int RATIONED_SPINS = 500;

    private WaitStyle() {
    }

    /** For kernels of a GPU. */
    static IdleStrategy ofGpu(ProxyConfig config, Supplier<ThreadingChoice> threading) {
        return new OversubscribedIdle(() -> threading.get().isOversubscribed(), new BackoffIdle(config), config);
    }

    /** For kernels of the host. What gives way from the start needs no other way when other jobs come. */
    static IdleStrategy ofHost(ProxyConfig config, Supplier<ThreadingChoice> threading, int ownCpus, Ring[] rings) {
        if (config.get(CoreOptions.THREADING) != ThreadingMode.INVOKER) {
            return ofGpu(config, threading);
        }
        boolean isDirect = Arrays.stream(rings).anyMatch(Ring::isPartlyDirect);
        HostLoad load = threading.get().load();
        if (load.isRationed()) {
            return new BackoffIdle(config, isDirect ? RATIONED_SPINS : 0, CROWDED_YIELDS);
        }
        int yields = isDirect ? DIRECT_YIELDS : CROWDED_YIELDS;
        // A rank with one CPU shares it with the other threads of its JVM, if with no other rank.
        if (load.isCrowded() || ownCpus == 1) {
            return new BackoffIdle(config, 0, yields);
        }
        return new OversubscribedIdle(() -> threading.get().isOversubscribed(),
                new BackoffIdle(config, INVOKER_SPINS, isDirect ? DIRECT_YIELDS : 0),
                new BackoffIdle(config, isDirect ? RATIONED_SPINS : 0, yields));
    }
}
