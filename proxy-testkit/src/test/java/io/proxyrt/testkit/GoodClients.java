/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ServiceClient;
import io.proxyrt.core.service.message.CloseRequest;
import io.proxyrt.core.service.message.ConnectRequest;
import io.proxyrt.core.service.message.DeregisterRequest;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.core.service.message.RegisterRequest;
import io.proxyrt.core.service.message.SetupRequest;
import java.lang.foreign.ValueLayout;
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
 * Clients that keep the rules while others do not: one that blocks, one with futures, and one that takes and gives
 * descriptors of memory. Each checks every answer and times it; none may be refused, see an error, or wait longer than
 * its deadline.
 */
final class GoodClients implements AutoCloseable {
    static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int AT_ONCE = 4;
    private static final int PEER = 3;
    private static final long MEMORY_BYTES = 4096;
    private static final long MARK = 0x600D_C11E_4715L;
    /** A load that leaves room for others: a round each so often. */
    private static final long PACE_NS = 500_000;

    final LatencyLog calls = new LatencyLog();
    final LatencyLog descriptors = new LatencyLog();
    /** Connected, and used all the time. */
    final long connection;
    private final ProxyState caller;
    private final ProxyState service;
    private final ServiceClient client;
    private final DeviceMemory memory;
    private final OwnedFd own;
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
        memory.segment().set(ValueLayout.JAVA_LONG, 0, MARK);
        this.own = RawUdsCaller.PLATFORM.descriptors().memfd("own", MEMORY_BYTES);
        this.handle = service.memory().export(memory, Set.of(caller.rank()));
        this.connection = Ranks.connect(client, PEER);
        start("blocking", this::callBlocking);
        start("futures", this::callAsync);
        start("descriptors", this::takeDescriptor);
    }

    /** How often each went round so far. */
    Map<String, Integer> rounds() {
        return Map.copyOf(rounds);
    }

    /** Whether each went round so often since. */
    boolean wentRound(Map<String, Integer> since, int count) {
        return threads.stream().map(Thread::getName).allMatch(
                name -> rounds.getOrDefault(name, 0) - since.getOrDefault(name, 0) >= count);
    }

    /** Waits until each has gone round so often; fails if one of them failed, or does not get on. */
    void awaitRounds(int count) {
        Map<String, Integer> since = rounds();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!wentRound(since, count)) {
            check();
            assertTrue(System.nanoTime() - deadline < 0, () -> "a good client does not get on: of " + count
                    + " rounds each since " + since + " there were " + rounds);
            LockSupport.parkNanos(PACE_NS);
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
        own.close();
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

    /** Takes one, and gives one. */
    private void takeDescriptor(Random random) {
        long start = System.nanoTime();
        OwnedFd fd = caller.memory().getFd(service.memory().address(), DEADLINE, handle).getFirst();
        descriptors.add(System.nanoTime() - start);
        try (DeviceMemory mapped = caller.device().importFd(fd)) {
            assertEquals(MEMORY_BYTES, mapped.segment().byteSize());
            assertEquals(MARK, mapped.segment().get(ValueLayout.JAVA_LONG, 0));
        }
        int number = caller.memory().queryFd(service.memory().address(), DEADLINE, List.of(own))[0];
        long registered = client.callBlocking(connection,
                new RegisterRequest(RegisterRequest.Source.FD, number, 0, MEMORY_BYTES), DEADLINE);
        client.callBlocking(connection, new DeregisterRequest(registered), DEADLINE);
    }

    private static ByteBuffer bytes(Random random) {
        byte[] bytes = new byte[random.nextInt(1, 200)];
        random.nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }
}
