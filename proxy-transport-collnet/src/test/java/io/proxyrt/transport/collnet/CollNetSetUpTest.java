/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.progress.CollNetInfos;
import io.proxyrt.core.transport.ConnectionMemory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Set-up and end of connections of heads, which share a buffer and a comm. */
class CollNetSetUpTest {
    @TempDir
    Path folder;

    private final SimulatedCollNet net = new SimulatedCollNet(1);
    private TestHeads heads;
    private TestHead one;
    private TestHead other;

    @BeforeEach
    void open() {
        heads = new TestHeads(folder, net, 2);
        one = heads.all.get(0);
        other = heads.all.get(1);
    }

    /** Whatever happened, nothing is left. */
    @AfterEach
    void close() {
        heads.close();
    }

    private static ProxyException assertRefused(ProxyResult result, Executable call, String part) {
        ProxyException e = assertThrows(ProxyException.class, call);
        assertEquals(result, e.result());
        assertTrue(e.getMessage().contains(part), e.getMessage());
        return e;
    }

    private CollNetInfos infos(int rank, int channel) {
        return new CollNetInfos(rank, List.of(info(one, channel), info(other, channel)));
    }

    /** What a receiver told in its Setup. */
    private static ByteBuffer info(TestHead head, int channel) {
        ByteBuffer out = ByteBuffer.allocate(256);
        new CollNetMessages.Info(1 << 29, head.recv(channel).resources().shared().handle()).encode(out);
        return out.flip();
    }

    @Test
    void shouldShareABufferAndACommBetweenAllConnectionsOfAHead() {
        TestHead.connect(heads.all, 3);

        assertEquals(2, net.listens, "once for each head");
        assertEquals(2, net.connects);
        CollNetShared shared = one.recv(0).resources().shared();
        for (int channel = 0; channel < 3; channel++) {
            for (TestHead.End end : List.of(one.recv(channel), one.send(channel))) {
                assertSame(shared, end.resources().shared());
                assertTrue(end.connection.isShared() && end.kernelEnd.isShared());
                assertEquals(TestHeads.BUFFER_BYTES / 8, end.kernelEnd.stepBytes(Protocol.SIMPLE));
                assertEquals(2 * 3 * TestHeads.BUFFER_BYTES, end.kernelEnd.buffer(Protocol.SIMPLE).byteSize());
                assertEquals(0, end.kernelEnd.stepBytes(Protocol.LL) + end.kernelEnd.stepBytes(Protocol.LL128));
                assertEquals(RecvMem.MODE_OFFSET, end.kernelEnd.recvMem().mode(5));
                assertTrue(end.connection.toString().endsWith("switch Simulated"), end.connection::toString);
            }
            assertEquals(-8, one.send(channel).kernelEnd.sendMem().head(), "no credits");
            assertEquals(0, one.recv(channel).kernelEnd.sendMem().head());
        }
        assertNotSame(shared, other.recv(0).resources().shared());
        assertEquals(4, net.open, "two comms and two registrations: nobody listens or connects any more");
    }

    @Test
    void shouldAccountForEveryByte() {
        TestHead.connect(heads.all, 3);

        assertEquals(2 * 6 * ConnectionMemory.CONTROL_BYTES, heads.counters.get(Counter.MEMORY_CONTROL));
        assertEquals(2 * 2 * 3 * TestHeads.BUFFER_BYTES, heads.counters.get(Counter.MEMORY_SHARED_POOL));
        assertEquals(2 * 3 * TestHeads.BUFFER_BYTES + 6 * ConnectionMemory.CONTROL_BYTES,
                one.transport.memory().usedBytes());
    }

    @Test
    void shouldKeepWhatIsSharedUntilTheLastConnectionHasGone() {
        TestHead.connect(heads.all, 2);
        one.ends.getFirst().free();
        assertEquals(1, one.transport.shared(), "connections outlive what announced them");
        for (TestHead.End end : List.of(one.recv(0), one.send(0), one.recv(1))) {
            end.free();
            assertEquals(1, one.transport.shared());
            assertEquals(4, net.open);
        }
        one.send(1).free();
        assertEquals(0, one.transport.shared());
        assertEquals(2, net.open, "those of the other head");
        assertEquals(0, one.transport.memory().usedBytes());
    }

