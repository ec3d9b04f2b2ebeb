/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.progress.ProxyRegistration;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.transport.Tickets;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Set-up, freeing and messages of the transport. */
class ShmTransportTest {
    @TempDir
    Path folder;

    private final TestHost host = new TestHost();
    private TestProxy one;
    private TestProxy other;
    private TestEnd sender;
    private TestEnd receiver;

    @BeforeEach
    void open() {
        open(Map.of(), Map.of());
    }

    @AfterEach
    void close() {
        one.close();
        other.close();
        assertEquals(0, host.exports(), "a segment could still be mapped");
    }

    private void open(Map<String, String> oneOptions, Map<String, String> otherOptions) {
        if (one != null) {
            close();
        }
        one = new TestProxy(0, host, new HostDevice(0), folder, oneOptions);
        other = new TestProxy(1, host, new HostDevice(1), folder, otherOptions);
        sender = one.end(Direction.SEND, 1, 0);
        receiver = other.end(Direction.RECV, 0, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2"})
    void shouldLetBothRanksReachTheSameWordsAndBuffers(String locality) {
        open(Map.of("shm.locality", locality), Map.of("shm.locality", locality));
        TestEnd.connect(sender, receiver);
        DeviceConnection from = sender.kernelEnd;
        DeviceConnection to = receiver.kernelEnd;
        from.recvMem().size(3, 5);
        from.recvMem().tail(42);
        to.sendMem().head(43);
        for (Protocol protocol : Protocol.values()) {
            assertTrue(from.isDirect(protocol) && to.isDirect(protocol));
            assertEquals(0, from.buffer(protocol).address() % 128);
            from.buffer(protocol).setString(8, protocol.name());
            assertEquals(protocol.name(), to.buffer(protocol).getString(8));
            assertEquals(from.buffer(protocol).byteSize(), to.buffer(protocol).byteSize());
        }

        assertEquals(TestProxy.BUFFER_BYTES, to.buffer(Protocol.SIMPLE).byteSize(), "rounded down to whole slots");
        assertEquals(5, to.recvMem().size(3));
        assertEquals(42, to.recvMem().tail());
        assertEquals(43, from.sendMem().head());
    }

    @Test
    void shouldStartWithAllCreditsAndEmptySlots() {
        TestEnd.connect(sender, receiver);
        for (DeviceConnection end : List.of(sender.kernelEnd, receiver.kernelEnd)) {
            assertEquals(0, end.sendMem().head());
            assertEquals(0, end.recvMem().tail());
            for (int slot = 0; slot < DeviceConnection.STEPS; slot++) {
                assertEquals(RecvMem.EMPTY, end.recvMem().size(slot));
                assertEquals(RecvMem.MODE_NORMAL, end.recvMem().mode(slot));
            }
        }
    }

    @Test
    void shouldNeedNoProgress() {
        assertNull(one.transport.progress(Direction.SEND));
        assertNull(one.transport.progress(Direction.RECV));
    }

    @Test
    void shouldStayPendingUntilThePeerHasMappedTheSegment() {
        ByteBuffer fromInfo = sender.setUp();
        ByteBuffer toInfo = receiver.setUp();
        assertFalse(sender.connect(toInfo));
        assertFalse(sender.connect(toInfo));
        assertEquals(2, host.exports());

        assertTrue(receiver.connect(fromInfo));
        assertEquals(1, host.exports(), "no other process shall map the receiver's segment");
        assertTrue(sender.connect(toInfo));
        assertEquals(0, host.exports());
    }

    @Test
    void shouldGiveAllMemoryBack() {
        TestEnd.connect(sender, receiver);
        one.device.memory(1);
        one.device.memory(2);
        sender.free();
        sender.free();

        assertThrows(ProxyException.class, () -> one.device.memory(1));
        assertThrows(ProxyException.class, () -> one.device.memory(2));
        receiver.kernelEnd.sendMem().head(1);
        receiver.kernelEnd.buffer(Protocol.SIMPLE).fill((byte) 1);
    }

    @Test
    void shouldGiveEverythingBackAfterHalfASetUp() {
        ByteBuffer fromInfo = sender.setUp();
        receiver.setUp();
        receiver.connect(fromInfo);
        receiver.free();
        sender.free();

        assertEquals(0, host.exports());
        assertThrows(ProxyException.class, () -> other.device.memory(2));
    }

    @Test
    void shouldGiveEverythingBackAfterASetUpThatCouldNotBeAnswered() {
        assertThrows(BufferOverflowException.class, () -> one.transport.proxySetup(sender.connection,
                one.transport.setupRequest(sender.request), ByteBuffer.allocate(8)));
        one.device.memory(1);
        sender.free();

        assertThrows(ProxyException.class, () -> one.device.memory(1));
        assertEquals(0, host.exports());
    }

    @Test
    void shouldTakeAConnectThatIsTriedAgainAndLeakNothing() {
        ByteBuffer fromInfo = sender.setUp();
        ByteBuffer toInfo = receiver.setUp();
        other.transport.connectRequest(receiver.request, fromInfo);
        assertEquals(1, other.transport.waiting(), "a Connect that gets lost");
        receiver.connect(fromInfo);
        receiver.forgetConnect();
        assertFalse(receiver.connect(fromInfo));
        assertThrows(ProxyException.class, () -> other.device.memory(3), "the segment of the first Connect");

        assertFalse(sender.connect(toInfo) && !receiver.connect(fromInfo));
        other.transport.close();
        assertEquals(0, other.transport.waiting());
        assertThrows(ProxyException.class, () -> other.device.memory(2), "the segment of the Connect that got lost");
    }

    @Test
    void shouldCloseWhatNoConnectFetchesInTime() {
        open(Map.of(), Map.of("connect.timeout", "1ms"));
        ByteBuffer fromInfo = sender.setUp();
        receiver.setUp();
        other.transport.connectRequest(receiver.request, fromInfo);
        long later = System.nanoTime() + 2_000_000;
        while (System.nanoTime() - later < 0) {
            Thread.onSpinWait();
        }
        assertEquals(1, other.transport.waiting());
        other.end(Direction.RECV, 0, 1).free();
        assertEquals(0, other.transport.waiting());
        assertThrows(ProxyException.class, () -> other.device.memory(2), "it is closed");
    }

    @Test
    void shouldMapNothingOnceItIsClosed() {
        ByteBuffer fromInfo = sender.setUp();
        receiver.setUp();
        other.transport.close();
        assertRefused(ProxyResult.INVALID_USAGE, "while the runtime was closed",
                () -> other.transport.connectRequest(receiver.request, fromInfo));
        assertEquals(0, other.transport.waiting());
        assertThrows(ProxyException.class, () -> other.device.memory(2), "it is closed");
    }

    @Test
    void shouldRefuseATicketOfAnotherConnectionOrThatWasUsed() {
        ByteBuffer fromInfo = sender.setUp();
        receiver.setUp();
        TestEnd another = other.end(Direction.RECV, 0, 1);
        another.setUp();
        ByteBuffer ticket = other.transport.connectRequest(receiver.request, fromInfo);
        ByteBuffer response = ByteBuffer.allocate(4096);

        assertThrows(ProxyException.class,
                () -> other.transport.proxyConnect(another.connection, ticket.duplicate(), response));
        assertThrows(ProxyException.class,
                () -> other.transport.proxyConnect(receiver.connection, ticket.duplicate(), response));
        assertThrows(ProxyException.class, () -> other.device.memory(3), "it is closed");
    }

    @Test
    void shouldRefuseOtherConnectionsAndConfigurations() {
        ByteBuffer fromInfo = sender.setUp();
        TestEnd otherChannel = other.end(Direction.RECV, 0, 1);
        assertRefused(ProxyResult.INVALID_ARGUMENT, "not that for receive from rank 0, channel 1",
                () -> other.transport.connectRequest(otherChannel.request, fromInfo));
        assertRefused(ProxyResult.INVALID_ARGUMENT, "not that for send to rank 1",
                () -> one.transport.connectRequest(sender.request, fromInfo));
        open(Map.of("shm.locality", "1"), Map.of());
        assertRefused(ProxyResult.INVALID_USAGE, "proxyrt.shm.locality 1, this rank 2",
                () -> other.transport.connectRequest(receiver.request, sender.setUp()));
        open(Map.of("ll.buffer.bytes", "4096"), Map.of());
        assertRefused(ProxyResult.INVALID_USAGE, "ll=4096",
                () -> other.transport.connectRequest(receiver.request, sender.setUp()));
    }

    @Test
    void shouldRefuseASegmentThatIsNotWhatThePeerSays() {
        byte[] good = bytes(sender.setUp());
        for (int at : new int[] {3, 27, 31, 35, 36, 46, 47, 55, 72, 79, 87, 91, 95}) {
            byte[] bad = good.clone();
            bad[at] ^= 1;
            assertThrows(ProxyException.class,
                    () -> other.transport.connectRequest(receiver.request, ByteBuffer.wrap(bad)), "byte " + at);
        }
        one.device.memory(1).segment().fill((byte) 0);
        assertRefused(ProxyResult.REMOTE_ERROR, "is no segment of the SHM transport",
                () -> other.transport.connectRequest(receiver.request, ByteBuffer.wrap(good)));
        assertEquals(0, other.transport.waiting());
    }

    @Test
    void shouldLetOnlyThePeerMapASegment() {
        byte[] info = bytes(sender.setUp());
        try (TestProxy other = new TestProxy(2, host, new HostDevice(2), folder, Map.of())) {
            // As if it were rank 1 of the same connection, but it is not who the segment is for.
            assertRefused(ProxyResult.INVALID_ARGUMENT, "no memory at @rank-0",
                    () -> other.transport.connectRequest(receiver.request, ByteBuffer.wrap(info)));
        }
        TestEnd.connect(one.end(Direction.SEND, 1, 1), other.end(Direction.RECV, 0, 1));
        byte[] late = bytes(one.end(Direction.SEND, 1, 2).setUp());
        other.transport.connectRequest(other.end(Direction.RECV, 0, 2).request, ByteBuffer.wrap(late));
        assertEquals(2, host.exports(), "those that no peer has taken over");
    }

    @Test
    void shouldRefuseAnotherVersion() {
        byte[] info = bytes(sender.setUp());
        info[3]++;
        assertRefused(ProxyResult.INVALID_ARGUMENT, "of version 2 instead of 1",
                () -> other.transport.connectRequest(receiver.request, ByteBuffer.wrap(info)));
        one.device.memory(1).segment().set(java.lang.foreign.ValueLayout.JAVA_INT, 8, 9);
        info[3]--;
        assertRefused(ProxyResult.REMOTE_ERROR, "has version 9 instead of 1",
                () -> other.transport.connectRequest(receiver.request, ByteBuffer.wrap(info)));
    }

    @Test
    void shouldKeepConnectInfoWithinItsLimit() {
        assertTrue(sender.setUp().remaining() <= ProxyTransport.CONNECT_INFO_BYTES);
    }

    @Test
    void shouldRefuseASecondSetupAndOneForAnotherPeer() {
        sender.setUp();
        assertThrows(ProxyException.class, sender::setUp);
        assertRefused(ProxyResult.INVALID_ARGUMENT, "is for ConnectorEnd[rank=0", () -> other.transport.proxySetup(
                receiver.connection, one.transport.setupRequest(sender.request), ByteBuffer.allocate(4096)));
    }

    @Test
    void shouldRefuseAConnectWithoutSetUp() {
        assertThrows(ProxyException.class, () -> one.transport.proxyConnect(sender.connection,
                Tickets.encode(1), ByteBuffer.allocate(4096)));
    }

    @Test
    void shouldRefuseEveryBrokenMessage() {
        ByteBuffer fromInfo = sender.setUp();
        receiver.setUp();
        byte[] good = bytes(fromInfo);
        Random random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = random.nextInt(4) == 0 ? good.clone() : new byte[random.nextInt(260)];
            if (bytes.length == good.length) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            } else {
                random.nextBytes(bytes);
            }
            ByteBuffer body = ByteBuffer.wrap(bytes);
            refuse(() -> other.transport.connectRequest(receiver.request, body));
            refuse(() -> other.transport.connectInfo(receiver.request, body));
            refuse(() -> other.transport.proxyConnect(receiver.connection, body, ByteBuffer.allocate(4096)));
            refuse(() -> other.transport.deviceConnection(receiver.request, body));
            refuse(() -> one.transport.proxySetup(one.end(Direction.SEND, 1, 0).connection, body,
                    ByteBuffer.allocate(4096)));
        }
    }

