/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.op.ProxyOpEncoder;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ServiceClient;
import io.proxyrt.core.service.message.AbortRequest;
import io.proxyrt.core.service.message.CloseRequest;
import io.proxyrt.core.service.message.ConnectRequest;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.core.service.message.Request;
import io.proxyrt.core.service.message.SetupRequest;
import io.proxyrt.core.service.message.StartRequest;
import io.proxyrt.core.service.message.StopRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stop, Abort, Close and the end of the runtime, all at once with set-up and ops. */
class ShutdownRacesTest {
    private static final int THREADS = 3;
    private static final int CALLS = 400;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldAnswerEveryCallWhateverEndsMeanwhile(long seed) throws InterruptedException {
        Holdings before = Holdings.now();
        ScriptedTransport transport = ScriptedTransport.stuck();
        transport.pendingTurns((int) (seed % 3));
        ConcurrentLinkedQueue<CompletableFuture<?>> calls = new ConcurrentLinkedQueue<>();
        AtomicReference<ProxyException> failure = new AtomicReference<>();
        try (ProxyState caller = Ranks.start(1, directory, ScriptedTransport.stuck(), Map.of());
                ProxyState service = Ranks.start(0, directory, transport, Map.of())) {
            CountDownLatch halfWay = new CountDownLatch(THREADS);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(seed * THREADS + i);
                ProxyState from = i == 0 ? service : caller;
                threads.add(Thread.ofPlatform().start(() -> callAtRandom(random, from, service, calls, halfWay)));
            }
            assertTrue(halfWay.await(20, TimeUnit.SECONDS), "a thread died, or hangs");
            long start = System.nanoTime();
            service.close(Duration.ofSeconds(2));
            assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(4), "closing took too long");
            for (Thread thread : threads) {
                thread.join();
            }
            failure.set(service.asyncResult().failure());
        }
        for (CompletableFuture<?> call : calls) {
            assertAnswered(call, seed);
        }
        assertEquals(0, transport.live());
        if (failure.get() != null) {
            assertNotEquals(ProxyResult.INTERNAL_ERROR, failure.get().result(), failure.get().getMessage());
        }
        assertEquals(before.threads(), Holdings.now().threads());
    }

    private static void callAtRandom(Random random, ProxyState from, ProxyState service,
            ConcurrentLinkedQueue<CompletableFuture<?>> calls, CountDownLatch halfWay) {
        List<Long> ids = new ArrayList<>(List.of(0L));
        try (ServiceClient client = from.client(service.serviceAddress())) {
            for (int i = 0; i < CALLS; i++) {
                if (i == CALLS / 2) {
                    halfWay.countDown();
                }
                if (random.nextInt(4) == 0) {
                    initIfItCan(client, ids);
                }
                long id = ids.get(random.nextInt(ids.size()));
                calls.add(client.callAsync(id, request(random, id)));
            }
        } catch (ProxyException e) {
            // The runtime of this thread is closed already: it makes no more calls.
            assertTrue(e.getMessage().contains("closed"), e.getMessage());
        }
    }

    private static void initIfItCan(ServiceClient client, List<Long> ids) {
        try {
            ids.add(client.callAsync(0, new InitRequest(ScriptedTransport.ID, Direction.SEND, 3))
                    .orTimeout(20, TimeUnit.SECONDS).join().connectionId());
        } catch (java.util.concurrent.CompletionException e) {
            assertTrue(e.getCause() instanceof ProxyException, e.toString());
        }
    }

    private static Request<?> request(Random random, long id) {
        int dice = random.nextInt(100);
        if (dice < 30) {
            return new SetupRequest(Ranks.NOTHING);
        } else if (dice < 60) {
            return new ConnectRequest(Ranks.NOTHING);
        } else if (dice < 85) {
            return new StartRequest(2, List.of(new ProxyOpEncoder().connection(id).nsteps(1).sliceSteps(1)
                    .chunkSteps(1)));
        } else if (dice < 95) {
            return new CloseRequest();
        }
        return dice < 99 ? new AbortRequest() : new StopRequest();
    }

    private static void assertAnswered(CompletableFuture<?> call, long seed) throws InterruptedException {
        try {
            call.get(20, TimeUnit.SECONDS);
        } catch (java.util.concurrent.ExecutionException e) {
            assertTrue(e.getCause() instanceof ProxyException, "seed " + seed + ": " + e);
        } catch (TimeoutException e) {
            throw new AssertionError("seed " + seed + ": a call was never answered", e);
        }
    }
}
