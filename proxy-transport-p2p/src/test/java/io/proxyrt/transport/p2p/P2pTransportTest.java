/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.PeerDevice;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.ProxyConnection;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class P2pTransportTest {
    private static final long SEED = 20_261_122;

    @TempDir
    Path folder;

    private TestRank zero;
    private TestRank one;
    private ProxyConnection sending;
    private ProxyConnection receiving;
    private ConnectorRequest send;
    private ConnectorRequest recv;
    private ByteBuffer fromSender;
    private ByteBuffer fromReceiver;
    private DeviceConnection sender;
    private DeviceConnection receiver;

    @AfterEach
    void close() {
        if (zero != null) {
            zero.close();
            one.close();
        }
        assertEquals(0, LocalWay.offers());
    }

    private void open(Map<String, String> options) {
        open(new HostDevice(0), new HostDevice(1), options, options);
    }

    private void open(Device device, Device other, Map<String, String> options, Map<String, String> otherOptions) {
        zero = new TestRank(0, device, folder, options);
        one = new TestRank(1, other, folder, otherOptions);
    }

    private void setUp() {
        send = zero.request(Direction.SEND, one, 3);
        recv = one.request(Direction.RECV, zero, 3);
        sending = zero.connection(Direction.SEND, one);
        receiving = one.connection(Direction.RECV, zero);
        fromSender = zero.setUp(sending, send);
        fromReceiver = one.setUp(receiving, recv);
    }

    private void connect() {
        setUp();
        ByteBuffer atSender = zero.transport.connectRequest(send, fromReceiver);
        ByteBuffer atReceiver = one.transport.connectRequest(recv, fromSender);
        sender = zero.connect(sending, send, atSender);
        receiver = one.connect(receiving, recv, atReceiver);
    }

    @ParameterizedTest
    @ValueSource(strings = {"direct", "ipc"})
    void shouldLetEachEndPollItsOwnMemoryAndWriteThePeers(String way) {
        open(Map.of("p2p.way", way));
        connect();
        sender.sendMem().head(5);
        receiver.recvMem().tail(7);
        assertEquals(5, receiver.sendMem().head());
        assertEquals(7, sender.recvMem().tail());
        for (Protocol protocol : Protocol.values()) {
            assertTrue(sender.isDirect(protocol) && receiver.isDirect(protocol));
            sender.buffer(protocol).setString(64, "by " + protocol);
            assertEquals("by " + protocol, receiver.buffer(protocol).getString(64));
            assertEquals(receiver.buffer(protocol).address(), receiver.addresses().buffer(protocol));
            assertEquals(sender.buffer(protocol).address(), sender.addresses().buffer(protocol));
        }
        assertNull(zero.transport.progress(Direction.SEND));
        assertEquals(0, zero.transport.waiting() + one.transport.waiting());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void shouldPutSlotsWhereTheyAreReadOrWritten(String isRead) {
        open(Map.of("p2p.read.enable", isRead, "p2p.way", "direct"));
        connect();
        long head = sender.addresses().sendMem();
        long tail = receiver.addresses().recvMem();
        assertEquals(isRead.equals("1") ? head + 4096 : tail + 4096 + sender.buffer(Protocol.LL).byteSize()
                + sender.buffer(Protocol.LL128).byteSize(), sender.addresses().simple());
        assertEquals(tail + 4096, sender.addresses().ll());
    }

    @Test
    void shouldShareWordsOfTheHostWithAPeerToWhichAProxyCopies() {
        open(Map.of("p2p.use.memcpy", "1", "p2p.memcpy.buffer.bytes", "1M", "p2p.way", "ipc", "p2p.read.enable", "1"));
        connect();
        assertNotNull(zero.transport.progress(Direction.SEND));
        assertNull(one.transport.progress(Direction.RECV));
        assertFalse(sender.isDirect(Protocol.SIMPLE));
        assertTrue(receiver.isDirect(Protocol.SIMPLE));
        assertEquals(1 << 20, sender.buffer(Protocol.SIMPLE).byteSize());
        sender.sendMem().head(9);
        assertEquals(9, receiver.sendMem().head());
        sender.recvMem().tail(4);
        assertEquals(0, receiver.recvMem().tail(), "what the sender's kernel stores is for its proxy");
    }

    @Test
    void shouldConnectWhenThePeerHasTheMemory() {
        open(Map.of());
        setUp();
        ByteBuffer request = zero.transport.connectRequest(send, fromReceiver);
        assertNull(zero.connect(sending, send, request));
        assertNull(zero.connect(sending, send, request));
        ByteBuffer other = one.transport.connectRequest(recv, fromSender);
        assertNotNull(zero.connect(sending, send, request));
        assertNotNull(one.connect(receiving, recv, other));
    }

    @Test
    void shouldKeepMemoryOfAProcessAsLongAsOneEndNeedsIt() {
        open(Map.of("p2p.way", "direct"));
        connect();
        one.free();
        sender.buffer(Protocol.SIMPLE).setString(0, "still there");
        assertEquals("still there", receiver.buffer(Protocol.SIMPLE).getString(0));
        zero.free();
        assertThrows(IllegalStateException.class, () -> receiver.buffer(Protocol.SIMPLE).getString(0));
    }

    @Test
    void shouldGiveEverythingBackAfterASetUpThatCouldNotBeAnswered() {
        open(Map.of());
        ByteBuffer request = zero.transport.setupRequest(zero.request(Direction.SEND, one, 3));
        ProxyConnection connection = zero.connection(Direction.SEND, one);

        assertThrows(BufferOverflowException.class,
                () -> zero.transport.proxySetup(connection, request, ByteBuffer.allocate(8)));
        assertEquals(1, LocalWay.offers());
        zero.free();

        assertEquals(0, LocalWay.offers());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1"})
    void shouldKeepMemoryOfAProcessWhenTheOtherRanksDeviceIsClosed(String isCopied) {
        open(Map.of("p2p.way", "direct", "p2p.use.memcpy", isCopied));
        connect();
        zero.close();
        receiver.sendMem().head(3);
        assertEquals(3, sender.sendMem().head());
        one.close();
        assertThrows(IllegalStateException.class, () -> receiver.sendMem().head(4));
    }

    @Test
    void shouldGoThroughADeviceThatBothReach() {
        LoneDevice device = new LoneDevice(0, "host:7");
        LoneDevice other = new LoneDevice(1, "host:7");
        open(device, other, Map.of("p2p.relay", "host:7"), Map.of("p2p.relay", "host:7"));
        assertEquals("", zero.transport.whyNot(zero.info(), one.info()));
        assertTrue(zero.transport.how(zero.info(), one.info()).contains(" in host:7"));
        connect();
        sender.buffer(Protocol.LL).setString(0, "through a third");
        assertEquals("through a third", receiver.buffer(Protocol.LL).getString(0));
        assertEquals(List.of("host:7", "host:7"), device.enabled);
        assertEquals(device.enabled, other.enabled);
    }

    @Test
    void shouldSayWhyNot() {
        open(new LoneDevice(0, "host:7"), new HostDevice(1), Map.of("p2p.relay", ""), Map.of("p2p.host", "0"));
        PeerInfo self = zero.info();
        assertEquals("host:0 reaches host:7 only; proxyrt.p2p.relay names no device between",
                zero.transport.whyNot(self, one.info()));
        assertEquals("rank 1 is on another host",
                zero.transport.whyNot(self, one.info(2, PeerDevice.of(one.device))));
        assertEquals("rank 1 uses a cuda device, this one a host device",
                zero.transport.whyNot(self, one.info(1, new PeerDevice("cuda", "cuda:1", "", -1))));
        assertEquals("host devices have SHM, unless proxyrt.p2p.host is 1",
                one.transport.whyNot(one.info(), self));
    }

    @ParameterizedTest
    @CsvSource({"cuda:0, 0000:1B:00.0, cuda:1, 0000:1b:00.0", "cuda:0, '', cuda:0, ''"})
    void shouldNotCopyWithinAGpu(String name, String pciId, String otherName, String otherPciId) {
        open(Map.of("p2p.use.memcpy", "1"));
        PeerDevice gpu = new PeerDevice("cuda", name, pciId, -1);
        String whyNot = zero.transport.whyNot(zero.info(1, gpu),
                one.info(1, new PeerDevice("cuda", otherName, otherPciId, -1)));
        assertTrue(whyNot.startsWith("rank 1 uses the same GPU, cuda:0, within which"), whyNot);
        assertFalse(zero.transport.whyNot(zero.info(1, gpu), one.info(1, new PeerDevice("cuda", "cuda:1",
                "0000:1c:00.0", -1))).contains("same GPU"));
        assertEquals("", zero.transport.whyNot(zero.info(), zero.info()), "a host device's copies wait for nothing");
    }

    @Test
    void shouldSayWhichWaysAreClosed() {
        open(Map.of("p2p.way", "direct", "p2p.direct.disable", "1"));
        assertTrue(zero.transport.whyNot(zero.info(), one.info()).contains("leave no way"));
        zero.close();
        one.close();
        open(Map.of("p2p.disable", "1"));
        assertEquals("proxyrt.p2p.disable is 1", zero.transport.whyNot(zero.info(), one.info()));
    }

    @Test
    void shouldNotConnectToAnEndOfOtherSettings() {
        open(new HostDevice(0), new HostDevice(1), Map.of(), Map.of("p2p.read.enable", "1"));
        setUp();
        assertResult(ProxyResult.INVALID_USAGE, () -> zero.transport.connectRequest(send, fromReceiver));
    }

    @Test
    void shouldNotConnectToAnotherConnectionsEnd() {
        open(Map.of());
        setUp();
        ConnectorRequest another = zero.request(Direction.SEND, one, 4);
        assertResult(ProxyResult.INVALID_ARGUMENT, () -> zero.transport.connectRequest(another, fromReceiver));
        ByteBuffer ticket = zero.transport.connectRequest(send, fromReceiver);
        ProxyConnection other = zero.connection(Direction.SEND, one);
        zero.setUp(other, another);
        assertResult(ProxyResult.INVALID_ARGUMENT, () -> zero.connect(other, another, ticket));
        assertResult(ProxyResult.INVALID_ARGUMENT, () -> zero.connect(sending, send, ticket));
        assertEquals(0, zero.transport.waiting());
    }

    @Test
    void shouldRefuseMemoryThatIsNotOffered() {
        open(Map.of());
        setUp();
        int key = fromReceiver.limit() - 12;
        fromReceiver.putLong(key, fromReceiver.getLong(key) + 1);
        assertResult(ProxyResult.INVALID_ARGUMENT, () -> zero.transport.connectRequest(send, fromReceiver));
        fromReceiver.putLong(key, fromReceiver.getLong(key) - 1);
        one.free();
        assertResult(ProxyResult.INVALID_ARGUMENT, () -> zero.transport.connectRequest(send, fromReceiver));
    }

    /** Bytes of peers and clients are refused, or make no difference; nothing else happens. */
    @ParameterizedTest
    @ValueSource(strings = {"direct", "ipc"})
    void shouldBearAnyMessage(String way) {
        open(Map.of("p2p.way", way));
        setUp();
        Random random = new Random(SEED);
        for (int round = 0; round < 500; round++) {
            ByteBuffer broken = broken(random, fromReceiver);
            bear(() -> zero.transport.connectRequest(send, broken));
            ByteBuffer setup = broken(random, zero.transport.setupRequest(send));
            ProxyConnection connection = zero.connection(Direction.SEND, one);
            bear(() -> zero.transport.proxySetup(connection, setup, ByteBuffer.allocate(4096)));
            ByteBuffer ticket = broken(random, ByteBuffer.allocate(12).putInt(0, 1));
            bear(() -> zero.transport.proxyConnect(sending, ticket, ByteBuffer.allocate(4096)));
            zero.transport.proxyFree(connection);
        }
    }

    private static ByteBuffer broken(Random random, ByteBuffer sound) {
        byte[] bytes = new byte[random.nextInt(8) == 0 ? random.nextInt(300) : sound.remaining()];
        sound.get(sound.position(), bytes, 0, Math.min(bytes.length, sound.remaining()));
        for (int i = random.nextInt(4); i >= 0 && bytes.length > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return ByteBuffer.wrap(bytes);
    }

    private static void bear(Runnable call) {
        try {
            call.run();
        } catch (ProxyException e) {
            assertNotNull(e.result());
        }
    }

    private static void assertResult(ProxyResult result, Runnable call) {
        ProxyException refusal = assertThrows(ProxyException.class, call::run);
        assertEquals(result, refusal.result(), refusal::toString);
    }
}
