/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.runtime.PolledCall;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ServiceClient;
import io.proxyrt.core.service.message.CloseRequest;
import io.proxyrt.core.service.message.ConnectRequest;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.core.service.message.SetupRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many clients at once. */
class SetUpStormTest {
    private static final int CLIENTS = 8;
    private static final int CONNECTIONS = 125;

    @TempDir
    Path directory;

    @Test
    void shouldSetUpThousandConnectionsOfEightClientsAtOnce() throws InterruptedException, ExecutionException {
        ScriptedTransport transport = ScriptedTransport.stuck();
        transport.pendingTurns(1);
        try (ProxyState service = Ranks.start(0, directory, transport, Map.of());
                ProxyState caller = Ranks.start(1, directory, ScriptedTransport.stuck(), Map.of());
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            long start = System.nanoTime();
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                boolean isBlocking = i % 2 == 0;
                all.add(threads.submit(() -> setUp(caller, service, isBlocking)));
            }
            for (Future<?> each : all) {
                each.get();
            }
            System.out.println(CLIENTS * CONNECTIONS + " connections in " + (System.nanoTime() - start) / 1_000_000
                    + " ms");
            assertEquals(CLIENTS * CONNECTIONS, transport.live());
            assertEquals(CLIENTS * CONNECTIONS, service.counters().get(Counter.CONNECTIONS));
            try (ServiceClient client = caller.client(service.serviceAddress())) {
                client.callBlocking(0, new CloseRequest(), Ranks.TIMEOUT);
            }
            assertEquals(0, transport.live());
        }
    }

    @Test
    void shouldPollUntilThereIsAnAnswer() {
        ScriptedTransport transport = ScriptedTransport.stuck();
        transport.pendingTurns(Integer.MAX_VALUE);
        try (ProxyState service = Ranks.start(0, directory, transport, Map.of());
                ServiceClient client = service.client(service.serviceAddress())) {
            PolledCall<?> setup = client.callPolled(Ranks.init(client, 3), new SetupRequest(Ranks.NOTHING));
            long deadline = System.nanoTime() + Ranks.TIMEOUT.toNanos();
            while (service.counters().get(Counter.RPC_PENDING) == 0) {
                assertTrue(System.nanoTime() - deadline < 0, "never pending");
            }
            assertEquals(ProxyResult.IN_PROGRESS, setup.poll());
            transport.pendingTurns(0);
            while (setup.poll() == ProxyResult.IN_PROGRESS) {
                assertTrue(System.nanoTime() - deadline < 0, "never answered");
            }
            assertEquals(ProxyResult.SUCCESS, setup.poll());
            PolledCall<?> again = client.callPolled(1L << 40, new SetupRequest(Ranks.NOTHING));
            while (again.poll() == ProxyResult.IN_PROGRESS) {
                assertTrue(System.nanoTime() - deadline < 0, "never answered");
            }
            assertEquals(ProxyResult.INVALID_USAGE, again.poll());
        }
    }

    private static Void setUp(ProxyState caller, ProxyState service, boolean isBlocking) {
        try (ServiceClient client = caller.client(service.serviceAddress())) {
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                if (isBlocking) {
                    Ranks.connect(client, 3);
                } else {
                    all.add(setUp(client));
                }
            }
            caller.await(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)), Ranks.TIMEOUT, "set-up");
        }
        return null;
    }

    private static CompletableFuture<?> setUp(ServiceClient client) {
        return client.callAsync(0, new InitRequest(ScriptedTransport.ID, Direction.SEND, 3)).thenCompose(made ->
                client.callAsync(made.connectionId(), new SetupRequest(Ranks.NOTHING)).thenCompose(setup ->
                        client.callAsync(made.connectionId(), new ConnectRequest(Ranks.NOTHING))));
    }
}
