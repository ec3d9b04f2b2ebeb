/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How the IB network sets connections up, and what users are told when it cannot. */
class IbSetUpTest extends IbTwoHosts {
    private static final int BYTES = 1000;
    /** Of the handle: where the port number of the control connection is. */
    private static final int PORT = 52;

    IbSetUpTest() {
        super(BYTES);
    }

    @Test
    void shouldFailConnectionsWhosePortFailedWhileTheyWereSetUp() {
        WatchedVerbs watched = openWatchingReceiver(Map.of());
        try (NetPair before = NetPair.connect(sender, receiver, source, target);
                NetListenComm listen = receiver.listen(0);
                NetConnectComm connect = sender.connect(0, listen.handle())) {
            watched.gate();
            awaitTransition(2, watched, connect, listen);
            hosts.devices[1].port(1).down();
            hosts.devices[1].port(1).up();
            assertEquals(-ProxyResult.REMOTE_ERROR.code(), before.await(before.recv, before.irecv(0, 100)));
            watched.permit(1);
            meet(connect, listen);
            assertEquals(-ProxyResult.REMOTE_ERROR.code(), pair.await(pair.recv, pair.irecv(0, 100)));
            assertTrue(pair.recv.failure().contains("soft1:1 went down: PORT_ERR"), pair.recv.failure());
        }
    }

    /** The receiver logs why, and goes on. */
    @Test
    void shouldSayWhyPortsOfDifferentKindsDoNotConnect() {
        hosts = IbHosts.roce(Map.of());
        hosts.fabric.addInfiniBand("ib0", 7);
        hosts.fabric.addInfiniBand("ib1", 8);
        hosts.verbs[0] = hosts.fabric.host("soft0", "ib1");
        hosts.verbs[1] = hosts.fabric.host("ib0");
        open(hosts);
        assertOnlyTheFirstDeviceIsRefused("rank 1", "link layer", "ib0:1");
    }

    /** The sender's port has no LID. */
    @Test
    void shouldNotTakeWhatAPeerSaysForAFaultOfItsOwnDevice() {
        hosts = IbHosts.infiniBand(Map.of());
        hosts.fabric.addInfiniBand("unmanaged", 0);
        hosts.verbs[0] = hosts.fabric.host("unmanaged", "soft0");
        open(hosts);
        assertOnlyTheFirstDeviceIsRefused("refuses: no way to rank 0", "EINVAL");
    }

    /** By a receiver that goes on and takes the sender's second one. */
    private void assertOnlyTheFirstDeviceIsRefused(String... words) {
        try (NetListenComm listen = receiver.listen(0)) {
            ProxyException failure = failureOf(0, listen);
            assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
            for (String word : words) {
                assertTrue(failure.getMessage().contains(word), failure.getMessage());
            }
            try (NetConnectComm another = sender.connect(1, listen.handle())) {
                meet(another, listen);
            }
        }
    }

    /** The receiver looks for the way to the sender, whose port is down by then. */
    @Test
    void shouldNotBlockWhileAPeersAddressDoesNotResolve() {
        WatchedVerbs watched = openWatchingReceiver(Map.of("net.ib.mqp.retry.count", "3",
                "net.ib.mqp.retry.sleep", "1ms", "net.ib.return.async.events", "0"));
        watched.gate();
        try (NetListenComm listen = receiver.listen(0);
                NetConnectComm connect = sender.connect(0, listen.handle())) {
            awaitTransition(1, watched, connect, listen);
            hosts.devices[0].port(1).down();
            for (int i = 0; i < 100; i++) {
                assertNull(connect.connect());
                assertNull(listen.accept());
            }
            watched.permit(100);
            ProxyException failure = failureOf(connect, listen);

            assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
            assertTrue(failure.getMessage().contains("no way to rank 0") && failure.getMessage().contains("10.0.0.1")
                    && failure.getMessage().contains("by GID 3 of port 1"), failure.getMessage());
            assertEquals(4, watched.transitions.get(), "one, and three more");
        }
    }

    @Test
    void shouldConnectOnceAPeersAddressResolves() {
        WatchedVerbs watched = openWatchingReceiver(Map.of("net.ib.mqp.retry.count", "3",
                "net.ib.mqp.retry.sleep", "1ms", "net.ib.return.async.events", "0"));
        watched.gate();
        try (NetListenComm listen = receiver.listen(0);
                NetConnectComm connect = sender.connect(0, listen.handle())) {
            awaitTransition(1, watched, connect, listen);
            hosts.devices[0].port(1).down();
            watched.permit(2);
            awaitTransition(3, watched, connect, listen);
            hosts.devices[0].port(1).up();
            watched.permit(1);
            meet(connect, listen);
        }
        assertEquals(3, watched.transitions.get());
        pair.exchange(0, 0, 100);
    }

    private static void awaitTransition(int n, WatchedVerbs watched, NetConnectComm connect, NetListenComm listen) {
        while (watched.transitions.get() < n) {
            assertNull(connect.connect());
            assertNull(listen.accept());
            NetPair.turn();
        }
    }

    @Test
    void shouldGiveNoQueuePairToWhoHasNoHandle() throws IOException {
        WatchedVerbs watched = openWatchingReceiver(Map.of());
        try (NetListenComm listen = receiver.listen(0); Socket unauthenticated = new Socket()) {
            ByteBuffer handle = listen.handle();
            unauthenticated.connect(new InetSocketAddress("127.0.0.1", handle.getInt(PORT)), 10_000);
            byte[] guess = new byte[200];
            handle.get(20, guess, 0, 16);
            unauthenticated.getOutputStream().write(guess);
            unauthenticated.setSoTimeout(1);
            while (!isEnded(unauthenticated)) {
                assertNull(listen.accept());
            }

            assertEquals(0, watched.queuePairs.get());
            assertNull(listen.accept());
            pair = NetPair.connect(sender, receiver, source, target);
            assertEquals(1, watched.queuePairs.get());
        }
        pair.exchange(0, 0, 100);
    }

    /** By the hello; that a message of a later proof would be refused as well is tested with the wire. */
    @Test
    void shouldRefuseAHandleWithAnotherToken() {
        WatchedVerbs watched = openWatchingReceiver(Map.of("net.socket.retry.count", "0"));
        try (NetListenComm listen = receiver.listen(0)) {
            ByteBuffer forged = ByteBuffer.allocate(listen.handle().remaining()).put(listen.handle()).flip();
            forged.put(40, (byte) (forged.get(40) ^ 1));
            try (NetConnectComm connect = sender.connect(0, forged)) {
                ProxyException failure = failureOf(connect, listen);
                assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
                assertTrue(failure.getMessage().contains("broke while queue pairs were set up"), failure.getMessage());
            }
            assertEquals(0, watched.queuePairs.get());
        }
    }

    private static boolean isEnded(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private void meet(NetConnectComm connect, NetListenComm listen) {
        pair = NetPair.meet(connect, listen, receiver.properties(0).maxRecvs(), source, target);
    }

    private ProxyException failureOf(int dev, NetListenComm listen) {
        try (NetConnectComm connect = sender.connect(dev, listen.handle())) {
            return failureOf(connect, listen);
        }
    }

    /** Why connecting fails, at the sender alone: the receiver accepts no connection, and goes on. */
    private static ProxyException failureOf(NetConnectComm connect, NetListenComm listen) {
        try {
            NetSendComm comm = null;
            while (comm == null) {
                comm = connect.connect();
                NetPair.turn();
                assertNull(listen.accept());
            }
            throw new AssertionError("connected");
        } catch (ProxyException e) {
            assertNull(listen.accept());
            return e;
        }
    }
}
