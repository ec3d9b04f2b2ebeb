/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.runtime.ProxyState;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The CPU time of a whole runtime that has nothing to do: agents, service, transports. */
final class RuntimeRig {
    private static final String THREADS = "proxy-";

    private final RigArguments arguments;

    RuntimeRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() throws InterruptedException {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.THREADING, ThreadingMode.valueOf(arguments.text("mode"))).build();
        Measurements found = new Measurements();
        try (ProxyState state = ProxyState.builder().config(config).start()) {
            TimeUnit.NANOSECONDS.sleep(arguments.nanos("warmup"));
            found.add("cpu_pct", ThreadTimes.percent(THREADS, arguments.nanos("seconds")));
            found.add("threads", ThreadTimes.count(THREADS));
            found.add("transports", state.transports().size());
        }
        return found;
    }
}