    @Test
    void shouldOfferNothingToAKernelOfAConnectionThatIsFree() {
        TestHead.connect(heads.all, 1);
        one.send(0).free();

        assertTrue(one.send(0).kernelEnd.sendMem().head() + 8 < 0, "no credit");
        assertTrue(one.send(0).kernelEnd.recvMem().tail() < 0, "no data");
    }

    @Test
    void shouldRefuseSetupWithoutSharedInit() {
        assertRefused(ProxyResult.INVALID_USAGE, one.end(Direction.RECV, 0, 5)::setUp, "Setup of head 5");
        assertRefused(ProxyResult.INVALID_USAGE, one.end(Direction.RECV, 0)::setUp, "without SharedInit");
        assertEquals(0, net.listens);
    }

    @Test
    void shouldRefuseAChannelThatWasNotAnnounced() {
        one.announce(2);
        one.end(Direction.RECV, 1).setUp();
        assertRefused(ProxyResult.INVALID_USAGE, one.end(Direction.SEND, 2)::setUp, "SharedInit was for 2 channels");
    }

    @Test
    void shouldRefuseSharedInitOfSenselessSizesAndTwice() {
        for (int channels : new int[] {0, -1, 129, Integer.MAX_VALUE}) {
            assertRefused(ProxyResult.INVALID_ARGUMENT, () -> one.announce(channels), "1 to 128");
        }
        TestHead.End holder = one.announce(1);
        assertRefused(ProxyResult.INVALID_ARGUMENT, () -> one.transport.proxySharedInit(holder.connection, 1,
                ByteBuffer.allocate(64)), "is set up");
        assertEquals(1, one.transport.shared());
    }

    @Test
    void shouldHaveWhatTheGreatestAnnouncementSays() {
        one.announce(2);
        one.announce(5);
        one.announce(3);
        TestHead.End end = one.end(Direction.RECV, 4);
        end.setUp();
        assertEquals(5, end.resources().shared().channels);
    }

    @Test
    void shouldGiveEachHeadOfARankItsOwn() {
        net.devices = 2;
        one.announce(1);
        TestHead.End first = one.end(Direction.RECV, 0, 0);
        TestHead.End second = one.end(Direction.RECV, 0, 1);
        TestHead.End third = one.end(Direction.RECV, 0, 2);
        for (TestHead.End end : List.of(first, second, third)) {
            end.setUp();
        }
        assertNotSame(first.resources().shared(), second.resources().shared());
        assertNotSame(first.resources().shared(), third.resources().shared());
        assertEquals(3, net.listens);
        assertTrue(first.resources().shared().toString().endsWith("head 0 on device 0, sim0 of Simulated"));
        assertTrue(second.resources().shared().toString().endsWith("head 1 on device 1, sim1 of Simulated"));
        assertTrue(third.resources().shared().toString().endsWith("head 2 on device 0, sim0 of Simulated"));
    }

