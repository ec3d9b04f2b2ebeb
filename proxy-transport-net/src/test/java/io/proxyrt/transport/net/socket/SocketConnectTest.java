/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Set-up with peers that are late, wrong, slow or absent. The listener has two data sockets, so three in all. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SocketConnectTest {
    private static final UUID SESSION = new UUID(1, 2);
    private static final int CONTROL = 2;

    private final List<AutoCloseable> open = new ArrayList<>();
    private SocketNet net;
    private NetListenComm listen;
    private SocketHandle handle;

    @BeforeEach
    void listenPatiently() {
        listen("60s");
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    @Test
    void shouldDropUnauthenticatedPeersAndStillAcceptTheRightOne() throws IOException {
        listen("20ms");
        SocketChannel http = dial(bytes("GET / HTTP/1.1\r\nHost: localhost\r\nAccept: whatever there may be\r\n"));
        SocketChannel wrongToken = dial(hello(0, 0).encode(SocketToken.random()));
        SocketChannel wrongVersion = dial(encoded(0, 0).putInt(8, 99));
        SocketChannel gone = dial(bytes("x"));
        gone.close();
        SocketChannel silent = dial(bytes(""));
        SocketChannel half = dial(encoded(0, 0).limit(SocketHello.BYTES - 1));
        connected();

        assertAllDropped(http, wrongToken, wrongVersion, silent, half);
    }

    @Test
    void shouldRefuseAHelloInWhichAnyByteWasChanged() throws IOException {
        for (int i = 0; i < SocketHello.BYTES; i++) {
            ByteBuffer hello = encoded(0, 0);
            hello.put(i, (byte) (hello.get(i) ^ 1));
            assertAllDropped(dial(hello));
        }
    }

    @Test
    void shouldRefuseTheProofOfAnotherListener() throws IOException {
        NetListenComm other = opened(net.listen(0));
        SocketToken token = SocketHandle.decode(other.handle()).token();

        assertAllDropped(dial(hello(0, 0).encode(token)));
    }

    @Test
    void shouldRefuseASecondSocketOfTheSamePlace() throws IOException {
        SocketChannel first = dial(encoded(0, 0));
        assertNull(listen.accept());
        assertAllDropped(dial(encoded(0, 0)));
        dial(encoded(1, 0));
        dial(encoded(CONTROL, 0));

        NetRecvComm recv = opened(accepted());
        assertTrue(isOpen(first), recv.failure());
    }

    @Test
    void shouldRefuseSocketsThatAConnectionDoesNotHave() throws IOException {
        assertAllDropped(dial(encoded(3, 0)), dial(encoded(-1, 0)), dial(encoded(Integer.MIN_VALUE, 0)),
                dial(new SocketHello(1, SESSION, 0, new SocketTerms(64, 1, 0), 0).encode(handle.token())),
                dial(new SocketHello(1, SESSION, 0, new SocketTerms(2, 1, 4), 0).encode(handle.token())));
    }

    @Test
    void shouldRefuseHellosThatAreReplayed() throws IOException {
        ByteBuffer[] hellos = {encoded(0, 0), encoded(1, 0), encoded(CONTROL, 0)};
        for (ByteBuffer hello : hellos) {
            dial(hello.duplicate());
        }
        opened(accepted());

        assertAllDropped(dial(hellos[0].duplicate()), dial(hellos[1].duplicate()),
                dial(hellos[2].duplicate()));
    }

    @Test
    void shouldRefuseASocketThatClaimsToGoOnWhereNothingBegan() throws IOException {
        assertAllDropped(dial(encoded(CONTROL, 1)));
    }

    @Test
    void shouldDropAConnectionWhoseSocketsDoNotAllComeInTime() throws IOException {
        listen("20ms");
        SocketChannel first = dial(encoded(0, 0));
        SocketChannel control = dial(encoded(CONTROL, 0));
        assertAllDropped(first, control);

        dial(encoded(1, 0));
        assertNull(listen.accept());
        assertAllDropped(dial(encoded(1, 0)));
    }

    @Test
    void shouldAcceptAPeerWhoseHelloComesInPieces() throws IOException {
        dial(encoded(0, 0));
        dial(encoded(1, 0));
        ByteBuffer hello = encoded(CONTROL, 0);
        SocketChannel channel = dial(hello.duplicate().limit(5));
        assertNull(listen.accept());
        channel.write(hello.duplicate().position(5).limit(60));
        assertNull(listen.accept());
        channel.write(hello.position(60));
        opened(accepted());
    }

    @Test
    void shouldNotBeHeldUpByMoreSilentPeersThanItLooksAt() throws IOException {
        listen("60s");
        SocketChannel oldest = dial(bytes(""));
        for (int i = 0; i < 3 * SocketCandidates.MAX; i++) {
            dial(bytes(""));
        }
        connected();
        assertFalse(isOpen(oldest));
    }

    @Test
    void shouldKeepAPeerThatIsStillSayingHelloInAFlood() throws IOException {
        listen("60s");
        dial(encoded(0, 0));
        dial(encoded(1, 0));
        SocketChannel slow = dial(encoded(CONTROL, 0).limit(40));
        for (int i = 0; i < SocketCandidates.MAX - 1; i++) {
            dial(bytes(""));
        }
        assertNull(listen.accept());
        slow.write(encoded(CONTROL, 0).position(40));
        dial(bytes(""));

        opened(accepted());
    }

    @Test
    void shouldGiveUpAConnectionThatIsRefusedTooOften() throws IOException {
        NetConnectComm connect = opened(net.connect(0, handleWithoutListener().encode()));
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
        SocketNet patient = Loopback.net("net.socket.retry.count", "1000", "net.socket.retry.sleep", "1ms");
        SocketHandle handle = handleWithoutListener();
        NetConnectComm connect = opened(patient.connect(0, handle.encode()));
        for (int i = 0; i < 1000; i++) {
            assertNull(connect.connect());
        }
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(handle.address()).configureBlocking(false);
            SocketChannel socket = null;
            while (socket == null) {
                assertNull(connect.connect());
                socket = server.accept();
            }
            opened(socket);
        }
    }

    /** What it sent before might be all, and is lost if it leaves before it is accepted. */
    @Test
    void shouldNotSendBeforeItIsAccepted() {
        NetConnectComm connect = opened(net.connect(0, listen.handle()));
        for (int i = 0; i < 1000; i++) {
            assertNull(connect.connect());
        }
        NetRecvComm recv = opened(accepted());
        NetSendComm send = null;
        while (send == null) {
            send = connect.connect();
        }
        send.close();
        assertEquals("", recv.failure());
    }

    @Test
    void shouldSayThatTheListenerClosedTheConnection() {
        NetConnectComm connect = opened(net.connect(0, listen.handle()));
        for (int i = 0; i < 1000; i++) {
            assertNull(connect.connect());
        }
        listen.close();
        assertFailsToConnect(connect, "which has not taken the connection: ");
    }

    @Test
    void shouldBelieveNoAnswerOfAnother() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).configureBlocking(false);
            SocketHandle stolen = new SocketHandle(8, SocketToken.random(),
                    (InetSocketAddress) server.getLocalAddress(), 0, new SocketTerms(0, 1, 0));
            NetConnectComm connect = opened(net.connect(0, stolen.encode()));
            SocketChannel socket = null;
            while (socket == null) {
                assertNull(connect.connect());
                socket = server.accept();
            }
            opened(socket).write(ByteBuffer.allocate(SocketAnswer.BYTES));
            assertFailsToConnect(connect, "another process answered");
        }
    }

    private static void assertFailsToConnect(NetConnectComm connect, String why) {
        ProxyException failure = assertThrows(ProxyException.class, () -> {
            while (connect.connect() == null) {
                Thread.onSpinWait();
            }
        });
        assertTrue(failure.getMessage().contains(why), failure.getMessage());
    }

    @Test
    void shouldNameThePeerInFailures() {
        Loopback.Pair pair = connected();
        pair.send().test(5, new long[1]);
        pair.recv().test(5, new long[1]);

        assertTrue(pair.send().failure().contains("rank 3 at 127.0.0.1:"), pair.send().failure());
        assertTrue(pair.recv().failure().contains("rank 3 at 127.0.0.1:"), pair.recv().failure());
    }

    @Test
    void shouldNotTellTheToken() {
        assertTrue(handle.toString().contains("token=(secret)"), handle.toString());
    }

    /** From now on peers have so long to say who they are. */
    private void listen(String timeout) {
        net = opened(Loopback.net("net.socket.retry.count", "2", "net.socket.retry.sleep", "1ms",
                "net.socket.handshake.timeout", timeout, "connect.timeout", timeout, "net.socket.threads", "0",
                "net.socket.sockets.per.thread", "2"));
        listen = opened(net.listen(0));
        handle = SocketHandle.decode(listen.handle());
    }

    private SocketHello hello(int index, int attempt) {
        return new SocketHello(1, SESSION, index, handle.terms(), attempt);
    }

    private ByteBuffer encoded(int index, int attempt) {
        return hello(index, attempt).encode(handle.token());
    }

    /** Drives a connector and the listener until both have the connection. */
    private Loopback.Pair connected() {
        NetConnectComm connect = opened(net.connect(0, listen.handle()));
        NetSendComm send = null;
        NetRecvComm recv = null;
        while (send == null || recv == null) {
            send = send == null ? connect.connect() : send;
            recv = recv == null ? listen.accept() : recv;
        }
        return opened(new Loopback.Pair(send, recv));
    }

    private NetRecvComm accepted() {
        NetRecvComm recv = null;
        while (recv == null) {
            recv = listen.accept();
        }
        return recv;
    }

    private void assertAllDropped(SocketChannel... channels) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        for (SocketChannel channel : channels) {
            while (isOpen(channel)) {
                assertNull(listen.accept());
                assertTrue(System.nanoTime() - deadlineNs < 0, "it was not dropped");
            }
        }
    }

    private SocketHandle handleWithoutListener() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new SocketHandle(8, SocketToken.random(),
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()), 0,
                    new SocketTerms(0, 1, 0));
        }
    }

    private SocketChannel dial(ByteBuffer firstWords) throws IOException {
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
