/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.service.message.MessageType;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NearEndpointTest {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final JobSecret secret = JobSecret.random();
    private final Service one = new Service(1, secret);
    private final Service two = new Service(2, secret);

    @AfterEach
    void close() {
        one.endpoint.onClose();
        two.endpoint.onClose();
    }

    /** What a runtime has: a wire that leads nowhere, and a handler that keeps what it gets. */
    private static final class Service implements ServiceEndpoint, RpcHandler {
        final PeerId self;
        final NearEndpoint endpoint;
        final List<RpcCall> calls = new ArrayList<>();
        final List<String> peers = new ArrayList<>();
        int dials;
        int wakeups;
        RuntimeException bug;

        Service(int rank, JobSecret secret) {
            self = new PeerId(rank, 100 + rank);
            endpoint = new NearEndpoint(this, self, secret, this);
        }

        @Override
        public SocketAddress address() {
            return InetSocketAddress.createUnresolved("near-endpoint-test", self.rank());
        }

        @Override
        public CompletableFuture<ProxyClient> connect(SocketAddress address) {
            dials++;
            return new CompletableFuture<>();
        }

        @Override
        public BlockingClient connectBlocking(SocketAddress address, Duration timeout) {
            throw new AssertionError("no call blocks");
        }

        @Override
        public String name() {
            return "wire";
        }

        @Override
        public int doWork() {
            return 0;
        }

        @Override
        public void wakeup(Thread runner) {
            wakeups++;
        }

        @Override
        public void onCall(RpcCall call) {
            calls.add(call);
            if (bug != null) {
                throw bug;
            }
        }

        @Override
        public void onConnect(PeerId peer) {
            peers.add("+" + peer.rank());
        }

        @Override
        public void onDisconnect(PeerId peer) {
            peers.add("-" + peer.rank());
        }
    }

    @Test
    void shouldCallAServiceOfTheProcessWithoutTheWire() {
        ProxyClient session = one.endpoint.connect(two.address()).resultNow();
        CompletableFuture<ByteBuffer> answer = session.call(MessageType.SETUP, 7, bytes(1, 2));
        assertTrue(two.wakeups > 0, "the other's thread may sleep");
        assertEquals(2, two.endpoint.doWork());
        RpcCall call = two.calls.getFirst();
        assertEquals(MessageType.SETUP, call.type());
        assertEquals(7, call.connectionId());
        assertEquals(bytes(1, 2), call.request());
        assertEquals(one.self, call.peer());
        call.reply(ProxyResult.SUCCESS, "", bytes(3));
        assertFalse(answer.isDone(), "it is for the caller's service thread to complete");
        one.endpoint.doWork();
        assertEquals(bytes(3), answer.resultNow());
        assertEquals(0, one.dials + two.dials);
        assertEquals(List.of("+1"), two.peers);
    }

    @Test
    void shouldGoByTheWireToAnotherJobOrProcess() {
        Service other = new Service(3, JobSecret.random());
        one.endpoint.connect(other.address());
        other.endpoint.onClose();
        one.endpoint.connect(InetSocketAddress.createUnresolved("elsewhere", 1));
        two.endpoint.onClose();
        one.endpoint.connect(two.address());
        assertEquals(3, one.dials);
        assertTrue(other.peers.isEmpty() && two.peers.isEmpty());
    }

    @Test
    void shouldTellWhatTheServiceSaysOfAFailure() {
        ProxyClient session = one.endpoint.connect(two.address()).resultNow();
        CompletableFuture<ByteBuffer> refused = session.call(MessageType.INIT, 0, NOTHING);
        two.bug = new ProxyException(ProxyResult.INVALID_ARGUMENT, "no such transport");
        two.endpoint.doWork();
        one.endpoint.doWork();
        assertFailure(refused, ProxyResult.INVALID_ARGUMENT,
                "INIT failed at the service of rank 2 at near-endpoint-test:2: no such transport");
        CompletableFuture<ByteBuffer> broken = session.call(MessageType.INIT, 0, NOTHING);
        two.bug = new IllegalStateException("a bug");
        assertThrows(IllegalStateException.class, two.endpoint::doWork);
        one.endpoint.doWork();
        assertEquals(ProxyResult.INTERNAL_ERROR, ((ProxyException) broken.exceptionNow()).result());
        assertThrows(ProxyException.class, () -> two.calls.getFirst().reply(ProxyResult.SUCCESS, "", NOTHING));
    }

    @Test
    void shouldDeliverTheLastWordBeforeTheEnd() {
        ProxyClient session = one.endpoint.connect(two.address()).resultNow();
        CompletableFuture<ByteBuffer> answered = session.call(MessageType.WATCH, 0, NOTHING);
        CompletableFuture<ByteBuffer> pending = session.call(MessageType.CONNECT, 1, NOTHING);
        two.endpoint.doWork();
        two.calls.getFirst().reply(ProxyResult.SUCCESS, "", bytes(9));
        two.endpoint.onClose();
        CompletableFuture<ByteBuffer> late = session.call(MessageType.PING, 0, NOTHING);
        one.endpoint.doWork();
        assertEquals(bytes(9), answered.resultNow());
        String gone = "the service of rank 2 at near-endpoint-test:2 went away";
        assertFailure(pending, ProxyResult.REMOTE_ERROR, gone + " while CONNECT was outstanding");
        assertFailure(late, ProxyResult.REMOTE_ERROR, gone + " while PING was outstanding");
        assertFalse(session.isOpen());
        assertFailure(session.call(MessageType.PING, 0, NOTHING), ProxyResult.REMOTE_ERROR,
                "PING was not sent: " + gone);
        assertEquals(2, two.calls.size());
    }

    @Test
    void shouldFailTheCallsOfTheSideThatCloses() {
        ProxyClient session = one.endpoint.connect(two.address()).resultNow();
        CompletableFuture<ByteBuffer> call = session.call(MessageType.CONNECT, 1, NOTHING);
        two.endpoint.doWork();
        one.endpoint.onClose();
        assertFailure(call, ProxyResult.INVALID_USAGE, "rank 1 closed its runtime and with it its session with the "
                + "service of rank 2 at near-endpoint-test:2 while CONNECT was outstanding");
        assertFalse(two.calls.getFirst().isOpen());
        two.calls.getFirst().reply(ProxyResult.SUCCESS, "", NOTHING);
        two.endpoint.doWork();
        assertEquals(List.of("+1", "-1"), two.peers);
    }

    @Test
    void shouldCountAPeerOnceForAllItsSessions() {
        ProxyClient first = one.endpoint.connect(two.address()).resultNow();
        ProxyClient second = one.endpoint.connect(two.address()).resultNow();
        two.endpoint.doWork();
        first.close();
        first.close();
        two.endpoint.doWork();
        assertEquals(List.of("+1"), two.peers);
        second.close();
        two.endpoint.doWork();
        assertEquals(List.of("+1", "-1"), two.peers);
    }

    @Test
    void shouldServeItself() {
        CompletableFuture<ByteBuffer> answer = one.endpoint.connect(one.address()).resultNow()
                .call(MessageType.PING, 0, NOTHING);
        one.endpoint.doWork();
        one.calls.getFirst().reply(ProxyResult.SUCCESS, "", bytes(5));
        one.endpoint.doWork();
        assertEquals(bytes(5), answer.resultNow());
    }

    private static void assertFailure(CompletableFuture<?> call, ProxyResult result, String message) {
        ProxyException failure = (ProxyException) call.exceptionNow();
        assertEquals(message, failure.getMessage());
        assertEquals(result, failure.result());
    }

    private static ByteBuffer bytes(int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length);
        for (int value : values) {
            bytes.put((byte) value);
        }
        return bytes.flip();
    }
}
