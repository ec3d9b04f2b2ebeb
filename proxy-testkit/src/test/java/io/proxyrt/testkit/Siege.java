/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.runtime.ProxyState;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * A runtime that serves good clients while it is attacked. After each attack it has to be as it was before: the same
 * threads, no socket and no peer more, and no failure; the good clients have to get on. Closed, nothing may be left.
 */
final class Siege implements AutoCloseable {
    static final int SERVICE_RANK = 0;
    /** The rank of attackers that know the secret. */
    static final int INSIDER_RANK = 5;
    private static final int GOOD_RANK = 1;
    private static final int GOOD_PEERS = 1;
    private static final int FELT_ROUNDS = 50;
    private static final int WARM_UP_ROUNDS = Extent.count(400);
    private static final int BASELINE_ROUNDS = Extent.count(800);

    final ScriptedTransport transport = ScriptedTransport.swift();
    final ProxyState service;
    private final ProxyState caller;
    private final Holdings before;
    private final GoodClients good;
    private final List<String> threads;
    private final List<String> sockets;
    private final LatencyLog.Quantiles calmCalls;
    private final LatencyLog.Quantiles calmDescriptors;

    /** What the attackers do. */
    interface Attack {
        /** Returns how often it did it. */
        long run() throws Exception;
    }

    Siege(Path directory, Map<String, String> options) {
        Map<String, String> all = new HashMap<>(Map.of("rpc.hello.timeout", "2s", "uds.hello.timeout", "2s",
                "peer.grace", "200ms"));
        all.putAll(options);
        // The first time leaves what classes keep for good.
        startAndUse(directory, all);
        before = Holdings.now();
        service = Ranks.start(SERVICE_RANK, directory, transport, all);
        caller = Ranks.start(GOOD_RANK, directory, ScriptedTransport.stuck(), Map.of());
        good = new GoodClients(caller, service);
        good.awaitRounds(WARM_UP_ROUNDS);
        good.calls.take();
        good.descriptors.take();
        good.awaitRounds(BASELINE_ROUNDS);
        calmCalls = good.calls.take();
        calmDescriptors = good.descriptors.take();
        LatencyLog.Quantiles busyCalls = besideABusyThread();
        System.out.printf("hostile: undisturbed: good calls %s, descriptors %s; beside a thread that spins: %s, %s%n",
                calmCalls, calmDescriptors, busyCalls, good.descriptors.take());
        threads = Holdings.now().threads();
        sockets = sockets();
    }

    /** What any other load of the machine does to the good clients: an attacker takes a core too. */
    private LatencyLog.Quantiles besideABusyThread() {
        AtomicBoolean isOver = new AtomicBoolean();
        Thread busy = Thread.ofPlatform().daemon().start(() -> {
            while (!isOver.get()) {
                Thread.onSpinWait();
            }
        });
        try {
            good.awaitRounds(BASELINE_ROUNDS);
        } finally {
            isOver.set(true);
        }
        await(false, busy::isAlive);
        return good.calls.take();
    }

    private static void startAndUse(Path directory, Map<String, String> options) {
        try (ProxyState first = Ranks.start(SERVICE_RANK, directory, ScriptedTransport.swift(), options);
                GoodClients clients = new GoodClients(first, first)) {
            clients.awaitRounds(1);
        }
    }

    /** A connection of a good client, which no other peer may use. */
    long goodConnection() {
        return good.connection;
    }

    /** Attacks, until all good clients felt it; says what it took, and looks for harm. */
    void attack(String name, Attack attack) throws Exception {
        good.calls.take();
        good.descriptors.take();
        Map<String, Integer> rounds = good.rounds();
        long start = System.nanoTime();
        long count = 0;
        do {
            count += attack.run();
            good.check();
        } while (!good.wentRound(rounds, FELT_ROUNDS));
        long ms = (System.nanoTime() - start) / 1_000_000;
        LatencyLog.Quantiles calls = good.calls.take();
        LatencyLog.Quantiles descriptors = good.descriptors.take();
        System.out.printf("hostile: %-46s %,9d in %,6d ms; good calls %s -> %s (%d), descriptors %s -> %s (%d)%n",
                name, count, ms, calmCalls, calls, calls.count(), calmDescriptors, descriptors, descriptors.count());
        assertUnharmed();
    }

    private void assertUnharmed() {
        good.awaitRounds(50);
        ProxyException failure = service.asyncResult().failure();
        assertNull(failure, () -> "the runtime failed: " + failure);
        await(threads, () -> Holdings.now().threads());
        await(sockets, Siege::sockets);
        await((long) GOOD_PEERS, () -> service.counters().get(Counter.RPC_PEERS));
        service.audit();
    }

    /** Waits until a number of descriptors of some memory are left. */
    static void awaitDescriptors(String name, int expected) {
        await(expected, () -> (int) Holdings.now().descriptors().stream().filter(of -> of.startsWith(name)).count());
    }

    @Override
    public void close() {
        try (service; caller) {
            good.close();
            await(0L, () -> service.counters().get(Counter.CONNECTIONS));
            assertEquals(0, transport.live());
            assertEquals(0, transport.registered());
        }
        assertEquals(before, Holdings.now());
    }

    static <T> void await(T expected, Supplier<T> now) {
        Await.until(() -> expected.equals(now.get()), () -> expected + " but " + now.get());
    }

    private static List<String> sockets() {
        return Holdings.now().descriptors().stream().filter(target -> target.startsWith("socket:")).toList();
    }
}
