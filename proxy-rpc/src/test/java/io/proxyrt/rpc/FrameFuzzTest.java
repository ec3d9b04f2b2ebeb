/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.message.MessageType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Random and mutated frames, always the same ones. */
class FrameFuzzTest {
    private static final int FRAMES = 20_000;
    private static final int CONVERSATIONS = 1000;
    private static final int TYPES = MessageType.values().length;

    private final Random random = new Random(20_260_719);

    @Test
    void shouldSurviveRandomAndMutatedFrames() {
        try (Rig rig = new Rig()) {
            FakeHandler handler = new FakeHandler();
            RpcEndpoint service = rig.open(1, handler, "rpc.max.frame.bytes", "16k", "rpc.hello.timeout", "60m");
            ProxyClient bystander = rig.connect(rig.open(0, new FakeHandler()), service);
            RawPeer peer = rig.raw(service);
            for (int i = 0; i < FRAMES; i++) {
                if (peer.isAtEnd() || random.nextInt(64) == 0) {
                    peer.close();
                    peer = random.nextBoolean() ? rig.raw(service) : rig.rawAccepted(service, 2);
                }
                peer.send(frame());
                rig.turn();
                if (i % 1000 == 0) {
                    handler.calls.clear();
                    assertEquals("alive", Rig.text(rig.await(
                            bystander.call(MessageType.SETUP, 0, Rig.bytes("alive")))));
                }
            }
            peer.close();
            rig.await(() -> service.peers() == 1);
            assertTrue(service.refusals().count() > FRAMES / 10, () -> "only " + service.refusals().count());
        }
    }

    /** Whatever byte of a handshake changes on its way: the session is refused. */
    @Test
    void shouldAcceptNoCallerWhoseHandshakeWasChanged() {
        try (Rig rig = new Rig()) {
            FakeHandler handler = new FakeHandler();
            RpcEndpoint service = rig.open(1, handler, "rpc.max.frame.bytes", "16k");
            for (int i = 0; i < CONVERSATIONS; i++) {
                byte[] hello = RawPeer.hello(2);
                RawPeer peer = rig.raw(service);
                boolean isHelloChanged = random.nextBoolean();
                peer.send(isHelloChanged ? changed(hello) : hello);
                rig.await(() -> peer.received().length >= RpcFrameDescriptor.ANSWER_BYTES || peer.isAtEnd());
                if (!peer.isAtEnd()) {
                    byte[] proof = peer.proof(hello, Arrays.copyOf(peer.received(), RpcFrameDescriptor.ANSWER_BYTES),
                            Rig.SECRET);
                    peer.send(isHelloChanged ? proof : changed(proof));
                }
                rig.await(peer::isAtEnd);
                rig.forget(peer);
            }
            assertEquals(List.of(), handler.come);
            assertEquals(CONVERSATIONS, service.refusals().count());
        }
    }

    @Test
    void shouldSurviveConversationsThatGoWrongInTheMiddle() {
        try (Rig rig = new Rig()) {
            FakeHandler handler = new FakeHandler();
            RpcEndpoint service = rig.open(1, handler, "rpc.max.frame.bytes", "16k");
            ProxyClient bystander = rig.connect(rig.open(0, new FakeHandler()), service);
            for (int i = 0; i < CONVERSATIONS; i++) {
                RawPeer peer = rig.rawAccepted(service, 2);
                for (int requests = random.nextInt(4); requests >= 0; requests--) {
                    byte[] request = RawPeer.request(
                            MessageType.of(1 + random.nextInt(TYPES)), i + 1, "y".repeat(requests));
                    peer.send(requests == 0 ? changed(request) : request);
                }
                rig.settle();
                rig.forget(peer);
                assertEquals("alive", Rig.text(rig.await(
                        bystander.call(MessageType.SETUP, 0, Rig.bytes("alive")))));
                handler.calls.clear();
            }
            rig.await(() -> service.peers() == 1);
            assertEquals(handler.come.size() - 1, handler.gone.size());
        }
    }

    /** A service, or a process in between, that changes a byte of what it says. */
    @Test
    void shouldTrustNoServiceWhoseWordsWereChanged() throws IOException {
        try (Rig rig = new Rig()) {
            RpcEndpoint caller = rig.open(0, new FakeHandler());
            for (int i = 0; i < CONVERSATIONS; i++) {
                RawPeer service;
                CompletableFuture<ProxyClient> session;
                // One that connects again finds no listener.
                try (ServerSocketChannel listener = ServerSocketChannel.open()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
                    session = caller.connect(listener.getLocalAddress());
                    caller.doWork();
                    service = rig.add(new RawPeer(listener.accept()));
                }
                int step = random.nextInt(3);
                CompletableFuture<?> end = step == 2 ? call(rig, service, session) : session;
                if (step < 2) {
                    answer(rig, service, step);
                }
                service.send(changed(RawPeer.bytes(
                        RpcFrames.response(1, ProxyResult.SUCCESS, "", Rig.bytes("ok"), 99))));
                rig.settle();
                rig.forget(service);
                rig.await(end::isDone);
                assertTrue(step == 2 || end.isCompletedExceptionally(), "a changed handshake was trusted");
            }
        }
    }

    private CompletableFuture<ByteBuffer> call(Rig rig, RawPeer service, CompletableFuture<ProxyClient> session) {
        answer(rig, service, 2);
        CompletableFuture<ByteBuffer> answer = rig.await(session).call(MessageType.SETUP, 0, FakeHandler.nothing());
        rig.settle();
        return answer;
    }

    /** Shakes hands; changes the challenge at step 0, the ack at step 1. */
    private void answer(Rig rig, RawPeer service, int changedStep) {
        rig.await(() -> service.received().length == RpcFrameDescriptor.HELLO_BYTES);
        byte[] hello = service.received();
        byte[] challenge = RawPeer.challenge(8);
        byte[] ack = service.ack(hello, challenge, 8, Rig.SECRET);
        service.send(changedStep == 0 ? changed(challenge) : challenge);
        rig.settle();
        service.send(changedStep == 1 ? changed(ack) : ack);
        rig.settle();
    }

    private byte[] changed(byte[] frame) {
        byte[] changed = frame.clone();
        changed[random.nextInt(frame.length)] ^= (byte) random.nextInt(1, 256);
        return changed;
    }

    private byte[] frame() {
        byte[] frame = switch (random.nextInt(5)) {
            case 0 -> noise(random.nextInt(1, 200));
            case 1 -> RawPeer.hello(new PeerId(random.nextInt(), random.nextLong()));
            default -> RawPeer.request(MessageType.of(1 + random.nextInt(TYPES)), random.nextLong(),
                    "x".repeat(random.nextInt(100)));
        };
        switch (random.nextInt(4)) {
            case 0 -> frame[random.nextInt(frame.length)] = (byte) random.nextInt();
            case 1 -> ByteBuffer.wrap(frame).putInt(0, random.nextInt() >> random.nextInt(32));
            case 2 -> frame = Arrays.copyOf(frame, random.nextInt(1, 2 * frame.length));
            default -> {
                return frame;
            }
        }
        return frame;
    }

    private byte[] noise(int length) {
        byte[] noise = new byte[Math.max(4, length)];
        random.nextBytes(noise);
        return noise;
    }
}
