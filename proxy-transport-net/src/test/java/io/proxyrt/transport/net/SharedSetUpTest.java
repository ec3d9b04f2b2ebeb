/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Set-up and end of connections that share a pool of slots, and a comm where receives are grouped. */
class SharedSetUpTest {
    private static final int CHUNK = 1024;

    @TempDir
    Path folder;

    private final ManualNet net = new ManualNet(4);
    private Counters counters;
    private TestProxy sender;
    private TestProxy receiver;

    @BeforeEach
    void open() {
        counters = Counters.create(folder.resolve("counters"), "test", 0, 2);
        sender = proxy(0);
        receiver = proxy(1);
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
        counters.close();
        assertEquals(0, net.open, "something of the network was not closed");
        assertEquals(0, sender.shared() + receiver.shared(), "something shared was not given back");
    }

    private TestProxy proxy(int rank) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.BUFFER_BYTES, 32L << 10)
                .set(NetOptions.SHARED_BUFFERS, 1).set(NetOptions.P2P_CHUNK_BYTES, (long) CHUNK)
                .set(NetOptions.P2P_CHANNELS, 2).build();
        return new TestProxy(rank, config, net, counters);
    }

    private TestEnd sendEnd(int from, int channel) {
        return sender.end(Direction.SEND, from, 1, channel, 1);
    }

    private TestEnd recvEnd(int from, int channel) {
        return receiver.end(Direction.RECV, 1, from, channel, 1);
    }

    @Test
    void shouldBeginWithoutCreditsAndWithSlotsOfAPool() {
        TestEnd send = sendEnd(10, 1);
        TestEnd recv = recvEnd(10, 1);
        TestEnd.connect(send, recv);

        assertTrue(send.kernelEnd.isShared() && recv.kernelEnd.isShared());
        assertTrue(send.connection.isShared() && recv.connection.isShared());
        assertEquals(-8, send.kernelEnd.sendMem().head());
        assertEquals(0, recv.kernelEnd.sendMem().head());
        assertEquals(RecvMem.MODE_OFFSET, send.kernelEnd.recvMem().mode(3));
        assertEquals(CHUNK, send.kernelEnd.stepBytes(Protocol.SIMPLE));
        assertEquals(2L * SharedPool.SLOTS * CHUNK, send.kernelEnd.buffer(Protocol.SIMPLE).byteSize());
        assertEquals(0, send.kernelEnd.stepBytes(Protocol.LL), "LL buffers by an option only");
    }

    @Test
    void shouldHaveBuffersOfItsOwnForCollectives() {
        TestEnd send = sender.end(Direction.SEND, 10, 1, 0, 0);
        TestEnd recv = receiver.end(Direction.RECV, 1, 10, 0, 0);
        TestEnd.connect(send, recv);

        assertFalse(send.kernelEnd.isShared() || send.connection.isShared());
        assertEquals(0, sender.shared() + receiver.shared());
        assertTrue(send.kernelEnd.stepBytes(Protocol.LL) > 0 && send.kernelEnd.stepBytes(Protocol.LL128) > 0);
    }

    @Test
    void shouldShareOneCommForAllConnectionsOfTwoProxiesOnAChannel() {
        TestEnd[] sends = {sendEnd(10, 0), sendEnd(11, 0), sendEnd(12, 1)};
        TestEnd[] recvs = {recvEnd(10, 0), recvEnd(11, 0), recvEnd(12, 1)};
        for (int i = 0; i < sends.length; i++) {
            TestEnd.connect(sends[i], recvs[i]);
        }
        assertEquals(2, net.wires.size(), "one for each channel");
        assertSame(sends[0].resources().sendComm, sends[1].resources().sendComm);
        assertSame(recvs[0].resources().recvComm, recvs[1].resources().recvComm);
        assertNotSame(sends[0].resources().sendComm, sends[2].resources().sendComm);
        assertEquals(3, sender.shared(), "a pool and two comms");

        sends[0].free();
        recvs[0].free();
        assertEquals(3, sender.shared(), "the others still use them");
        sends[1].free();
        assertEquals(2, sender.shared());
        sends[2].free();
        assertEquals(0, sender.shared());
    }

    @Test
    void shouldGetANewPoolWhenTheLastUserOfTheOldOneHasGone() {
        TestEnd first = sendEnd(10, 0);
        TestEnd.connect(first, recvEnd(10, 0));
        MemorySegment old = first.kernelEnd.buffer(Protocol.SIMPLE);
        old.fill((byte) 1);
        first.free();
        assertEquals(0, sender.memory().usedBytes(), "the pool is freed");
        TestEnd second = sendEnd(11, 0);
        TestEnd.connect(second, recvEnd(11, 0));

        assertEquals(-1, second.kernelEnd.buffer(Protocol.SIMPLE).mismatch(MemorySegment.ofArray(
                new byte[(int) old.byteSize()])), "what the first pool held is not there any more");
        assertEquals(2, net.wires.size(), "the comm of the first is closed at one end, and so not used again");
    }

    @Test
    void shouldHandDialingOverWhenTheOwnersConnectFails() {
        TestEnd[] sends = {sendEnd(10, 0), sendEnd(11, 0)};
        TestEnd[] recvs = {recvEnd(10, 0), recvEnd(11, 0)};
        ByteBuffer[] sendInfos = {sends[0].setUp(), sends[1].setUp()};
        ByteBuffer[] recvInfos = {recvs[0].setUp(), recvs[1].setUp()};
        net.pendingConnects = 1;
        assertFalse(sends[0].connect(recvInfos[0]));
        assertFalse(sends[1].connect(recvInfos[1]), "the first one dials");
        assertFalse(recvs[0].connect(sendInfos[0]));
        net.failedConnects = 1;
        assertThrows(ProxyException.class, () -> sends[0].connect(recvInfos[0]));

        assertTrue(sends[1].connect(recvInfos[1]));
        assertTrue(sends[0].connect(recvInfos[0]), "it uses what the second got");
        assertTrue(recvs[1].connect(sendInfos[1]));
        assertTrue(recvs[0].connect(sendInfos[0]));
        assertEquals(1, net.wires.size());
    }

    @Test
    void shouldHandDialingOverWhenTheOwnerLeaves() {
        TestEnd[] sends = {sendEnd(10, 0), sendEnd(11, 0)};
        TestEnd[] recvs = {recvEnd(10, 0), recvEnd(11, 0)};
        sends[0].setUp();
        sends[1].setUp();
        ByteBuffer info = recvs[0].setUp();
        ByteBuffer other = recvs[1].setUp();
        net.pendingConnects = 1;
        assertFalse(sends[0].connect(info));
        sends[0].free();

        assertTrue(sends[1].connect(other));
    }

    @Test
    void shouldShareNoCommWhereTheOptionForbidsIt() {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of("NCCL_NET_SHARED_COMMS", "0",
                "NCCL_NET_SHARED_BUFFERS", "1")).build();
        try (TestProxy selfish = new TestProxy(0, config, net, counters)) {
            for (int from = 10; from < 12; from++) {
                TestEnd.connect(selfish.end(Direction.SEND, from, 1, 0, 1), recvEnd(from, 0));
            }
            assertEquals(2, net.wires.size());
            assertEquals(1, selfish.shared(), "the pool");
        }
    }

    @Test
    void shouldGiveEachPostingPeerAPoolOfItsOwn() {
        TestEnd one = sender.end(Direction.SEND, 10, 1, 0, 1, new PeerId(10, 1));
        TestEnd other = sender.end(Direction.SEND, 11, 1, 0, 1, new PeerId(11, 2));
        TestEnd.connect(one, recvEnd(10, 0));
        TestEnd.connect(other, recvEnd(11, 0));

        assertEquals(3, sender.shared(), "two pools and a comm");
        assertTrue(one.kernelEnd.buffer(Protocol.SIMPLE).address()
                != other.kernelEnd.buffer(Protocol.SIMPLE).address());
    }

    @Test
    void shouldAllocateAPoolAheadOfItsUse() {
        TestEnd holder = recvEnd(9, 0);
        assertEquals(ProxyResult.SUCCESS, receiver.transport.proxySharedInit(holder.connection, 5,
                ByteBuffer.allocate(64)));
        assertEquals(1, receiver.shared());
        TestEnd send = sendEnd(10, 0);
        TestEnd recv = recvEnd(10, 0);
        TestEnd.connect(send, recv);
        assertEquals(5L * SharedPool.SLOTS * CHUNK, recv.kernelEnd.buffer(Protocol.SIMPLE).byteSize());
        recv.free();

        assertEquals(1, receiver.shared(), "its holder keeps it");
        holder.free();
        assertEquals(0, receiver.shared());
    }

    @Test
    void shouldRefuseSharedInitOfSenselessSizesAndTwice() {
        TestEnd holder = sendEnd(9, 0);
        for (int channels : new int[] {0, -1, 129, Integer.MAX_VALUE}) {
            assertThrows(ProxyException.class, () -> sender.transport.proxySharedInit(holder.connection, channels,
                    ByteBuffer.allocate(64)));
        }
        assertEquals(0, sender.shared());
        sender.transport.proxySharedInit(holder.connection, 1, ByteBuffer.allocate(64));
        assertThrows(ProxyException.class, () -> sender.transport.proxySharedInit(holder.connection, 1,
                ByteBuffer.allocate(64)));
        assertEquals(1, sender.shared());
    }

    @Test
    void shouldRefuseAChannelThatThePoolHasNot() {
        TestEnd first = sendEnd(10, 0);
        first.setUp();
        TestEnd second = sendEnd(10, 7);
        assertEquals(ProxyResult.INVALID_USAGE, assertThrows(ProxyException.class, second::setUp).result());
        assertEquals(2, sender.shared(), "what the refused one had begun is given back");
    }

    @Test
    void shouldGiveEverythingBackWhenRegistrationFailsHalfWay() {
        TestEnd send = sendEnd(10, 0);
        TestEnd recv = recvEnd(10, 0);
        ByteBuffer sendInfo = send.setUp();
        ByteBuffer recvInfo = recv.setUp();
        assertTrue(send.connect(recvInfo));
        net.failure = "no room for registrations";
        assertThrows(ProxyException.class, () -> recv.connect(sendInfo));
        net.failure = "";
        assertTrue(recv.connect(sendInfo), "what was there is used by the next attempt");
        assertEquals(DeviceConnection.STEPS, -send.kernelEnd.sendMem().head());
    }

    @Test
    void shouldRefuseASharedCommWhereNoReceivesAreGrouped() {
        TestEnd send = sendEnd(10, 0);
        ByteBuffer sendInfo = send.setUp();
        ManualNet plain = new ManualNet();
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(NetOptions.SHARED_BUFFERS, 1).build();
        try (TestProxy other = new TestProxy(1, config, plain, counters)) {
            TestEnd recv = other.end(Direction.RECV, 1, 10, 0, 1);
            recv.setUp();
            assertEquals(ProxyResult.INVALID_USAGE, assertThrows(ProxyException.class,
                    () -> recv.connect(sendInfo)).result());
        }
        assertEquals(0, plain.open);
    }
}