    @Test
    void shouldTakeTheAdapterThatAHeadAsksFor() {
        net.devices = 2;
        one.announce(2);
        TestHead.End end = one.end(Direction.RECV, 0, 0, 1);
        end.setUp();
        assertTrue(end.resources().shared().toString().endsWith("head 0 on device 1, sim1 of Simulated"));
        for (int adapter : new int[] {2, -2, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertRefused(ProxyResult.INVALID_ARGUMENT, one.end(Direction.RECV, 0, 1, adapter)::setUp,
                    "adapter " + adapter + ", of 2");
        }
    }

    @Test
    void shouldWaitForTheOthersWithoutBlocking() {
        one.setUp(1);
        other.setUp(1);
        net.pendingConnects = 1;
        assertFalse(one.recv(0).connect(infos(0, 0)), "the other is not there");
        assertFalse(one.send(0).connect(infos(0, 0)));
        assertFalse(other.send(0).connect(infos(1, 0)), "the network takes a while");
        assertTrue(other.recv(0).connect(infos(1, 0)) && one.send(0).connect(infos(0, 0))
                && other.send(0).connect(infos(1, 0)) && one.recv(0).connect(infos(0, 0)));
        assertEquals(2, net.connects, "all connections of a head share an attempt");
    }

    @Test
    void shouldLeaveNothingWhenConnectingFails() {
        one.setUp(2);
        other.setUp(2);
        net.failedConnects = 1;
        assertRefused(ProxyResult.REMOTE_ERROR, () -> one.recv(0).connect(infos(0, 0)), "not there");
        for (TestHead.End end : List.of(one.send(0), one.recv(0), one.send(1), one.recv(1))) {
            assertRefused(ProxyResult.REMOTE_ERROR, () -> end.connect(infos(0, 0)), "not there");
        }
        assertEquals(1, net.connects, "a head does not try again what the others have given up");
        assertEquals(1, net.open, "the other one listens");
        one.ends.forEach(TestHead.End::free);
        one.ends.clear();
        assertEquals(0, one.transport.memory().usedBytes());
        assertEquals(0, one.transport.shared());
    }

    /** Both connections of a channel, and those of all others, end with it. */
    @Test
    void shouldNameTheHeadTheDeviceAndTheNetworkThatFailed() {
        one.setUp(1);
        other.setUp(1);
        net.failedConnects = 1;
        String what = "COLLNET head 0 on device 0, sim0 of Simulated: the network is not there";
        ProxyException first = assertRefused(ProxyResult.REMOTE_ERROR, () -> one.send(0).connect(infos(0, 0)), what);
        assertSame(first, assertThrows(ProxyException.class, () -> one.recv(0).connect(infos(0, 0))));
    }

    @Test
    void shouldEndBothConnectionsOfAChannelWithWhatTheNetworkThrew() {
        one.setUp(1);
        other.setUp(1);
        net.throwsOnConnect = true;
        assertRefused(ProxyResult.INTERNAL_ERROR, () -> one.recv(0).connect(infos(0, 0)), "head 0 on device 0, sim0");
        net.throwsOnConnect = false;
        assertRefused(ProxyResult.INTERNAL_ERROR, () -> one.send(0).connect(infos(0, 0)), "a bug of the network");
        assertEquals(1, net.connects);
    }

    @Test
    void shouldConnectAnewOnceAllConnectionsThatFailedAreGone() {
        one.setUp(1);
        other.setUp(1);
        net.failedConnects = 2;
        assertThrows(ProxyException.class, () -> one.recv(0).connect(infos(0, 0)));
        assertThrows(ProxyException.class, () -> other.recv(0).connect(infos(1, 0)));
        for (TestHead head : heads.all) {
            head.ends.forEach(TestHead.End::free);
            head.ends.clear();
        }
        TestHead.connect(heads.all, 1);
        assertEquals(4, net.open);
    }

    @Test
    void shouldLeaveNothingWhenTheBufferCannotBeRegistered() {
        one.setUp(1);
        other.setUp(1);
        assertFalse(other.recv(0).connect(infos(1, 0)));
        net.refusesMemory = true;
        assertRefused(ProxyResult.INVALID_ARGUMENT, () -> one.recv(0).connect(infos(0, 0)), "no room");
        one.ends.forEach(TestHead.End::free);
        one.ends.clear();
        assertEquals(0, one.transport.memory().usedBytes());
    }

    @Test
    void shouldRefuseOtherHeadsThanThoseOfTheFirstChannel() {
        one.setUp(2);
        other.setUp(2);
        assertFalse(one.recv(0).connect(infos(0, 0)));
        CollNetInfos alone = new CollNetInfos(0, List.of(info(one, 0)));
        assertRefused(ProxyResult.INVALID_ARGUMENT, () -> one.recv(1).connect(alone), "other heads");
        assertFalse(one.recv(1).connect(infos(0, 1)));
    }

    @Test
    void shouldRefuseAnotherHeadsHandleInItsPlace() {
        one.setUp(1);
        other.setUp(1);
        assertRefused(ProxyResult.INVALID_ARGUMENT, () -> one.recv(0).connect(infos(1, 0)), "another head's handle");
    }

    @Test
    void shouldRefuseADeviceThatBearsNoCallOfAGroup() {
        net.maxCollBytes = TestHeads.BUFFER_BYTES - 1;
        assertRefused(ProxyResult.INVALID_USAGE, () -> TestHead.connect(heads.all, 1), "carries "
                + net.maxCollBytes + " at most");
    }

    @Test
    void shouldRefuseMessagesThatMakeNoSense() {
        one.announce(1);
        TestHead.End end = one.end(Direction.RECV, 0);
        ByteBuffer setup = one.transport.setupRequest(end.request);
        for (int at = 0; at < setup.capacity(); at += Integer.BYTES) {
            ByteBuffer broken = ByteBuffer.allocate(setup.capacity()).put(setup.duplicate()).flip().putInt(at, -2);
            if (at == Integer.BYTES) {
                broken.putInt(2 * Integer.BYTES, 5);
            }
            assertThrows(ProxyException.class, () -> one.transport.proxySetup(end.connection, broken,
                    ByteBuffer.allocate(4096)));
        }
        assertRefused(ProxyResult.INVALID_ARGUMENT, () -> one.transport.proxySetup(end.connection,
                ByteBuffer.allocate(3), ByteBuffer.allocate(4096)), "3 bytes");
        ByteBuffer info = end.setUp();
        assertRefused(ProxyResult.INVALID_ARGUMENT, () -> one.transport.proxyConnect(end.connection,
                CollNetInfos.encode(0, List.of(ByteBuffer.allocate(7))), ByteBuffer.allocate(4096)), "7 bytes");
        assertEquals(0, net.connects);
        assertEquals(24, info.remaining());
    }

    @Test
    void shouldRefuseAConnectResponseThatPointsOutsideMemory() {
        TestHead.connect(heads.all, 1);
        TestHead.End end = one.send(0);
        CollNetMap map = end.resources().allocate(one.transport.memory());
        List<CollNetMap> broken = List.of(
                new CollNetMap(99, map.sendMem(), map.recvMem(), map.poolId(), map.pool(), map.poolBytes(), 4096),
                new CollNetMap(map.controlId(), -8, map.recvMem(), map.poolId(), map.pool(), map.poolBytes(), 4096),
                new CollNetMap(map.controlId(), 4, map.recvMem(), map.poolId(), map.pool(), map.poolBytes(), 4096),
                new CollNetMap(map.controlId(), 1L << 40, map.recvMem(), map.poolId(), map.pool(), map.poolBytes(),
                        4096),
                new CollNetMap(map.controlId(), map.sendMem(), map.recvMem(), map.poolId(), map.pool(), 1L << 40, 4096),
                new CollNetMap(map.controlId(), map.sendMem(), map.recvMem(), map.poolId(), map.pool(),
                        map.poolBytes(), 0),
                new CollNetMap(map.controlId(), map.sendMem(), map.recvMem(), map.poolId(), map.pool(),
                        map.poolBytes(), 4095));
        for (CollNetMap each : broken) {
            ByteBuffer out = ByteBuffer.allocate(4096);
            each.encode(out);
            assertThrows(ProxyException.class, () -> one.transport.deviceConnection(end.request, out.flip()));
        }
        assertRefused(ProxyResult.INVALID_ARGUMENT, () -> one.transport.deviceConnection(end.request,
                ByteBuffer.allocate(CollNetMap.BYTES)), "another version");
    }

    @Test
    void shouldSayWhatItCarries() {
        assertEquals("", one.transport.whyNot(TestHead.info(0), TestHead.NETWORK));
        assertTrue(one.transport.whyNot(TestHead.info(0), TestHead.info(1)).contains("no messages between ranks"));
        assertEquals(1, one.transport.collNet().devices());
        assertTrue(one.transport.collNet().reduces(DataType.INT32, RedOp.MAX));
        assertFalse(one.transport.collNet().reduces(DataType.FLOAT32, RedOp.SUM));
        assertEquals("simulated", one.transport.describe());
    }
}
