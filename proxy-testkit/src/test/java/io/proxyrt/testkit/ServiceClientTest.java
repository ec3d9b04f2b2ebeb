/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.runtime.CloseReport;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ServiceClient;
import io.proxyrt.core.service.message.CloseRequest;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.core.service.message.SetupRequest;
import io.proxyrt.core.service.message.StopRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls of a rank's own service, in each threading mode. */
class ServiceClientTest {
    private static final InitRequest INIT = new InitRequest(ScriptedTransport.ID, Direction.SEND, 3);

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(value = ThreadingMode.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
    void shouldGoFromInitToCloseInEveryThreadingMode(ThreadingMode mode) {
        ScriptedTransport transport = ScriptedTransport.swift();
        transport.pendingTurns(2);
        try (ProxyState proxy = Ranks.start(0, directory, transport, Map.of("threading", mode.name()));
                ServiceClient client = proxy.client(proxy.serviceAddress())) {
            long id = Ranks.connect(client, 3);
            Ranks.post(client, id, 2);
            await(proxy, () -> proxy.counters().get(Counter.OPS_COMPLETED) == 1);
            client.callBlocking(id, new CloseRequest(), Ranks.TIMEOUT);
            assertEquals(0, transport.live());
            client.callBlocking(0, new StopRequest(), Ranks.TIMEOUT);
            ProxyException stopped = assertThrows(ProxyException.class, () -> Ranks.init(client, 3));
            assertEquals(ProxyResult.INVALID_USAGE, stopped.result());
        }
    }

    @ParameterizedTest
    @EnumSource(value = ThreadingMode.class, names = "AUTO", mode = EnumSource.Mode.EXCLUDE)
    void shouldGiveUpACallAfterItsTimeoutAndGoOn(ThreadingMode mode) {
        ScriptedTransport transport = ScriptedTransport.stuck();
        transport.pendingTurns(Integer.MAX_VALUE);
        try (ProxyState proxy = Ranks.start(0, directory, transport, Map.of("threading", mode.name()));
                ServiceClient client = proxy.client(proxy.serviceAddress())) {
            long id = Ranks.init(client, 3);
            ProxyException late = assertThrows(ProxyException.class,
                    () -> client.callBlocking(id, new SetupRequest(Ranks.NOTHING), Duration.ofMillis(50)));
            assertEquals(ProxyResult.TIMEOUT, late.result());
            assertTrue(late.getMessage().contains("SETUP"), late.getMessage());
            client.callBlocking(id, new CloseRequest(), Ranks.TIMEOUT);
            assertEquals(0, transport.live());
        }
    }

    @Test
    void shouldOpenOneSessionForManyThreads() throws Exception {
        try (ProxyState proxy = Ranks.start(0, directory, ScriptedTransport.stuck(), Map.of());
                ServiceClient client = proxy.client(proxy.serviceAddress());
                ExecutorService threads = Executors.newFixedThreadPool(64)) {
            List<Future<Long>> all = threads.invokeAll(Collections.nCopies(64, () -> Ranks.init(client, 3)));
            for (Future<Long> each : all) {
                each.get();
            }
            assertEquals(64, proxy.counters().get(Counter.CONNECTIONS));
        }
    }

    @Test
    void shouldFindAServiceThatCameBack() {
        try (ProxyState caller = Ranks.start(1, directory, ScriptedTransport.stuck(), Map.of())) {
            ProxyState first = Ranks.start(0, directory, ScriptedTransport.stuck(), Map.of());
            String port = Integer.toString(Ranks.port(first));
            try (ServiceClient client = caller.client(first.serviceAddress())) {
                Ranks.init(client, 3);
                caller.await(client.callAsync(0, INIT), Ranks.TIMEOUT, "Init");
                first.close();
                assertThrows(ProxyException.class, () -> Ranks.init(client, 3));
                assertThrows(ProxyException.class,
                        () -> caller.await(client.callAsync(0, INIT), Ranks.TIMEOUT, "Init"));
                try (ProxyState second = Ranks.start(0, directory, ScriptedTransport.stuck(),
                        Map.of("rpc.port", port))) {
                    Ranks.init(client, 3);
                    caller.await(client.callAsync(0, INIT), Ranks.TIMEOUT, "Init");
                    assertEquals(2, second.counters().get(Counter.CONNECTIONS));
                }
            }
        }
    }

    @Test
    void shouldCloseWhileAnotherThreadDrives() throws Exception {
        for (int i = 0; i < 20; i++) {
            ProxyState proxy = Ranks.start(0, directory, ScriptedTransport.stuck(), Map.of("threading", "INVOKER"));
            AtomicBoolean isOver = new AtomicBoolean();
            CountDownLatch driven = new CountDownLatch(1);
            CompletableFuture<Void> driver = CompletableFuture.runAsync(() -> {
                while (!isOver.get()) {
                    proxy.invoke();
                    driven.countDown();
                }
            });
            assertTrue(driven.await(20, TimeUnit.SECONDS));
            CloseReport report = proxy.close(Duration.ofSeconds(5));
            isOver.set(true);
            driver.get(20, TimeUnit.SECONDS);
            assertTrue(report.isClean(), report.toString());
        }
    }

    @Test
    void shouldSayWhomItCannotReach() throws Exception {
        SocketAddress unused;
        try (ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            unused = new InetSocketAddress(InetAddress.getLoopbackAddress(), gone.getLocalPort());
        }
        try (ProxyState proxy = Ranks.start(0, directory, ScriptedTransport.stuck(), Map.of())) {
            ServiceClient client = proxy.client(unused);
            ProxyException refused = assertThrows(ProxyException.class,
                    () -> client.callBlocking(0, new StopRequest(), Ranks.TIMEOUT));
            assertEquals(ProxyResult.REMOTE_ERROR, refused.result());
            assertTrue(refused.getMessage().contains("127.0.0.1:" + ((InetSocketAddress) unused).getPort()),
                    refused.getMessage());
            client.close();
            assertThrows(ProxyException.class, () -> client.callBlocking(0, new StopRequest(), Ranks.TIMEOUT));
        }
    }

    private static void await(ProxyState proxy, java.util.function.BooleanSupplier condition) {
        Await.until(() -> {
            proxy.invoke();
            return condition.getAsBoolean();
        }, () -> "what the runtime was asked for");
    }
}
