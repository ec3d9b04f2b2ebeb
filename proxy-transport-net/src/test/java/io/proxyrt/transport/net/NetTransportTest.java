/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.TransportContext;
import io.proxyrt.transport.net.NetMessages.Sender;
import io.proxyrt.transport.net.NetMessages.Setup;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Set-up, freeing and messages of the transport. */
class NetTransportTest {
    @TempDir
    Path folder;

    private final ManualNet net = new ManualNet();
    private TestRank sender;
    private TestRank receiver;

    @BeforeEach
    void open() {
        sender = new TestRank(Direction.SEND, net, folder);
        receiver = new TestRank(Direction.RECV, net, folder);
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
        assertEquals(0, net.open, "something of the network was not closed");
    }

    @Test
    void shouldStayPendingUntilThePeerIsThere() {
        net.pendingAccepts = 5;
        net.pendingConnects = 3;
        ByteBuffer senderInfo = sender.setUp();
        ByteBuffer receiverInfo = receiver.setUp();
        int sends = 1;
        int recvs = 1;
        while (!sender.connect(receiverInfo)) {
            sends++;
        }
        while (!receiver.connect(senderInfo)) {
            recvs++;
        }
        assertEquals(4, sends);
        assertEquals(6, recvs);
        assertEquals(4, net.open, "two comms and two registrations; listening and connecting are over");
    }

    @Test
    void shouldStartWithAllCreditsAndEmptySlots() {
        TestRank.connect(sender, receiver);
        for (DeviceConnection end : List.of(sender.kernelEnd(), receiver.kernelEnd())) {
            assertEquals(0, end.sendMem().head());
            assertEquals(0, end.recvMem().tail());
            for (int slot = 0; slot < DeviceConnection.STEPS; slot++) {
                assertEquals(RecvMem.EMPTY, end.recvMem().size(slot));
            }
            assertEquals(TestRank.BUFFER_BYTES, end.buffer(Protocol.SIMPLE).byteSize(),
                    "rounded down to slots of whole lines");
            assertEquals(0, end.buffer(Protocol.SIMPLE).address() % 128);
        }
    }

    @Test
    void shouldGiveEverythingBackAfterHalfASetUp() {
        sender.setUp();
        receiver.setUp();
        sender.free();
        receiver.free();
        sender.free();
        assertEquals(0, net.open);
    }

    @Test
    void shouldGiveEverythingBackWhileConnecting() {
        net.pendingAccepts = 1;
        net.pendingConnects = 1;
        ByteBuffer senderInfo = sender.setUp();
        ByteBuffer receiverInfo = receiver.setUp();
        assertFalse(sender.connect(receiverInfo));
        assertFalse(receiver.connect(senderInfo));
        sender.free();
        receiver.free();
        assertEquals(0, net.open);
    }

    @Test
    void shouldFreeTheMemoryOfAConnection() {
        TestRank.connect(sender, receiver);
        assertTrue(sender.proxy.memory().usedBytes() > 0);
        sender.free();

        assertEquals(0, sender.proxy.memory().usedBytes());
        assertEquals("", sender.proxy.memory().audit());
    }

    @Test
    void shouldBeginAgainAfterAFailedConnect() {
        sender.setUp();
        ByteBuffer receiverInfo = receiver.setUp();
        net.failure = "no route";
        assertThrows(ProxyException.class, () -> sender.connect(receiverInfo));
        assertEquals(1, net.open, "the receiver listens; the attempt is closed");
        net.failure = "";

        assertTrue(sender.connect(receiverInfo));
    }

    @Test
    void shouldKeepConnectInfoWithinItsLimit() {
        assertTrue(sender.setUp().remaining() <= ProxyTransport.CONNECT_INFO_BYTES);
        assertTrue(receiver.setUp().remaining() <= ProxyTransport.CONNECT_INFO_BYTES);
    }

