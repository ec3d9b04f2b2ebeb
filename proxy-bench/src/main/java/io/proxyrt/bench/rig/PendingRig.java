/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ServiceClient;
import io.proxyrt.core.service.message.SetupRequest;
import io.proxyrt.testkit.ScriptedTransport;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The CPU time of the service thread while a Setup cannot be answered. */
final class PendingRig {
    private final RigArguments arguments;

    PendingRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() throws InterruptedException {
        ScriptedTransport transport = ScriptedTransport.stuck();
        transport.pendingTurns(Integer.MAX_VALUE);
        Measurements found = new Measurements();
        try (ProxyState state = Runtimes.start(0, transport);
                ServiceClient client = state.client(state.serviceAddress())) {
            long id = client.callBlocking(0, Runtimes.INIT, Rank.PATIENCE).connectionId();
            CompletableFuture<?> setup = client.callAsync(id, new SetupRequest(Runtimes.NOTHING));
            TimeUnit.NANOSECONDS.sleep(arguments.nanos("warmup"));
            found.add("cpu_pct", ThreadTimes.percent("proxy-service-", arguments.nanos("seconds")));
            if (state.counters().get(Counter.RPC_PENDING) != 1 || setup.isDone()) {
                throw new IllegalStateException("the Setup was not pending");
            }
            transport.pendingTurns(0);
            state.await(setup, Rank.PATIENCE, "set-up");
        }
        return found;
    }
}
