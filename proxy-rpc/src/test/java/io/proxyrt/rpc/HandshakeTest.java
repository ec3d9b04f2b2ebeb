/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.message.MessageType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who is let in, as whom, and how many. */
class HandshakeTest {
    private final Rig rig = new Rig();
    private final FakeHandler handler = new FakeHandler();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void shouldRefuseARecordedHandshake() {
        RpcEndpoint service = rig.open(1, handler);
        byte[] hello = RawPeer.hello(2);
        RawPeer honest = rig.raw(service);
        honest.send(hello);
        byte[] proof = honest.proof(hello, rig.challenge(honest), Rig.SECRET);
        honest.send(proof);
        rig.await(() -> service.peers() == 1);

        RawPeer replay = rig.raw(service);
        replay.send(hello);
        rig.challenge(replay);
        replay.send(RawPeer.concat(proof, RawPeer.request(MessageType.SETUP, 1, "let me in")));

        rig.await(replay::isAtEnd);
        assertTrue(replay.receivedText().contains("has another job secret"), replay.receivedText());
        assertEquals(List.of(), handler.calls);
        assertEquals(1, handler.come.size());
        assertTrue(service.refusals().last().contains("rank 2 by its own account"), service.refusals().last());
    }

    @Test
    void shouldChallengeEachCallerAnew() {
        RpcEndpoint service = rig.open(1, handler);
        byte[] hello = RawPeer.hello(2);
        Set<String> challenges = new HashSet<>();

        for (int i = 0; i < 100; i++) {
            RawPeer peer = rig.raw(service);
            peer.send(hello);
            challenges.add(new String(rig.challenge(peer), StandardCharsets.ISO_8859_1));
        }

        assertEquals(100, challenges.size());
    }

    @Test
    void shouldNotTakeTheServicesProofForACallers() {
        RpcEndpoint service = rig.open(1, handler);
        RawPeer mirror = rig.raw(service);
        byte[] hello = RawPeer.hello(2);
        mirror.send(hello);
        byte[] challenge = rig.challenge(mirror);
        byte[] ack = mirror.ack(hello, challenge, 1, Rig.SECRET);

        mirror.send(Arrays.copyOfRange(ack, RpcFrameDescriptor.ANSWER_HEADER_BYTES, ack.length));

        rig.await(mirror::isAtEnd);
        assertTrue(mirror.receivedText().contains("has another job secret"), mirror.receivedText());
        assertEquals(0, service.peers());
    }

    @Test
    void shouldBindTheProofToTheIdentity() {
        RpcEndpoint service = rig.open(1, handler);
        RawPeer liar = rig.raw(service);
        byte[] hello = RawPeer.hello(2);
        liar.send(hello);
        byte[] challenge = rig.challenge(liar);
        hello[RpcFrameDescriptor.HELLO_RANK_OFFSET + 3] = 3;

        liar.send(liar.proof(hello, challenge, Rig.SECRET));

        rig.await(liar::isAtEnd);
        assertEquals(List.of(), handler.come);
    }

    @Test
    void shouldNotServeBeforeTheProof() {
        RpcEndpoint service = rig.open(1, handler);
        RawPeer eager = rig.raw(service);

        eager.send(RawPeer.concat(RawPeer.hello(2), RawPeer.request(MessageType.SETUP, 1, "x".repeat(64))));

        rig.await(eager::isAtEnd);
        assertEquals(List.of(), handler.calls);
    }

    @Test
    void shouldTakeSeveralSessionsOfOneIdentityForOnePeer() {
        RpcEndpoint service = rig.open(1, handler);
        RpcEndpoint caller = rig.open(4, new FakeHandler());
        PeerId identity = new PeerId(4, 1004);

        ProxyClient first = rig.connect(caller, service);
        ProxyClient second = rig.connect(caller, service);
        assertEquals(List.of(identity), handler.come);
        assertEquals(1, service.peers());
        first.close();
        rig.settle();
        assertEquals(List.of(), handler.gone);
        rig.await(second.call(MessageType.SETUP, 0, Rig.bytes("x")));
        assertEquals(identity, handler.calls.getFirst().peer());
        second.close();

        rig.await(() -> service.peers() == 0);
        assertEquals(List.of(identity), handler.gone);
        rig.connect(caller, service);
        assertEquals(List.of(identity, identity), handler.come);
    }