    @Test
    void shouldRefuseConnectInfoOfAnotherRank() {
        assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                () -> receiver.proxy.transport.connectRequest(receiver.end.request,
                        new Sender(9, 9, 0).encode())).result());
    }

    @Test
    void shouldRefuseASetupForAnotherPeer() {
        assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                () -> sender.proxy.transport.proxySetup(
                sender.end.connection, new Setup(0, 7, 0, 0, 0, false).encode(), ByteBuffer.allocate(4096))).result());
    }

    @Test
    void shouldRefuseASetupWhoseFieldsMakeNoSense() {
        for (int[] fields : new int[][] {{0, 1, 256, 0, 0, 0}, {0, 1, -1, 0, 0, 0}, {-1, 1, 0, 0, 0, 0},
                {0, 1, 0, -1, 0, 0}, {0, 1, 0, 0, 9, 0}, {0, 1, 0, 0, -1, 0}, {0, 1, 0, 0, 0, 1}, {0, 1, 0, 1, 0, 2}}) {
            ByteBuffer body = ByteBuffer.allocate(28).putInt(2);
            for (int field : fields) {
                body.putInt(field);
            }
            assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                    () -> sender.proxy.transport.proxySetup(sender.end.connection, body.flip(),
                            ByteBuffer.allocate(4096))).result());
            assertNull(sender.end.connection.resources());
        }
    }

    @Test
    void shouldRefuseASecondSetup() {
        sender.setUp();
        assertThrows(ProxyException.class, sender::setUp);
    }

    @Test
    void shouldRefuseASenderOfANegativeRank() {
        for (Sender broken : List.of(new Sender(-1, 0, 0), new Sender(0, -1, 0))) {
            assertThrows(ProxyException.class, () -> Sender.decode(broken.encode(), "test"));
        }
        assertEquals(new Sender(3, 4, -5), Sender.decode(new Sender(3, 4, -5).encode(), "test"));
    }

    @Test
    void shouldNotConnectRanksOfOneHostWhereTheOptionForbidsIt() {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of("NCCL_NET_DISABLE_INTRA", "1")).build();
        try (TestProxy proxy = new TestProxy(0, config, net, sender.counters)) {
            String why = proxy.transport.whyNot(TestProxy.info(0), TestProxy.info(1));
            assertTrue(why.contains("proxyrt.net.disable.intra"), why);
        }
    }

    @Test
    void shouldRefuseEveryBrokenMessage() {
        TestRank.connect(sender, receiver);
        Random random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(300)];
            random.nextBytes(bytes);
            if (bytes.length > 4 && random.nextBoolean()) {
                ByteBuffer.wrap(bytes).putInt(2);
            }
            ByteBuffer body = ByteBuffer.wrap(bytes);
            refuse(() -> sender.proxy.transport.proxySetup(sender.end.connection, body, ByteBuffer.allocate(4096)));
            refuse(() -> sender.proxy.transport.connectRequest(sender.end.request, body));
            refuse(() -> receiver.proxy.transport.connectRequest(receiver.end.request, body));
            refuse(() -> receiver.proxy.transport.connectInfo(receiver.end.request, body));
            refuse(() -> receiver.proxy.transport.proxyConnect(receiver.end.connection, body,
                    ByteBuffer.allocate(4096)));
            refuse(() -> receiver.proxy.transport.deviceConnection(receiver.end.request, body));
        }
    }

    @Test
    void shouldSayWhyNoNetworkCanBeUsed() {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of("NCCL_NET", "Carrier-Pigeon")).build();
        try (HostDevice device = new HostDevice(0);
                ProxyTransport transport = new NetTransportProvider().create(
                        new TransportContext(config, 0, device, sender.counters, null))) {
            String why = transport.whyNot(TestProxy.info(0), TestProxy.info(1));
            assertTrue(why.contains("Socket") && why.contains("Carrier-Pigeon"), why);
            assertEquals("", sender.proxy.transport.whyNot(TestProxy.info(0), TestProxy.info(1)));
        }
    }

    @Test
    void shouldDescribeTheInterfacesOfThisHost() {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of("NCCL_SOCKET_IFNAME", "=lo")).build();
        NetSelection selection = NetSelection.of(config, 0);

        assertTrue(selection.describe().contains("lo: 127.0.0.1"), selection.describe());
        assertEquals("lo", selection.plugin().properties(0).name());
    }

    /** Nothing but a refusal may come of noise; what by chance is well-formed is none of this test's business. */
    private static void refuse(Runnable call) {
        try {
            call.run();
        } catch (ProxyException e) {
            assertTrue(e.result() == ProxyResult.INVALID_ARGUMENT, e::toString);
        }
    }
}