    @Test
    void shouldKeepWhatAPeerRegistersWhereKernelsFindIt() {
        TestEnd.connect(sender, receiver);
        TestEnd forMemory = one.endOf(1);
        ByteBuffer nothing = ByteBuffer.allocate(0);
        one.transport.proxySetup(forMemory.connection, nothing, ByteBuffer.allocate(16));
        one.transport.proxyConnect(forMemory.connection, nothing, ByteBuffer.allocate(16));
        DeviceMemory memory = one.device.allocate(4096);
        ProxyRegistration registration = new ProxyRegistration(77, memory, false, 8, 100);
        one.transport.proxyRegister(forMemory.connection, registration);

        assertSame(registration.range(), sender.kernelEnd.peerMemory().find(77));
        one.transport.proxyDeregister(forMemory.connection, registration);
        assertNull(sender.kernelEnd.peerMemory().find(77));
    }

    @Test
    void shouldSayWhyItCannotConnectInTheSameWordsAtBothEnds() {
        PeerInfo self = TestProxy.info(0);
        PeerInfo elsewhere = new PeerInfo(1, new PeerProcess(2, 1, 1, 1, 7, 1), self.service(), "@x");
        PeerInfo mute = new PeerInfo(1, self.process(), self.service(), "");
        assertEquals("", one.transport.whyNot(self, TestProxy.info(1)));
        assertTrue(one.transport.whyNot(self, elsewhere).contains("another host"));
        assertEquals("", one.transport.whyNot(self, mute), "files need no descriptors");
        open(Map.of("shm.segment", "memfd"), Map.of());
        assertEquals("memfd: one of them has no UDS thread", one.transport.whyNot(self, mute));
        assertEquals("memfd: one of them has no UDS thread", one.transport.whyNot(mute, self));
        open(Map.of("shm.segment", "file"), Map.of());
        PeerInfo container = new PeerInfo(1, new PeerProcess(1, 1, 1, 1, 8, 1), self.service(), "@x");
        PeerInfo other = new PeerInfo(1, new PeerProcess(1, 1, 1, 2, 7, 1), self.service(), "@x");
        assertTrue(one.transport.whyNot(self, container).contains("rank 1 sees another /dev/shm"));
        assertTrue(one.transport.whyNot(self, other).contains("rank 1 belongs to another user"));
        PeerInfo bare = new PeerInfo(0, new PeerProcess(1, 1, 1, 1, 0, 1), self.service(), "@x");
        assertTrue(one.transport.whyNot(bare, bare).contains("there is no /dev/shm here; set proxyrt.shm.directory"));
        open(Map.of("shm.disable", "1"), Map.of());
        assertTrue(one.transport.whyNot(self, TestProxy.info(1)).contains("proxyrt.shm.disable is 1"));
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static void assertRefused(ProxyResult result, String reason, Runnable call) {
        ProxyException refusal = assertThrows(ProxyException.class, call::run);
        assertEquals(result, refusal.result());
        assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    }

    /** Nothing but a refusal may come of noise; what by chance is well-formed is none of this test's business. */
    private static void refuse(Runnable call) {
        try {
            call.run();
        } catch (ProxyException e) {
            assertTrue(e.result().isError(), e::toString);
        }
    }
}