    @Test
    void shouldTellTwoClientsOfOneRankApart() {
        RpcEndpoint service = rig.open(1, handler);

        rig.rawAccepted(service, 2);
        rig.rawAccepted(service, 2);

        assertEquals(2, service.peers());
        assertNotEquals(handler.come.getFirst(), handler.come.getLast());
    }

    @Test
    void shouldAnnounceAPeerBeforeItsFirstCall() {
        RpcEndpoint service = rig.open(1, handler);
        RawPeer peer = rig.raw(service);
        byte[] hello = RawPeer.hello(new PeerId(2, 77));
        peer.send(hello);

        peer.send(RawPeer.concat(peer.proof(hello, rig.challenge(peer), Rig.SECRET),
                RawPeer.request(MessageType.SETUP, 1, "x")));

        rig.await(() -> !handler.calls.isEmpty());
        assertEquals(List.of(new PeerId(2, 77)), handler.come);
        assertEquals(new PeerId(2, 77), handler.calls.getFirst().peer());
    }

    @Test
    void shouldRefuseOneSessionOfAPeerAboveTheCap() {
        RpcEndpoint service = rig.open(1, handler, "rpc.max.sessions.per.peer", "2");
        RpcEndpoint greedy = rig.open(4, new FakeHandler());
        rig.connect(greedy, service);
        ProxyClient second = rig.connect(greedy, service);

        ProxyException failure = rig.failure(greedy.connect(service.address()));

        assertSame(ProxyResult.SYSTEM_ERROR, failure.result());
        assertTrue(failure.getMessage().endsWith("rank 4 (client 3ec) has 2 sessions already; see "
                + "proxyrt.rpc.max.sessions.per.peer"), failure.getMessage());
        rig.connect(rig.open(5, new FakeHandler()), service);
        second.close();
        rig.settle();
        rig.connect(greedy, service);
    }

    @Test
    void shouldLimitWhatAPeerHasOutstandingOverAllItsSessions() {
        FakeHandler silent = FakeHandler.silent();
        RpcEndpoint service = rig.open(1, silent, "rpc.max.outstanding.bytes", "4k");
        RpcEndpoint caller = rig.open(4, new FakeHandler());
        rig.connect(caller, service).call(MessageType.SETUP, 0, Rig.bytes("x".repeat(4000)));
        rig.await(() -> silent.calls.size() == 1);
        ProxyClient second = rig.connect(caller, service);

        ProxyException failure = rig.failure(second.call(MessageType.SETUP, 0, Rig.bytes("x")));

        assertSame(ProxyResult.INVALID_USAGE, failure.result());
        assertTrue(failure.getMessage().contains("bytes of requests wait for their answers already"),
                failure.getMessage());
        rig.connect(rig.open(5, new FakeHandler()), service).call(MessageType.SETUP, 0, Rig.bytes("x"));
        rig.await(() -> silent.calls.size() == 2);
        FakeHandler.answer(silent.calls.getFirst(), "done");
        second.call(MessageType.SETUP, 0, Rig.bytes("x"));
        rig.await(() -> silent.calls.size() == 3);
    }

    @Test
    void shouldCloseTheOldestHalfOpenConnectionForANewOne() {
        RpcEndpoint service = rig.open(1, handler, "rpc.max.unauthenticated", "2");
        RawPeer oldest = rig.raw(service);
        rig.settle();
        RawPeer second = rig.raw(service);
        rig.settle();
        second.send(RawPeer.hello(3));
        rig.challenge(second);

        RawPeer newest = rig.rawAccepted(service, 2);

        rig.await(oldest::isAtEnd);
        assertTrue(oldest.receivedText().endsWith("the port is flooded by 3 unauthenticated connections, at last "
                + "from 127.0.0.1, and this one was the oldest; see proxyrt.rpc.max.unauthenticated"),
                oldest.receivedText());
        assertFalse(second.isAtEnd());
        assertFalse(newest.isAtEnd());
        assertEquals(1, service.refusals().count());
    }

