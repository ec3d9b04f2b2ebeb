/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.host.Devices;

/** What runtimes of GPUs choose otherwise, unless the value was set explicitly. */
final class DeviceDefaults {
    /** Some tens of milliseconds. */
    static final int YIELDS = 100_000;
    /** Enough for some threads to have one each. */
    static final int MANY_CPUS = 16;

    private DeviceDefaults() {
    }

    /**
     * Kernels of a GPU, and the sockets behind them, want larger steps than a cache. And nothing wakes a thread that
     * waits for a GPU: one that sleeps by the clock, each time for longer, would see at four milliseconds what was done
     * at three. So where there are CPUs for it, it goes on yielding, as RCCL's do.
     */
    static ProxyConfig fit(ProxyConfig config, String deviceKind, int cpus) {
        if (deviceKind.equals(Devices.HOST)) {
            return config;
        }
        ProxyConfig larger = unlessSet(config, CoreOptions.BUFFER_BYTES, 2 * config.get(CoreOptions.BUFFER_BYTES));
        return cpus < MANY_CPUS ? larger : unlessSet(larger, CoreOptions.IDLE_YIELDS, YIELDS);
    }

    private static <T> ProxyConfig unlessSet(ProxyConfig config, Option<T> option, T value) {
        return config.isSet(option) ? config : config.with(option, value);
    }
}
