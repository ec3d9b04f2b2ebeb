/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.message.MessageType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Peers that break the rules. In each test a well-behaved one looks on, and must not notice. */
class HostilePeerTest {
    private final Rig rig = new Rig();
    private final FakeHandler handler = new FakeHandler();
    private RpcEndpoint service;
    private ProxyClient bystander;

    private void open(String... keysAndValues) {
        service = rig.open(1, handler, keysAndValues);
        bystander = rig.connect(rig.open(0, new FakeHandler()), service);
    }

    /** The peer is closed; the bystander is served as before. */
    private void assertOnlyClosed(RawPeer peer) {
        rig.await(peer::isAtEnd);
        rig.settle();
        assertEquals(1, service.peers());
        assertEquals("still here", Rig.text(rig.await(bystander.call(MessageType.SETUP, 0, Rig.bytes("still here")))));
    }

    private void assertRefusedOnce(String reason) {
        assertEquals(1, service.refusals().count());
        assertTrue(service.refusals().last().contains(reason), service.refusals().last());
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void shouldCloseOnAWebBrowserAtOnce() {
        open();
        RawPeer browser = rig.raw(service);

        browser.send("GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl/8\r\n\r\n");

        assertOnlyClosed(browser);
        assertEquals(0, browser.received().length);
        assertRefusedOnce(": does not speak this protocol, it sent \"GET / HTTP/1.1..Host: localhost.\u2026\"");
    }

    @Test
    void shouldNotWaitForAWholeHelloOfAnotherProtocol() {
        open();
        RawPeer peer = rig.raw(service);

        peer.send("SSH");

        assertOnlyClosed(peer);
        assertRefusedOnce("\"SSH\"");
    }

    @Test
    void shouldRenderBinaryGarbageHarmlessly() {
        open();
        RawPeer peer = rig.raw(service);

        peer.send(new byte[] {0x16, 0x03, 0x01, 'a', 0x1b, '[', '3', '1', 'm', (byte) 0xff, 0x7f});

        assertOnlyClosed(peer);
        assertRefusedOnce("\"...a.[31m..\"");
    }

    @Test
    void shouldCloseAPeerThatNeverSaysHello() {
        open("rpc.hello.timeout", "50ms");
        RawPeer mute = rig.raw(service);
        RawPeer slow = rig.raw(service);

        slow.send("PRXRPC");

        rig.await(slow::isAtEnd);
        assertOnlyClosed(mute);
        assertEquals(2, service.refusals().count());
        assertTrue(service.refusals().last().endsWith(": no hello within 50 ms"), service.refusals().last());
        assertTrue(mute.receivedText().endsWith("no hello within 50 ms"));
    }

    @Test
    void shouldRefuseAnotherSecretWithAReason() {
        open();
        RawPeer stray = rig.raw(service);
        byte[] hello = RawPeer.hello(7);

        stray.send(hello);
        stray.send(stray.proof(hello, rig.challenge(stray), JobSecret.random()));

        assertOnlyClosed(stray);
        assertTrue(stray.receivedText().endsWith("the caller, rank 7 by its own account, has another job secret, or "
                + "dialled another address than 127.0.0.1:" + Rig.port(service) + ", where it arrived; give all ranks "
                + "of a job the same secret, see proxyrt.secret.file, and let nothing between them forward ports or "
                + "translate addresses"), stray.receivedText());
        assertRefusedOnce("rank 7 by its own account, has another job secret");
        assertEquals(1, handler.come.size());
        assertEquals(List.of(), handler.gone);
    }

    @Test
    void shouldTellAClientWithAnotherSecretWhy() {
        open();
        RpcEndpoint stray = rig.add(Rig.endpoint(new PeerId(4, 4), JobSecret.random(), new FakeHandler()));

        ProxyException failure = rig.failure(stray.connect(service.address()));

        assertSame(ProxyResult.INVALID_USAGE, failure.result());
        assertTrue(failure.getMessage().startsWith("the service at 127.0.0.1:" + Rig.port(service) + " refused the "
                + "session: the caller, rank 4 by its own account, has another job secret, or "), failure.getMessage());
    }

    @Test
    void shouldRefuseAnotherVersionWithAReason() {
        open();
        RawPeer future = rig.raw(service);
        byte[] hello = RawPeer.hello(0);
        hello[RpcFrameDescriptor.VERSION_OFFSET + 1] = 9;

        future.send(hello);

        assertOnlyClosed(future);
        assertTrue(future.receivedText().contains("speaks version 9 of the protocol, the service version 4"));
        assertRefusedOnce("version 9");
    }

    @Test
    void shouldRefuseAMalformedHello() {
        open();
        byte[] reserved = RawPeer.hello(0);
        reserved[RpcFrameDescriptor.HELLO_RESERVED_OFFSET] = 1;
        RawPeer odd = rig.raw(service);
        RawPeer negative = rig.raw(service);

        odd.send(reserved);
        negative.send(RawPeer.hello(-1));

        rig.await(odd::isAtEnd);
        assertOnlyClosed(negative);
        assertTrue(negative.receivedText().endsWith("the hello is malformed"));
    }

    @Test
    void shouldRefuseAFrameAboveTheLimitBeforeItArrives() {
        open();
        RawPeer peer = rig.rawAccepted(service, 2);
        byte[] frame = RawPeer.request(MessageType.SETUP, 77, "");
        ByteBuffer.wrap(frame).putInt(Integer.MAX_VALUE);

        peer.send(frame);

        assertOnlyClosed(peer);
        assertEquals(77, ByteBuffer.wrap(peer.received()).getLong(RpcFrameDescriptor.CALL_ID_OFFSET));
        assertTrue(peer.receivedText().contains("a frame of 2147483651 bytes, more than 1048576"));
        assertRefusedOnce("sent a frame of 2147483651 bytes");
        assertEquals(1, handler.gone.size());
        assertTrue(service.memory().usedHeapMemory() < 1 << 20, service.memory()::toString);
    }

    @Test
    void shouldRefuseALengthThatCannotBe() {
        for (int length : new int[] {-1, Integer.MIN_VALUE, 0, 19}) {
            service = null;
            open();
            RawPeer peer = rig.rawAccepted(service, 2);

            peer.send(ByteBuffer.allocate(4).putInt(length).array());

            assertOnlyClosed(peer);
            assertEquals(RpcFrameDescriptor.FAREWELL, peer.received()[RpcFrameDescriptor.KIND_OFFSET]);
            assertRefusedOnce("sent a frame of " + (length + 4L) + " bytes");
        }
    }

    @Test
    void shouldRefuseAnUnknownTypeAndReservedBits() {
        for (int offset : new int[] {4, 5, 6, 7}) {
            open();
            RawPeer peer = rig.rawAccepted(service, 2);
            byte[] frame = RawPeer.request(MessageType.SETUP, 5, "body");
            frame[offset] = 99;

            peer.send(frame);

            assertOnlyClosed(peer);
            ByteBuffer response = ByteBuffer.wrap(peer.received());
            assertEquals(RpcFrameDescriptor.RESPONSE, response.get(RpcFrameDescriptor.KIND_OFFSET));
            assertEquals(5, response.getLong(RpcFrameDescriptor.CALL_ID_OFFSET));
            assertEquals(ProxyResult.INVALID_ARGUMENT.code(),
                    response.getInt(RpcFrameDescriptor.RESPONSE_RESULT_OFFSET));
            assertRefusedOnce(offset == 4 ? "a request of unknown type 99" : "a request with reserved bits set");
        }
    }

    @Test
    void shouldIgnoreWhatFollowsABrokenFrame() {
        open();
        RawPeer peer = rig.rawAccepted(service, 2);
        byte[] broken = RawPeer.request(MessageType.SETUP, 5, "");
        broken[RpcFrameDescriptor.KIND_OFFSET] = 99;

        peer.send(RawPeer.concat(broken, RawPeer.request(MessageType.SETUP, 6, "")));

        assertOnlyClosed(peer);
        assertEquals(1, handler.calls.size());
    }

    @Test
    void shouldRefuseOneConnectionAboveTheCap() {
        open("rpc.max.connections", "2");
        RawPeer second = rig.rawAccepted(service, 2);
        RawPeer third = rig.raw(service);
        byte[] hello = RawPeer.hello(3);

        third.send(hello);
        third.send(third.proof(hello, rig.challenge(third), Rig.SECRET));
        rig.await(third::isAtEnd);

        assertTrue(third.receivedText().contains("it has 2 connections already"), third.receivedText());
        assertRefusedOnce("it has 2 connections already");
        assertEquals(2, service.peers());
        second.send(RawPeer.request(MessageType.SETUP, 1, "x"));
        rig.await(() -> second.responses() == 1);
        second.close();
        rig.await(() -> service.peers() == 1);
        rig.rawAccepted(service, 3);
    }

    @Test
    void shouldTellAClientAboveTheCapWhy() {
        open("rpc.max.connections", "1");

        ProxyException failure = rig.failure(rig.open(3, new FakeHandler()).connect(service.address()));

        assertSame(ProxyResult.SYSTEM_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("it has 1 connections already; see proxyrt.rpc.max.connections"));
    }

    @Test
    void shouldAcceptAgainAfterRunningOutOfDescriptors() {
        open();

        service.listener().pipeline().fireExceptionCaught(new IOException("Too many open files"));

        assertFalse(service.listener().config().isAutoRead());
        assertRefusedOnce("Too many open files");
        rig.rawAccepted(service, 2);
        assertTrue(service.listener().config().isAutoRead());
    }

    @Test
    void shouldStopListeningToAPeerThatDoesNotRead() {
        open("rpc.max.frame.bytes", "64k");
        RawPeer deaf = rig.rawAccepted(service, 2);
        deaf.reading(false);
        byte[] request = RawPeer.request(MessageType.SETUP, 1, "x".repeat(60_000));
        byte[] many = RawPeer.concat(Collections.nCopies(50, request).toArray(byte[][]::new));
        long sent = 0;

        for (int stuck = 0; stuck < 50; stuck++) {
            int count = deaf.send(many);
            sent += count;
            stuck = count > 0 ? 0 : stuck;
            rig.settle();
            assertTrue(sent < 1L << 30, "it swallows without end");
        }

        assertTrue(service.memory().usedHeapMemory() < 8 << 20, service.memory()::toString);
        assertEquals("still here", Rig.text(rig.await(bystander.call(MessageType.SETUP, 0, Rig.bytes("still here")))));
        deaf.close();
        rig.await(() -> service.peers() == 1);
    }

    @Test
    void shouldLimitWhatAPeerHasOutstanding() {
        FakeHandler silent = FakeHandler.silent();
        service = rig.open(1, silent, "rpc.max.outstanding.bytes", "4k", "rpc.max.frame.bytes", "64k");
        RawPeer peer = rig.rawAccepted(service, 2);

        peer.send(RawPeer.request(MessageType.SETUP, 1, "x".repeat(10_000)));
        peer.send(RawPeer.request(MessageType.SETUP, 2, "x"));
        rig.await(() -> peer.responses() == 1);

        assertEquals(1, silent.calls.size());
        assertEquals(10_000, silent.calls.getFirst().request().remaining());
        assertTrue(peer.receivedText().contains("bytes of requests wait for their answers already"));
        FakeHandler.answer(silent.calls.getFirst(), "done");
        peer.send(RawPeer.request(MessageType.SETUP, 3, "x"));
        rig.await(() -> silent.calls.size() == 2);
    }
}
