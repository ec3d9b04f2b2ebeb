/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.Gid;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What users are told when adapters, links and peers of the IB network fail. */
class IbFailureTest {
    private static final int BYTES = 1 << 20;
    private static final Map<String, String> WITHOUT_EVENTS = Map.of("net.ib.return.async.events", "0");
    /** Of the handle: where the port number of the control connection is. */
    private static final int PORT = 52;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment source = arena.allocate(BYTES);
    private final MemorySegment target = arena.allocate(BYTES);
    private IbHosts hosts;
    private NetPlugin sender;
    private NetPlugin receiver;
    private NetPair pair;

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
        }
        sender.close();
        receiver.close();
        arena.close();
    }

    private void open(IbHosts between) {
        hosts = between;
        sender = hosts.open(0);
        receiver = hosts.open(1);
    }

    private void connect(Map<String, String> options) {
        open(IbHosts.roce(options));
        pair = NetPair.connect(sender, receiver, source, target);
    }

    private void assertLost(NetComm comm, long request, String... words) {
        assertEquals(-ProxyResult.REMOTE_ERROR.code(), pair.await(comm, request));
        for (String word : words) {
            assertTrue(comm.failure().contains(word), () -> "no " + word + " in: " + comm.failure());
        }
    }

    @Test
    void shouldFailConnectionsOfAPortThatGoesDown() {
        connect(Map.of());
        long receiving = pair.irecv(0, 100);
        hosts.devices[1].port(1).down();

        assertLost(pair.recv, receiving, "soft1:1 went down: PORT_ERR", "rank 0");
    }

    @Test
    void shouldConnectAnewByTheAddressThatAPortHasWhenItComesBack() {
        connect(Map.of());
        long receiving = pair.irecv(0, 100);
        hosts.devices[1].port(1).down();
        hosts.devices[1].port(1).gids(List.of(new Gid(0xfe80L << 48, 9, Gid.Kind.ROCE_V2),
                new Gid(0, 0xffff0a000009L, Gid.Kind.ROCE_V2)));
        assertLost(pair.recv, receiving, "PORT_ERR");
        hosts.devices[1].port(1).up();

        try (NetPair again = awaitPair()) {
            again.exchange(0, 0, BYTES);
            again.assertSame(0, 0, BYTES);
        }
    }

    /** The network hears of the change by its events, a moment later. */
    private NetPair awaitPair() {
        while (true) {
            try {
                return NetPair.connect(sender, receiver, source, target);
            } catch (ProxyException e) {
                assertTrue(e.getMessage().contains("is down") || e.getMessage().contains("does not resolve"),
                        e.getMessage());
                NetPair.turn();
            }
        }
    }

    @Test
    void shouldSayWhichQueuePairWasNotAnswered() {
        connect(WITHOUT_EVENTS);
        pair.irecv(0, 100);
        hosts.devices[1].port(1).down();
        long sending = pair.isend(0, 100);
        for (int i = 0; i < 100; i++) {
            assertEquals(0, pair.send.test(sending, pair.actual));
        }
        hosts.fabric.expire();

        assertLost(pair.send, sending, "RETRY_EXC_ERR", "rank 1 at ", "QP ", " at soft0:1", " at soft1:1",
                "net.ib.timeout");
        assertEquals(-ProxyResult.REMOTE_ERROR.code(), pair.isend(0, 1));
    }

    @Test
    void shouldGoOnWhenAPortIsBackBeforeThePatienceEnds() {
        connect(WITHOUT_EVENTS);
        long receiving = pair.irecv(0, 100);
        hosts.devices[1].port(1).down();
        long sending = pair.isend(0, 100);
        assertEquals(0, pair.send.test(sending, pair.actual));
        hosts.devices[1].port(1).up();
        pair.finish(sending, receiving);

        pair.exchange(0, 0, BYTES);
    }

    @Test
    void shouldFailBothEndsWhenTheReceiversMemoryIsGone() {
        connect(Map.of());
        NetMemory memory = pair.recv.regMr(target);
        long receiving = pair.recv.irecv(1, new NetMemory[] {memory}, new long[1], new long[] {BYTES},
                new int[] {NetPair.TAG});
        memory.close();

        assertLost(pair.send, pair.isend(0, BYTES), "REM_ACCESS_ERR", "not registered any more");
        assertLost(pair.recv, receiving, "WR_FLUSH_ERR");
    }

    @Test
    void shouldFailWhenTheSendersMemoryIsGone() {
        connect(Map.of());
        NetMemory memory = pair.send.regMr(source);
        long sending = pair.send.isend(memory, 0, BYTES, NetPair.TAG);
        memory.close();
        pair.irecv(0, BYTES);

        assertLost(pair.send, sending, "LOC_PROT_ERR");
    }

    @Test
    void shouldFailWhenTheAdapterFails() {
        connect(Map.of());
        long receiving = pair.irecv(0, 100);
        hosts.devices[1].fail();

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), pair.await(pair.recv, receiving));
        assertTrue(pair.recv.failure().contains("soft1"), pair.recv.failure());
    }

    @Test
    void shouldSayWhyPortsOfDifferentKindsDoNotConnect() {
        hosts = IbHosts.roce(Map.of());
        hosts.fabric.addInfiniBand("ib0", 7);
        hosts.verbs[1] = hosts.fabric.host("ib0");
        sender = hosts.open(0);
        receiver = hosts.open(1);

        ProxyException failure = assertThrows(ProxyException.class, this::connectUntilItFails);
        assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("rank 1") && failure.getMessage().contains("link layer")
                && failure.getMessage().contains("ib0:1"), failure.getMessage());
    }

    @Test
    void shouldNotBlockWhileAPeersAddressDoesNotResolve() {
        open(IbHosts.roce(Map.of("net.ib.mqp.retry.count", "3", "net.ib.mqp.retry.sleep", "10ms",
                "net.ib.return.async.events", "0")));
        hosts.devices[0].port(1).gids(List.of(new Gid(0xfe80L << 48, 9, Gid.Kind.ROCE_V2)));
        hosts.fabric.addRoce("far", "10.9.9.9");
        try (NetListenComm listen = receiver.listen(0);
                NetConnectComm connect = sender.connect(0, listen.handle())) {
            hosts.devices[1].port(1).down();
            ProxyException failure = assertThrows(ProxyException.class, () -> connectUntilItFails(connect, listen));
            assertFalse(failure.getMessage().isEmpty());
        }
    }

    @Test
    void shouldGiveNoQueuePairToWhoHasNoHandle() throws IOException {
        open(IbHosts.roce(Map.of()));
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

            assertEquals(0, hosts.verbs[1].counts().receives());
            pair = meet(listen);
        }
        pair.exchange(0, 0, 100);
    }

    @Test
    void shouldRefuseAHandleWithAnotherToken() {
        open(IbHosts.roce(Map.of("net.socket.retry.count", "0")));
        try (NetListenComm listen = receiver.listen(0)) {
            ByteBuffer forged = ByteBuffer.allocate(listen.handle().remaining()).put(listen.handle()).flip();
            forged.put(40, (byte) (forged.get(40) ^ 1));
            try (NetConnectComm connect = sender.connect(0, forged)) {
                ProxyException failure = assertThrows(ProxyException.class, () -> connectUntilItFails(connect, listen));
                assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
            }
            assertEquals(0, hosts.verbs[1].counts().receives());
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

    private NetPair meet(NetListenComm other) {
        assertNull(other.accept());
        return NetPair.connect(sender, receiver, source, target);
    }

    private void connectUntilItFails() {
        try (NetListenComm listen = receiver.listen(0);
                NetConnectComm connect = sender.connect(0, listen.handle())) {
            connectUntilItFails(connect, listen);
        }
    }

    private static void connectUntilItFails(NetConnectComm connect, NetListenComm listen) {
        NetSendComm comm = null;
        while (comm == null) {
            try {
                assertNull(listen.accept());
            } catch (ProxyException e) {
                assertFalse(e.getMessage().isEmpty());
            }
            comm = connect.connect();
            NetPair.turn();
        }
        comm.close();
    }
}
