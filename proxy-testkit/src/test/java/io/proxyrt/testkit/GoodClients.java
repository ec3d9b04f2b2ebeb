/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyState;
import io.proxyrt.core.ServiceClient;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.message.CloseRequest;
import io.proxyrt.core.message.ConnectRequest;
import io.proxyrt.core.message.InitRequest;
import io.proxyrt.core.message.SetupRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients that keep the rules while others do not: one that blocks, one with futures, and one that takes descriptors of
 * memory. Each checks every answer and times it; none may be refused, see an error, or wait longer than its deadline.
 */
final class GoodClients implements AutoCloseable {
    static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int AT_ONCE = 4;
    private static final int PEER = 3;
    private static final long MEMORY_BYTES = 4096;
    private static final long MARK = 0x600D_C11E_4715L;
    /** A load that leaves room for others: a round each so often. */
    private static final long PACE_NS = 500_000;

    final LatencyLog calls = new LatencyLog();
    final LatencyLog descriptors = new LatencyLog();
    private final ProxyState caller;
    private final ProxyState service;
    private final ServiceClient client;
    private final DeviceMemory memory;
    private final long handle;
    private final Map<String, Integer> rounds = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean isStopping;

    GoodClients(ProxyState caller, ProxyState service) {
        this.caller = caller;
        this.service = service;
        this.client = caller.client(service.serviceAddress());
        this.memory = service.device().allocateShareable(MEMORY_BYTES);
        memory.segment().set(java.lang.foreign.ValueLayout.JAVA_LONG, 0, MARK);
        this.handle = service.memory().export(memory, Set.of(caller.rank()));
        start("blocking", this::callBlocking);
        start("futures", this::callAsync);
        start("descriptors", this::takeDescriptor);
    }

    /** Waits until each has done so many rounds more; fails if one of them failed, or does not get on. */
    void awaitRounds(int count) {
        Map<String, Integer> before = Map.copyOf(rounds);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (Thread thread : threads) {
            String name = thread.getName();
            while (rounds.getOrDefault(name, 0) - before.getOrDefault(name, 0) < count) {
                check();
                assertTrue(System.nanoTime() - deadline < 0, () -> "good client '" + name + "' does not get on");
                LockSupport.parkNanos(PACE_NS);
            }
        }
        check();
    }

    /** Fails if one of them failed. */
    void check() {
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new AssertionError("a good client was harmed: " + thrown, thrown);
        }
    }

    @Override
    public void close() {
        isStopping = true;
        try {
            for (Thread thread : threads) {
                thread.join(PATIENCE);
                assertTrue(!thread.isAlive(), () -> thread + " does not end");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        client.close();
        service.memory().revoke(handle);
        memory.close();
        check();
    }

    private interface Round {
        void run(Random random) throws Exception;
    }

    private void start(String name, Round round) {
        Thread thread = Thread.ofPlatform().daemon().name(name).unstarted(() -> {
            Random random = new Random(name.hashCode());
            try {
                while (!isStopping) {
                    round.run(random);
                    rounds.merge(name, 1, Integer::sum);
                    LockSupport.parkNanos(PACE_NS);
                }
            } catch (Throwable t) {
                failure.compareAndSet(null, t);
            }
        });
        threads.add(thread);
        thread.start();
    }

    private void callBlocking(Random random) {
        ByteBuffer bytes = bytes(random);
        long id = client.callBlocking(0, new InitRequest(ScriptedTransport.ID, Direction.SEND, PEER), DEADLINE)
                .connectionId();
        long start = System.nanoTime();
        assertEquals(bytes, client.callBlocking(id, new SetupRequest(bytes), DEADLINE));
        calls.add(System.nanoTime() - start);
        assertEquals(bytes, client.callBlocking(id, new ConnectRequest(bytes), DEADLINE));
        client.callBlocking(id, new CloseRequest(), DEADLINE);
    }

    private void callAsync(Random random) {
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            all.add(callAsync(bytes(random)));
        }
        caller.await(CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)), DEADLINE, "calls");
    }

    private CompletableFuture<?> callAsync(ByteBuffer bytes) {
        long[] start = new long[1];
        return client.callAsync(0, new InitRequest(ScriptedTransport.ID, Direction.SEND, PEER)).thenCompose(made -> {
            start[0] = System.nanoTime();
            return client.callAsync(made.connectionId(), new SetupRequest(bytes)).thenCompose(answer -> {
                calls.add(System.nanoTime() - start[0]);
                assertEquals(bytes, answer);
                return client.callAsync(made.connectionId(), new CloseRequest());
            });
        });
    }

    private void takeDescriptor(Random random) {
        long start = System.nanoTime();
        var fd = caller.memory().getFd(service.memory().address(), DEADLINE, handle).getFirst();
        descriptors.add(System.nanoTime() - start);
        try (DeviceMemory mapped = caller.device().importFd(fd)) {
            assertEquals(MEMORY_BYTES, mapped.segment().byteSize());
            assertEquals(MARK, mapped.segment().get(java.lang.foreign.ValueLayout.JAVA_LONG, 0));
        }
    }

    private static ByteBuffer bytes(Random random) {
        byte[] bytes = new byte[random.nextInt(1, 200)];
        random.nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }
}
