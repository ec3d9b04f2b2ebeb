/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.socket.ControlDial;
import io.proxyrt.transport.net.socket.ControlListener;
import io.proxyrt.transport.net.socket.ControlSocket;
import io.proxyrt.transport.net.socket.ControlSockets;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SetUpWireTest {
    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(1);

    private final ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set("net.socket.ifname", "=lo")
            .build();
    private final ControlSockets sockets = ControlSockets.of(config, 3);
    private ControlListener listener;
    private ControlSocket here;
    private ControlSocket there;

    @BeforeEach
    void connect() {
        listener = sockets.listen();
        try (ControlDial dial = sockets.dial(listener.handle())) {
            while (here == null || there == null) {
                here = here == null ? dial.connect() : here;
                there = there == null ? listener.accept() : there;
                Thread.onSpinWait();
            }
        }
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
        listener.close();
    }

    private static SetUpWire wire(ControlSocket socket) {
        return new SetUpWire(socket, () -> false, System.nanoTime() + PATIENCE_NS);
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes());
    }

    private void assertRefused(int label, String why) {
        ProxyException failure = assertThrows(ProxyException.class, () -> wire(there).receive(label));
        assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
        assertTrue(failure.getMessage().contains(why) && failure.getMessage().contains("rank 3"),
                failure.getMessage());
    }

    /** Sends a message as it is, or changed. */
    private void sendRaw(int label, int length, String contents, int flippedByte) throws IOException {
        ByteBuffer message = ByteBuffer.allocate(8 + contents.length()).putInt(label).putInt(length)
                .put(text(contents)).flip();
        ByteBuffer out = ByteBuffer.allocate(message.remaining() + ControlSocket.PROOF_BYTES).put(message.duplicate())
                .put(here.proof(message)).flip();
        if (flippedByte >= 0) {
            out.put(flippedByte, (byte) (out.get(flippedByte) ^ 1));
        }
        here.channel().write(out);
    }

    @Test
    void shouldCarryMessagesBothWays() {
        wire(here).send(SetUpWire.OFFER, text("hello"));
        assertEquals(text("hello"), wire(there).receive(SetUpWire.OFFER));
        wire(there).send(SetUpWire.ANSWER, text(""));
        assertEquals(text(""), wire(here).receive(SetUpWire.ANSWER));
    }

    @Test
    void shouldTellThePeersReason() {
        wire(here).refuse("no\nport");
        assertRefused(SetUpWire.OFFER, "refuses: no port");
    }

    @Test
    void shouldTakeAMessageThatWasNotChanged() throws IOException {
        sendRaw(SetUpWire.OFFER, 5, "hello", -1);
        assertEquals(text("hello"), wire(there).receive(SetUpWire.OFFER));
    }

    @Test
    void shouldRefuseAMessageThatWasChanged() throws IOException {
        sendRaw(SetUpWire.OFFER, 5, "hello", 9);
        assertRefused(SetUpWire.OFFER, "without its proof");
    }

    @Test
    void shouldRefuseAProofThatWasChanged() throws IOException {
        sendRaw(SetUpWire.OFFER, 5, "hello", 20);
        assertRefused(SetUpWire.OFFER, "without its proof");
    }

    @Test
    void shouldRefuseAMessageThatIsNotDue() throws IOException {
        sendRaw(SetUpWire.READY, 5, "hello", -1);
        assertRefused(SetUpWire.OFFER, "where 1 was due");
    }

    @Test
    void shouldRefuseLengthsThatCannotBeMeant() throws IOException {
        sendRaw(SetUpWire.OFFER, EndInfo.MAX_BYTES + 1, "hello", -1);
        assertRefused(SetUpWire.OFFER, "bytes where");
    }

    @Test
    void shouldRefuseNegativeLengths() throws IOException {
        sendRaw(SetUpWire.OFFER, -1, "hello", -1);
        assertRefused(SetUpWire.OFFER, "-1 bytes where");
    }

    @Test
    void shouldEndWhenThePeerDoes() {
        here.close();
        assertRefused(SetUpWire.OFFER, "closed by the peer");
    }

    @Test
    void shouldEndAtItsDeadline() {
        SetUpWire late = new SetUpWire(there, () -> false, System.nanoTime());
        ProxyException failure = assertThrows(ProxyException.class, () -> late.receive(SetUpWire.OFFER));
        assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("proxyrt.connect.timeout"), failure.getMessage());
    }

    @Test
    void shouldEndWhenItIsCancelled() {
        SetUpWire cancelled = new SetUpWire(there, () -> true, System.nanoTime() + PATIENCE_NS);
        assertThrows(ProxyException.class, () -> cancelled.receive(SetUpWire.OFFER));
    }

    @Test
    void shouldRefuseProofsOfAnotherConnection() {
        try (ControlListener other = sockets.listen(); ControlDial dial = sockets.dial(other.handle())) {
            ControlSocket socket = null;
            while (socket == null) {
                socket = dial.connect();
                Thread.onSpinWait();
            }
            byte[] proof = socket.proof(text("hello"));
            assertTrue(socket.isProof(text("hello"), proof));
            assertTrue(!there.isProof(text("hello"), proof));
            socket.close();
        }
    }
}
