/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.RpcHandler;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Endpoints that the test's own thread drives. On closing, none of them may hold a buffer. */
final class Rig implements AutoCloseable {
    static final JobSecret SECRET = JobSecret.of("sixteen or more bytes".getBytes(StandardCharsets.US_ASCII));
    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(2);

    private final List<RpcEndpoint> endpoints = new ArrayList<>();
    private final List<RawPeer> peers = new ArrayList<>();

    static ProxyConfig config(String... keysAndValues) {
        ProxyConfig.Builder builder = ProxyConfig.builder().properties(Map.of()).environment(Map.of());
        for (int i = 0; i < keysAndValues.length; i += 2) {
            builder.set(keysAndValues[i], keysAndValues[i + 1]);
        }
        return builder.build();
    }

    static int port(RpcEndpoint endpoint) {
        return ((InetSocketAddress) endpoint.address()).getPort();
    }

    /** An endpoint that the test drives. */
    static RpcEndpoint endpoint(int rank, RpcHandler handler, String... keysAndValues) {
        return endpoint(new PeerId(rank, rank + 1000L), SECRET, handler, keysAndValues);
    }

    static RpcEndpoint endpoint(PeerId self, JobSecret secret, RpcHandler handler, String... keysAndValues) {
        return (RpcEndpoint) new RpcServiceEndpointProvider().open(config(keysAndValues), self, secret, handler);
    }

    RpcEndpoint open(int rank, RpcHandler handler, String... keysAndValues) {
        return add(endpoint(rank, handler, keysAndValues));
    }

    RpcEndpoint add(RpcEndpoint endpoint) {
        endpoints.add(endpoint);
        return endpoint;
    }

    ProxyClient connect(RpcEndpoint from, RpcEndpoint to) {
        return await(from.connect(to.address()));
    }

    RawPeer raw(RpcEndpoint to) {
        return raw(to.address());
    }

    RawPeer raw(SocketAddress to) {
        return add(new RawPeer(to));
    }

    RawPeer add(RawPeer peer) {
        peers.add(peer);
        return peer;
    }

    /** Turns without it from now on. */
    void forget(RawPeer peer) {
        peer.close();
        peers.remove(peer);
    }

    /** A raw peer with an accepted session. */
    RawPeer rawAccepted(RpcEndpoint to, int rank) {
        RawPeer peer = raw(to);
        byte[] hello = RawPeer.hello(rank);
        peer.send(hello);
        peer.send(peer.proof(hello, challenge(peer), SECRET));
        await(() -> peer.received().length == RpcFrameDescriptor.ANSWER_BYTES);
        peer.forget();
        return peer;
    }

    /** What the service answers to a hello. */
    byte[] challenge(RawPeer peer) {
        await(() -> peer.received().length >= RpcFrameDescriptor.ANSWER_BYTES);
        byte[] challenge = peer.received();
        peer.forget();
        return challenge;
    }

    void await(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (turn() == 0) {
                Thread.yield();
            }
            if (System.nanoTime() - start > PATIENCE_NS) {
                fail("nothing came of it within " + PATIENCE_NS + " ns");
            }
        }
    }

    <T> T await(CompletableFuture<T> future) {
        await(future::isDone);
        return future.join();
    }

    /** What the future fails with. */
    ProxyException failure(CompletableFuture<?> future) {
        await(future::isDone);
        return (ProxyException) assertThrows(CompletionException.class, future::join).getCause();
    }

    /** Turns until nothing is left to do. */
    void settle() {
        for (int idle = 0; idle < 20; idle++) {
            if (turn() > 0) {
                idle = 0;
            }
        }
    }

    int turn() {
        int done = 0;
        for (RpcEndpoint endpoint : endpoints) {
            done += endpoint.doWork();
        }
        peers.forEach(RawPeer::receive);
        return done;
    }

    @Override
    public void close() {
        peers.forEach(RawPeer::close);
        for (RpcEndpoint endpoint : endpoints) {
            endpoint.onClose();
            assertEquals(0, endpoint.memory().usedHeapMemory(), "heap buffers leaked");
            assertEquals(0, endpoint.memory().usedDirectMemory(), "direct buffers leaked");
            assertEquals(0, endpoint.peers());
        }
    }

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    static String text(ByteBuffer bytes) {
        return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }
}
