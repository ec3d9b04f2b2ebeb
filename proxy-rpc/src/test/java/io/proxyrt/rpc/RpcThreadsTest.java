/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.message.MessageType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Endpoints driven by threads of their own, or by several in turn. */
class RpcThreadsTest {
    private static final long LONG_NS = TimeUnit.MINUTES.toNanos(2);

    private final List<ServiceThread> services = new ArrayList<>();

    private ServiceThread start(int rank) {
        ServiceThread service = new ServiceThread(Rig.endpoint(rank, new FakeHandler()));
        services.add(service);
        return service;
    }

    @AfterEach
    void stop() throws InterruptedException {
        for (ServiceThread service : services) {
            service.stop();
        }
    }

    @Test
    void shouldServeFourThreadsOverTwoEndpoints() throws Exception {
        ServiceThread first = start(0);
        ServiceThread second = start(1);
        List<ProxyClient> clients = List.of(
                first.endpoint().connect(first.endpoint().address()).get(10, TimeUnit.SECONDS),
                first.endpoint().connect(second.endpoint().address()).get(10, TimeUnit.SECONDS),
                second.endpoint().connect(first.endpoint().address()).get(10, TimeUnit.SECONDS));

        try (var threads = Executors.newFixedThreadPool(4)) {
            List<Callable<Integer>> jobs = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                jobs.add(() -> callEach(clients, 500));
            }
            for (Future<Integer> job : threads.invokeAll(jobs)) {
                assertEquals(1500, job.get());
            }
        }
    }

    private static int callEach(List<ProxyClient> clients, int times) throws Exception {
        int answered = 0;
        for (int i = 0; i < times; i++) {
            for (ProxyClient client : clients) {
                String body = Thread.currentThread().getName() + i;
                ByteBuffer answer = client.call(MessageType.SETUP, 0, Rig.bytes(body)).get(10, TimeUnit.SECONDS);
                answered += Rig.text(answer).equals(body) ? 1 : 0;
            }
        }
        return answered;
    }

    @Test
    void shouldFailEveryCallOfManyThreadsWhenTheServiceStops() throws Exception {
        ServiceThread caller = start(0);
        RpcEndpoint mute = Rig.endpoint(1, FakeHandler.silent());
        CompletableFuture<ProxyClient> session = caller.endpoint().connect(mute.address());
        while (!session.isDone()) {
            mute.doWork();
            Thread.yield();
        }
        List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            answers.add(session.join().call(MessageType.CONNECT, 0, FakeHandler.nothing()));
        }

        mute.onClose();

        for (CompletableFuture<ByteBuffer> answer : answers) {
            Throwable failure = answer.handle((body, thrown) -> thrown).get(10, TimeUnit.SECONDS);
            assertSame(ProxyResult.REMOTE_ERROR, ((ProxyException) failure).result());
        }
    }

    @Test
    void shouldNotLoseACallMadeWhileItsEndpointCloses() throws Exception {
        for (int round = 0; round < 50; round++) {
            ServiceThread service = new ServiceThread(Rig.endpoint(0, new FakeHandler()));
            ProxyClient client = service.endpoint().connect(service.endpoint().address()).get(10, TimeUnit.SECONDS);
            CountDownLatch underWay = new CountDownLatch(50);
            CompletableFuture<Integer> calls = CompletableFuture.supplyAsync(() -> {
                CompletableFuture<ByteBuffer> last;
                int made = 0;
                do {
                    last = client.call(MessageType.SETUP, 0, FakeHandler.nothing());
                    underWay.countDown();
                    made++;
                    last.exceptionally(failure -> null).orTimeout(10, TimeUnit.SECONDS).join();
                } while (!last.isCompletedExceptionally());
                return made;
            });
            assertTrue(underWay.await(10, TimeUnit.SECONDS));

            service.stop();

            assertTrue(calls.get(10, TimeUnit.SECONDS) > 0);
        }
    }

    @Test
    void shouldReallyBlockWhileParkedAndWakeForACallerAndForAWakeup() throws Exception {
        ServiceThread service = start(0);
        int turns = service.turnsOnceParked();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        int later = service.turnsOnceParked();
        assertTrue(later <= turns + 1, () -> "it woke for nothing: " + later);
        turns = later;

        service.endpoint().wakeup(service.thread());
        while (service.turns() == turns) {
            Thread.onSpinWait();
        }
        assertTrue(service.turnsOnceParked() <= turns + 3);

        turns = service.turnsOnceParked();
        service.endpoint().connect(service.endpoint().address()).get(10, TimeUnit.SECONDS);
        assertTrue(service.turnsOnceParked() < turns + 40, () -> "it spun: " + service.turns());
    }

    @Test
    void shouldNotLoseAWakeupGivenBeforeThePark() {
        RpcEndpoint endpoint = Rig.endpoint(0, new FakeHandler());
        endpoint.doWork();
        endpoint.wakeup(null);

        long start = System.nanoTime();
        endpoint.park(LONG_NS);

        assertTrue(System.nanoTime() - start < LONG_NS / 2);
        endpoint.onClose();
    }

    @Test
    void shouldWaitAboutAsLongAsItIsTold() {
        RpcEndpoint endpoint = Rig.endpoint(0, new FakeHandler());
        endpoint.doWork();
        for (long waitNs : new long[] {100_000, 2_000_000, 20_000_000}) {
            long start = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                endpoint.park(waitNs);
            }
            assertTrue(System.nanoTime() - start > 10 * waitNs / 4, () -> "parks of " + waitNs + " ns ended early");
        }
        endpoint.onClose();
    }

    @Test
    void shouldNotSpinOnAThreadThatIsInterrupted() {
        RpcEndpoint endpoint = Rig.endpoint(0, new FakeHandler());
        endpoint.doWork();
        Thread.currentThread().interrupt();

        long start = System.nanoTime();
        endpoint.park(TimeUnit.MILLISECONDS.toNanos(20));
        long waitedNs = System.nanoTime() - start;

        assertTrue(Thread.interrupted());
        assertTrue(waitedNs > TimeUnit.MILLISECONDS.toNanos(10), () -> "it waited only " + waitedNs + " ns");
        endpoint.onClose();
    }

    @Test
    void shouldTakeWakeupsWhileItNaps() throws Exception {
        RpcEndpoint endpoint = Rig.endpoint(0, new FakeHandler());
        endpoint.doWork();
        Thread napper = Thread.ofPlatform().daemon().start(() -> {
            for (int i = 0; i < 1000; i++) {
                endpoint.park(200_000);
            }
        });
        while (napper.isAlive()) {
            endpoint.wakeup(napper);
        }
        napper.join();
        endpoint.onClose();
    }

    @Test
    void shouldBeDrivenByThreadsInTurnAndClosedByAnother() throws Exception {
        RpcEndpoint endpoint = Rig.endpoint(0, new FakeHandler());
        ReentrantLock turn = new ReentrantLock();
        CompletableFuture<ProxyClient> session = endpoint.connect(endpoint.address());
        Callable<Void> job = () -> {
            drive(endpoint, turn, session);
            for (int call = 0; call < 300; call++) {
                drive(endpoint, turn, session.join().call(MessageType.SETUP, 0, Rig.bytes("in turn")));
            }
            return null;
        };
        try (var threads = Executors.newFixedThreadPool(4)) {
            for (Future<Void> done : threads.invokeAll(Collections.nCopies(4, job))) {
                done.get();
            }
        }
        endpoint.onClose();

        assertEquals(0, endpoint.memory().usedHeapMemory());
    }

    /** INVOKER mode: a caller that waits drives, unless another thread does. */
    private static void drive(RpcEndpoint endpoint, ReentrantLock turn, CompletableFuture<?> awaited) {
        while (!awaited.isDone()) {
            if (turn.tryLock()) {
                try {
                    if (endpoint.doWork() == 0) {
                        endpoint.park(TimeUnit.MILLISECONDS.toNanos(1));
                    }
                } finally {
                    turn.unlock();
                }
            } else {
                Thread.yield();
            }
        }
        awaited.join();
    }

    @Test
    void shouldRefuseTwoThreadsAtOnce() throws Exception {
        ServiceThread service = start(0);
        service.turnsOnceParked();

        ProxyException failure = assertThrows(ProxyException.class, service.endpoint()::doWork);

        assertSame(ProxyResult.INVALID_USAGE, failure.result());
        assertTrue(failure.getMessage().contains("in turn only"), failure.getMessage());
    }
}
