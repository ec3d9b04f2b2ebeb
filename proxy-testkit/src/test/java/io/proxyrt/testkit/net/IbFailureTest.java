/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.Gid;
import io.proxyrt.core.verbs.VerbsEvent;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetMemory;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users are told when adapters, links and peers of the IB network fail. */
class IbFailureTest extends IbTwoHosts {
    private static final int BYTES = 1 << 20;
    /** In a send queue, without which no device is used. */
    private static final int LEAST_WRS = 130;
    /** In a completion queue that two connections do not share. */
    private static final int ENTRIES_OF_ONE = 500;
    private static final Map<String, String> WITHOUT_EVENTS = Map.of("net.ib.return.async.events", "0");

    IbFailureTest() {
        super(BYTES);
    }

    private void connect(Map<String, String> options) {
        open(IbHosts.roce(options));
        pair = NetPair.connect(sender, receiver, source, target);
    }

    private void assertLost(NetComm comm, long request, String... words) {
        assertLost(pair, comm, request, words);
    }

    private static void assertLost(NetPair pair, NetComm comm, long request, String... words) {
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
    void shouldFailTheConnectionOfAQueuePairThatFailedAndNoOther() {
        WatchedVerbs watched = openWatchingReceiver(Map.of());
        pair = NetPair.connect(sender, receiver, source, target);
        int number = watched.numbers.getFirst();
        try (NetPair other = NetPair.connect(sender, receiver, source, target)) {
            long receiving = pair.irecv(0, BYTES);
            watched.events.add(new VerbsEvent(VerbsEvent.QP_ACCESS_ERR, 0, number));

            assertLost(pair.recv, receiving, "QP " + number + " of soft1 failed: QP_ACCESS_ERR");
            other.exchange(0, 0, BYTES);
        }
    }

    /** Inline, and by the adapter. */
    @ParameterizedTest
    @ValueSource(ints = {100, BYTES})
    void shouldFailWhenTheSendersMemoryIsGone(int bytes) {
        connect(Map.of());
        NetMemory memory = pair.send.regMr(source);
        long sending = pair.send.isend(memory, 0, bytes, NetPair.TAG);
        memory.close();
        pair.irecv(0, bytes);

        assertLost(pair.send, sending, "LOC_PROT_ERR", "rank 1 at ", "not registered any more");
    }

    @ParameterizedTest
    @ValueSource(ints = {100, BYTES})
    void shouldFailWhenTheSendersMemoryWasFreed(int bytes) {
        connect(Map.of());
        Arena own = Arena.ofShared();
        try (NetMemory memory = pair.send.regMr(own.allocate(bytes))) {
            long sending = pair.send.isend(memory, 0, bytes, NetPair.TAG);
            own.close();
            pair.irecv(0, bytes);
            assertLost(pair.send, sending, "LOC_PROT_ERR", "was freed");
        }
    }

    @Test
    void shouldTellThePeerThatItFailedHereAndNotThatItsProcessIsGone() {
        connect(Map.of());
        NetMemory memory = pair.send.regMr(source);
        long sending = pair.send.isend(memory, 0, 100, NetPair.TAG);
        memory.close();
        long receiving = pair.irecv(0, 100);
        assertLost(pair.send, sending, "LOC_PROT_ERR");
        pair.send.close();

        assertLost(pair.recv, receiving, "closed by the peer, after it had failed there", "rank 0 at ");
        assertFalse(pair.recv.failure().contains("process is gone"), pair.recv.failure());
    }

    /** Eight messages leave two work requests free, the last of which is for no message: a tenth waits. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldTellThePeerOfAMessageThatIsTooLongAlsoWhenTheSendQueueIsFull(int more) {
        open(IbHosts.roce(Map.of("net.ib.use.inline", "0")).maxMessageBytes(4096).limits(LEAST_WRS, 1 << 20));
        pair = NetPair.connect(sender, receiver, source, target);
        int most = 16 * 4096;
        for (int i = 0; i < 8 + more; i++) {
            pair.irecv(0, i < 8 ? most : 0);
        }
        long tooSmall = pair.irecv(0, 100);
        hosts.fabric.hold();
        for (int i = 0; i < 8 + more; i++) {
            pair.isend(0, i < 8 ? most : 0);
        }
        long tooLong = pair.isend(0, 101);
        hosts.fabric.release();

        assertEquals(-ProxyResult.INVALID_USAGE.code(), tooLong < 0 ? tooLong : pair.await(pair.send, tooLong));
        assertTrue(pair.send.failure().endsWith("has 101 bytes, and its receive 100"), pair.send.failure());
        assertEquals(-ProxyResult.INVALID_USAGE.code(), pair.await(pair.recv, tooSmall));
        assertTrue(pair.recv.failure().contains("101 bytes, and its receive 100"), pair.recv.failure());
    }

    @Test
    void shouldRefuseMemoryOfAnotherDevice() {
        open(IbHosts.roce(Map.of()).secondPorts());
        pair = NetPair.connect(sender, receiver, source, target);
        try (NetPair other = NetPair.connect(1, sender, receiver, source, target);
                NetMemory of = other.send.regMr(source); NetMemory ofReceiver = other.recv.regMr(target)) {
            NetPair.assertRefused(pair.send, pair.send.isend(of, 0, 100, NetPair.TAG));
            assertTrue(pair.send.failure().contains("another device than soft0:1"), pair.send.failure());
            NetPair.assertRefused(pair.recv, pair.recv.irecv(1, new NetMemory[] {ofReceiver}, new long[1],
                    new long[] {100}, new int[1]));
            other.exchange(0, 0, 100);
        }
        pair.exchange(0, 0, 100);
    }

    private static void fill(LongSupplier post) {
        long request = 1;
        while (request > 0) {
            request = post.getAsLong();
        }
        assertEquals(0, request);
    }

    /** Nothing is tested, for there is nothing that could be complete. */
    @Test
    void shouldHearThatTheSenderLeftAlsoWhenThereIsNoRoomForMore() {
        connect(Map.of());
        fill(() -> pair.tryIsend(0, 10));
        fill(() -> pair.irecv(0, 10));
        pair.send.close();
        while (pair.irecv(0, 10) == 0) {
            NetPair.turn();
        }
        assertTrue(pair.recv.failure().contains("closed by the peer"), pair.recv.failure());
    }

    @Test
    void shouldHearThatTheReceiverLeftAlsoWhenThereIsNoRoomForMore() {
        connect(Map.of());
        fill(() -> pair.tryIsend(0, 10));
        pair.recv.close();
        while (pair.tryIsend(0, 10) == 0) {
            NetPair.turn();
        }
        assertTrue(pair.send.failure().contains("closed by the peer"), pair.send.failure());
    }

    @Test
    void shouldFailWhenTheAdapterFails() {
        connect(Map.of());
        long receiving = pair.irecv(0, 100);
        hosts.devices[1].fail();

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), pair.await(pair.recv, receiving));
        assertTrue(pair.recv.failure().contains("soft1"), pair.recv.failure());
    }

    /** The other one failed last. */
    @Test
    void shouldNameThePortThatFailed() {
        open(IbHosts.roce(Map.of()).secondPorts());
        pair = NetPair.connect(sender, receiver, source, target);
        try (NetPair other = NetPair.connect(1, sender, receiver, source, target)) {
            long receiving = pair.irecv(0, 100);
            long otherReceiving = other.irecv(0, 100);
            hosts.devices[1].port(1).down();
            hosts.devices[1].port(2).down();

            assertLost(other.recv, otherReceiving, "soft1:2 went down: PORT_ERR");
            assertLost(pair.recv, receiving, "soft1:1 went down: PORT_ERR");
        }
    }

    /** Also of those that have another queue: the event does not tell which one it is of. */
    @Test
    void shouldFailConnectionsOfAnAdapterWhoseQueueRunsOver() {
        hosts = IbHosts.roce(Map.of()).limits(1 << 14, ENTRIES_OF_ONE);
        WatchedVerbs watched = new WatchedVerbs(hosts.verbs[0]);
        sender = hosts.open(0, watched.verbs());
        receiver = hosts.open(1);
        watched.isTight = true;
        try (NetPair tight = NetPair.connect(sender, receiver, source, target)) {
            watched.isTight = false;
            pair = NetPair.connect(sender, receiver, source, target);
            long waiting = pair.isend(0, 100);
            assertEquals(0, pair.send.test(waiting, pair.actual));
            tight.irecv(0, 100);
            tight.irecv(0, 100);
            tight.isend(0, 100);
            tight.isend(0, 100);

            assertLost(pair.send, waiting, "soft0 failed: CQ_ERR");
        }
    }

    /** A queue pair that cannot be destroyed keeps its adapter open; the rest of the network is closed all the same. */
    @Test
    void shouldKeepMemoryThatTheAdapterMayWriteToAndCloseTheRest() {
        hosts = IbHosts.roce(Map.of());
        hosts.fabric.addRoce("idle1", "10.0.1.2");
        hosts.verbs[1] = hosts.fabric.host("soft1", "idle1");
        WatchedVerbs watched = new WatchedVerbs(hosts.verbs[1]);
        sender = hosts.open(0);
        receiver = hosts.open(1, watched.verbs());
        NetPair.connect(sender, receiver, source, target).close();
        assertFalse(watched.registered.getFirst().scope().isAlive(), "it is freed otherwise");

        watched.registered.clear();
        pair = NetPair.connect(sender, receiver, source, target);
        watched.isKeepingQueuePairs = true;
        pair.recv.close();
        assertTrue(watched.registered.getFirst().scope().isAlive());

        ProxyException failure = assertThrows(ProxyException.class, receiver::close);
        assertTrue(failure.getMessage().contains("are open still"), failure.getMessage());
        assertEquals(List.of("idle1"), watched.closed);
    }
}