    @Test
    void shouldServeGoodClientsDuringAFloodOfHalfOpenOnes() {
        RpcEndpoint service = rig.open(1, handler, "rpc.max.unauthenticated", "32", "rpc.max.connections", "4");
        RpcEndpoint caller = rig.open(0, new FakeHandler());
        ProxyClient old = rig.connect(caller, service);
        List<RawPeer> flood = new ArrayList<>();

        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 25; i++) {
                RawPeer half = rig.raw(service);
                half.send(round % 2 == 0 ? new byte[] {'P'} : RawPeer.hello(i));
                flood.add(half);
            }
            assertEquals("old", Rig.text(rig.await(old.call(MessageType.SETUP, 0, Rig.bytes("old")))));
            ProxyClient fresh = rig.connect(caller, service);
            assertEquals("new", Rig.text(rig.await(fresh.call(MessageType.SETUP, 0, Rig.bytes("new")))));
            fresh.close();
        }

        rig.settle();
        long left = flood.stream().filter(peer -> !peer.isAtEnd()).count();
        assertEquals(service.unauthenticated(), left);
        assertTrue(left == 31 || left == 32, () -> left + " of the flood are left");
    }

    @Test
    void shouldCloseAPeerThatDripsItsHandshake() {
        RpcEndpoint service = rig.open(1, handler, "rpc.hello.timeout", "60ms");
        RawPeer dripping = rig.raw(service);
        byte[] hello = RawPeer.hello(2);
        int sent = 0;
        long start = System.nanoTime();

        while (!dripping.isAtEnd()) {
            if (sent < hello.length && System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(4L * sent)) {
                dripping.send(new byte[] {hello[sent++]});
            }
            rig.turn();
        }

        assertTrue(sent < hello.length, "it took all of it");
        assertTrue(dripping.receivedText().endsWith("no hello within 60 ms"), dripping.receivedText());
    }

    @Test
    void shouldCloseAPeerThatNeverProves() {
        RpcEndpoint service = rig.open(1, handler, "rpc.hello.timeout", "50ms");
        RawPeer silent = rig.raw(service);
        silent.send(RawPeer.hello(2));
        rig.challenge(silent);

        rig.await(silent::isAtEnd);

        assertTrue(silent.receivedText().endsWith("no proof of the job secret within 50 ms"), silent.receivedText());
    }

    @Test
    void shouldHandOutAnErrorOfTheHandlersConnect() {
        FakeHandler failing = new FakeHandler() {
            @Override
            public void onConnect(PeerId peer) {
                throw new IllegalStateException("a bug");
            }
        };
        RpcEndpoint service = rig.open(1, failing);
        RawPeer peer = rig.raw(service);
        byte[] hello = RawPeer.hello(2);
        peer.send(hello);
        peer.send(peer.proof(hello, rig.challenge(peer), Rig.SECRET));

        IllegalStateException bug = assertThrows(
                IllegalStateException.class, () -> rig.await(() -> false));

        assertEquals("a bug", bug.getMessage());
        rig.await(() -> peer.received().length == RpcFrameDescriptor.ANSWER_BYTES);
        assertArrayEquals(new byte[] {'P', 'R', 'X'}, Arrays.copyOf(peer.received(), 3));
    }

    @Test
    void shouldForgetTenThousandThatComeAndGo() throws IOException {
        RpcEndpoint service = rig.open(1, handler);
        rig.raw(service).close();
        rig.rawAccepted(service, 2).close();
        rig.await(() -> service.peers() == 0 && service.unauthenticated() == 0);
        rig.settle();
        long before = Descriptors.open();

        for (int i = 0; i < 10_000; i++) {
            RawPeer peer = new RawPeer(service.address());
            if (i % 3 > 0) {
                peer.send(i % 3 == 1 ? RawPeer.hello(2) : new byte[] {'P', 'R', 'X'});
            }
            peer.close();
            rig.turn();
        }

        rig.await(() -> service.unauthenticated() == 0);
        rig.settle();
        assertEquals(before, Descriptors.open());
        assertEquals(0, service.memory().usedHeapMemory());
        assertEquals("0 refused", service.refusals().toString());
    }
}
