/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.message.MessageType;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bytes become frames however they arrive. */
class FramingTest {
    private final Rig rig = new Rig();
    private final FakeHandler handler = new FakeHandler();
    private final RpcEndpoint service = rig.open(1, handler);

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void shouldUnderstandAFrameSplitAnywhere() {
        byte[] requests = RawPeer.concat(RawPeer.request(MessageType.SETUP, 1, "first"),
                RawPeer.request(MessageType.SETUP, 2, "second"));

        int cuts = RpcFrameDescriptor.HELLO_BYTES + RpcFrameDescriptor.PROOF_BYTES + requests.length;
        for (int cut = 1; cut < cuts; cut++) {
            RawPeer peer = rig.raw(service);
            byte[] hello = RawPeer.hello(2);
            sendCut(peer, hello, cut);
            byte[] challenge = rig.challenge(peer);
            sendCut(peer, RawPeer.concat(peer.proof(hello, challenge, Rig.SECRET), requests), cut - hello.length);
            assertAnswered(peer, peer.ack(hello, challenge, 1, Rig.SECRET), "first", "second");
        }
    }

    private void sendCut(RawPeer peer, byte[] bytes, int cut) {
        if (cut <= 0 || cut >= bytes.length) {
            peer.send(bytes);
            return;
        }
        peer.send(Arrays.copyOf(bytes, cut));
        rig.settle();
        peer.send(Arrays.copyOfRange(bytes, cut, bytes.length));
    }

    @Test
    void shouldUnderstandFramesThatTrickleIn() {
        RawPeer peer = rig.raw(service);
        byte[] hello = RawPeer.hello(2);

        trickle(peer, hello);
        byte[] challenge = rig.challenge(peer);
        trickle(peer, RawPeer.concat(peer.proof(hello, challenge, Rig.SECRET),
                RawPeer.request(MessageType.SETUP, 1, "trickle")));

        assertAnswered(peer, peer.ack(hello, challenge, 1, Rig.SECRET), "trickle");
    }

    private void trickle(RawPeer peer, byte[] bytes) {
        for (byte b : bytes) {
            peer.send(new byte[] {b});
            rig.turn();
        }
    }

    @Test
    void shouldNotHoldOnToWhatItHasRead() {
        RawPeer peer = rig.rawAccepted(service, 2);
        byte[] frame = RawPeer.request(MessageType.SETUP, 1, "x".repeat(1000));
        byte[] shifted = RawPeer.concat(Arrays.copyOfRange(frame, 7, frame.length), Arrays.copyOf(frame, 7));

        peer.send(Arrays.copyOf(frame, 7));
        for (int i = 0; i < 500; i++) {
            peer.send(shifted);
            rig.settle();
        }

        rig.await(() -> peer.responses() == 500);
        assertTrue(service.memory().usedHeapMemory() < 1 << 16, service.memory()::toString);
    }

    @Test
    void shouldUnderstandManyFramesInOnePacket() {
        RawPeer peer = rig.rawAccepted(service, 2);
        List<byte[]> frames = new ArrayList<>();
        String[] bodies = new String[500];
        for (int i = 0; i < bodies.length; i++) {
            bodies[i] = "body " + i;
            frames.add(RawPeer.request(MessageType.SETUP, i + 1, bodies[i]));
        }

        peer.send(RawPeer.concat(frames.toArray(byte[][]::new)));

        assertAnswered(peer, new byte[0], bodies);
    }

    @Test
    void shouldSpeakTheDocumentedBytes() throws GeneralSecurityException {
        RawPeer peer = rig.raw(service);
        byte[] hello = hex("5052585250433031" + "0004" + "0000" + "00000002" + "0123456789abcdef" + "c1".repeat(32));

        peer.send(hello);

        byte[] challenge = rig.challenge(peer);
        byte[] header = hex("5052585250433031" + "0004" + "0000" + "00000000" + "00000001" + "00000000");
        assertArrayEquals(header, Arrays.copyOf(challenge, 24));
        byte[] said = RawPeer.concat(("127.0.0.1:" + Rig.port(service)).getBytes(StandardCharsets.US_ASCII), hello,
                challenge, new byte[32]);

        peer.send(RawPeer.concat(hmac("proxyrt rpc caller", said),
                hex("00000016" + "03" + "00" + "0000" + "0000000000000009" + "000000000000002a" + "cafe")));

        byte[] expected = RawPeer.concat(header, hmac("proxyrt rpc service", said),
                hex("00000016" + "01" + "00" + "0000" + "0000000000000009" + "00000000" + "00000000" + "cafe"));
        rig.await(() -> peer.received().length == expected.length);
        assertArrayEquals(expected, peer.received());
        assertEquals(42, handler.calls.getFirst().connectionId());
        assertEquals(new PeerId(2, 0x0123_4567_89ab_cdefL), handler.calls.getFirst().peer());
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    private static byte[] hmac(String label, byte[] said) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec("sixteen or more bytes".getBytes(StandardCharsets.US_ASCII), "HmacSHA256"));
        mac.update(label.getBytes(StandardCharsets.US_ASCII));
        mac.update((byte) 0);
        return mac.doFinal(said);
    }

    @Test
    void shouldCountWhatAParkHandledAsWorkOfTheNextCycle() {
        RawPeer peer = rig.rawAccepted(service, 2);
        rig.settle();
        peer.send(RawPeer.request(MessageType.SETUP, 1, "body"));

        service.park(TimeUnit.SECONDS.toNanos(30));

        assertEquals(1, handler.calls.size());
        assertEquals(1, service.doWork());
        assertEquals(0, service.doWork());
    }

    /** Or any process that reaches the port could keep the service's thread awake with a packet now and then. */
    @Test
    void shouldNotCountWhatUnauthenticatedPeersSendAsWork() {
        rig.settle();
        RawPeer peer = rig.raw(service);
        peer.send("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

        int work = 0;
        while (service.refusals().count() == 0) {
            work += service.doWork();
        }
        for (int i = 0; i < 100; i++) {
            work += service.doWork();
        }

        assertEquals(0, work);
    }

    private void assertAnswered(RawPeer peer, byte[] first, String... bodies) {
        List<byte[]> frames = new ArrayList<>();
        frames.add(first);
        for (int i = 0; i < bodies.length; i++) {
            frames.add(RawPeer.bytes(RpcFrames.response(
                    i + 1, ProxyResult.SUCCESS, "", Rig.bytes(bodies[i]), 1 << 20)));
        }
        byte[] expected = RawPeer.concat(frames.toArray(byte[][]::new));
        rig.await(() -> peer.received().length >= expected.length);
        assertArrayEquals(expected, peer.received());
    }
}
