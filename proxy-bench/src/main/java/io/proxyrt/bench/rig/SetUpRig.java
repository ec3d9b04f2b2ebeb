/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ServiceClient;
import io.proxyrt.core.service.message.CloseRequest;
import io.proxyrt.core.service.message.ConnectRequest;
import io.proxyrt.core.service.message.SetupRequest;
import io.proxyrt.testkit.ScriptedTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Many connections of several clients at once, each by Init, Setup and Connect, of which two have to wait a turn. */
final class SetUpRig {
    private final int clients;
    private final int connections;

    SetUpRig(RigArguments arguments) {
        this.clients = arguments.number("clients");
        this.connections = arguments.number("connections") / clients;
    }

    Measurements measure() throws InterruptedException, ExecutionException, TimeoutException {
        ScriptedTransport transport = ScriptedTransport.stuck();
        transport.pendingTurns(1);
        Measurements found = new Measurements();
        try (ExecutorService threads = Executors.newFixedThreadPool(clients);
                ProxyState service = RuntimeRig.start(0, transport);
                ProxyState caller = RuntimeRig.start(1, ScriptedTransport.stuck())) {
            found.add("first_ms", storm(threads, caller, service, transport));
            found.add("again_ms", storm(threads, caller, service, transport));
        }
        return found;
    }

    private double storm(ExecutorService threads, ProxyState caller, ProxyState service, ScriptedTransport transport)
            throws InterruptedException, ExecutionException, TimeoutException {
        long start = System.nanoTime();
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            boolean isBlocking = i % 2 == 0;
            all.add(threads.submit(() -> setUp(caller, service, isBlocking)));
        }
        for (Future<?> each : all) {
            each.get(Rank.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        }
        double ms = (System.nanoTime() - start) / 1e6;
        if (transport.live() != clients * connections) {
            throw new IllegalStateException(transport.live() + " connections are set up");
        }
        try (ServiceClient client = caller.client(service.serviceAddress())) {
            client.callBlocking(0, new CloseRequest(), Rank.PATIENCE);
        }
        return ms;
    }

    private void setUp(ProxyState caller, ProxyState service, boolean isBlocking) {
        try (ServiceClient client = caller.client(service.serviceAddress())) {
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                if (isBlocking) {
                    setUp(client);
                } else {
                    all.add(begin(client));
                }
            }
            caller.await(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)), Rank.PATIENCE, "set-up");
        }
    }

    private static void setUp(ServiceClient client) {
        long id = client.callBlocking(0, RuntimeRig.INIT, Rank.PATIENCE).connectionId();
        client.callBlocking(id, new SetupRequest(RuntimeRig.NOTHING), Rank.PATIENCE);
        client.callBlocking(id, new ConnectRequest(RuntimeRig.NOTHING), Rank.PATIENCE);
    }

    private static CompletableFuture<?> begin(ServiceClient client) {
        return client.callAsync(0, RuntimeRig.INIT).thenCompose(made ->
                client.callAsync(made.connectionId(), new SetupRequest(RuntimeRig.NOTHING)).thenCompose(setup ->
                        client.callAsync(made.connectionId(), new ConnectRequest(RuntimeRig.NOTHING))));
    }
}
