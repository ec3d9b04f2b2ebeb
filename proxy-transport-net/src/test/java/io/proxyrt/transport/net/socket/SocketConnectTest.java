/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Set-up with peers that are late, wrong, slow or absent. */
class SocketConnectTest {
    private static final long SHORT_NS = 20_000_000;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final SocketNet net = SocketNetTest.loopback(new SocketSettings(3, -1, -1, 2, 1_000_000, SHORT_NS));

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    @Test
    void shouldDropStrangersAndStillAcceptTheRightPeer() throws IOException {
        NetListenComm listen = opened(net.listen(0));
        SocketHandle handle = SocketHandle.decode(listen.handle());
        SocketChannel http = stranger(handle, bytes("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        SocketChannel wrongToken = stranger(handle, SocketHello.encode(1, handle.token() + 1));
        SocketChannel wrongVersion = stranger(handle, SocketHello.encode(1, handle.token()).putInt(8, 99));
        SocketChannel gone = stranger(handle, bytes("x"));
        gone.close();
        SocketChannel silent = stranger(handle, bytes(""));
        SocketChannel half = stranger(handle, SocketHello.encode(1, handle.token()).limit(23));
        NetSendComm send = connected(listen);

        NetRecvComm recv = null;
        while (recv == null) {
            recv = listen.accept();
        }
        opened(recv);
        assertNotNull(send);
        while (isOpen(http) || isOpen(wrongToken) || isOpen(wrongVersion) || isOpen(silent) || isOpen(half)) {
            assertNull(listen.accept());
        }
    }

    @Test
    void shouldAcceptAPeerWhoseHelloComesInPieces() throws IOException {
        NetListenComm listen = opened(net.listen(0));
        SocketHandle handle = SocketHandle.decode(listen.handle());
        ByteBuffer hello = SocketHello.encode(11, handle.token());
        SocketChannel channel = stranger(handle, hello.duplicate().limit(5));
        assertNull(listen.accept());
        channel.write(hello.duplicate().position(5).limit(20));
        assertNull(listen.accept());
        channel.write(hello.position(20));
        NetRecvComm recv = null;
        while (recv == null) {
            recv = listen.accept();
        }
        recv.close();
    }

    @Test
    void shouldNotBeHeldUpByMoreSilentPeersThanItLooksAt() throws IOException {
        NetListenComm listen = opened(net.listen(0));
        SocketHandle handle = SocketHandle.decode(listen.handle());
        for (int i = 0; i < SocketListenComm.MAX_CANDIDATES + 3; i++) {
            stranger(handle, bytes(""));
        }
        connected(listen);
        NetRecvComm recv = null;
        while (recv == null) {
            recv = listen.accept();
        }
        recv.close();
    }

    @Test
    void shouldGiveUpAConnectionThatIsRefusedTooOften() throws IOException {
        NetConnectComm connect = opened(net.connect(0, handleOfNobody().encode()));
        ProxyException failure = assertThrows(ProxyException.class, () -> {
            while (connect.connect() == null) {
                Thread.onSpinWait();
            }
        });

        assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("3 attempts"), failure.getMessage());
        assertTrue(failure.getMessage().contains("rank 8 at 127.0.0.1:"), failure.getMessage());
    }

    @Test
    void shouldRetryUntilTheListenerIsThere() throws IOException {
        SocketNet patient = SocketNetTest.loopback(new SocketSettings(3, -1, -1, 1000, 1_000_000, SHORT_NS));
        SocketHandle handle = handleOfNobody();
        NetConnectComm connect = opened(patient.connect(0, handle.encode()));
        for (int i = 0; i < 1000; i++) {
            assertNull(connect.connect());
        }
        try (ServerSocket server = new ServerSocket()) {
            server.setReuseAddress(true);
            server.bind(handle.address());
            NetSendComm send = null;
            while (send == null) {
                send = connect.connect();
            }
            send.close();
        }
    }

    @Test
    void shouldNameThePeerInFailures() {
        NetListenComm listen = opened(net.listen(0));
        NetSendComm send = connected(listen);
        NetRecvComm recv = null;
        while (recv == null) {
            recv = listen.accept();
        }
        opened(recv);
        send.test(5, new long[1]);
        recv.test(5, new long[1]);

        assertTrue(send.failure().contains("rank 3 at 127.0.0.1:"), send.failure());
        assertTrue(recv.failure().contains("rank 3 at 127.0.0.1:"), recv.failure());
    }

    private NetSendComm connected(NetListenComm listen) {
        NetConnectComm connect = opened(net.connect(0, listen.handle()));
        NetSendComm send = null;
        while (send == null) {
            send = connect.connect();
        }
        return opened(send);
    }

    private SocketHandle handleOfNobody() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new SocketHandle(8, 1,
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()));
        }
    }

    private SocketChannel stranger(SocketHandle handle, ByteBuffer firstWords) throws IOException {
        SocketChannel channel = opened(SocketChannel.open(handle.address()));
        channel.write(firstWords);
        channel.configureBlocking(false);
        return channel;
    }

    private static boolean isOpen(SocketChannel channel) {
        try {
            return channel.isOpen() && channel.read(ByteBuffer.allocate(1)) >= 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private <T extends AutoCloseable> T opened(T resource) {
        open.add(resource);
        return resource;
    }
}
