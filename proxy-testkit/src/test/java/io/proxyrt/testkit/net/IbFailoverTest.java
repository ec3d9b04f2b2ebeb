/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DmaBuf;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections of the IB network that outlive their queue pairs, by {@code net.ib.failover}. */
class IbFailoverTest extends IbTwoHosts {
    private static final int BYTES = 1 << 20;
    private static final String FAILOVER = "net.ib.failover";

    IbFailoverTest() {
        super(BYTES);
    }

    private static Map<String, String> with(Map<String, String> more) {
        Map<String, String> options = new HashMap<>(more);
        options.put(FAILOVER, "1");
        return options;
    }

    private void connect(Map<String, String> more) {
        connect(IbHosts.roce(with(more)));
    }

    private void connect(IbHosts between) {
        open(between);
        pair = NetPair.connect(sender, receiver, source, target);
        fill(1);
    }

    private void fill(int seed) {
        Random random = new Random(seed);
        for (long i = 0; i < BYTES; i += Long.BYTES) {
            source.set(ValueLayout.JAVA_LONG, i, random.nextLong());
        }
        target.fill((byte) 0);
    }

    private void exchange() {
        target.fill((byte) 0);
        pair.exchange(0, 0, BYTES);
        pair.assertSame(0, 0, BYTES);
    }

    /** By the end of a message, or not at all. */
    private boolean isByQueuePairs() {
        long before = hosts.verbs[0].counts().sends();
        exchange();
        return hosts.verbs[0].counts().sends() > before;
    }

    private void awaitQueuePairs() {
        while (!isByQueuePairs()) {
            NetPair.turn();
        }
    }

    private void assertLost(NetComm comm, long request, ProxyResult result, String... words) {
        assertEquals(-result.code(), pair.await(comm, request), comm::failure);
        for (String word : words) {
            assertTrue(comm.failure().contains(word), () -> "no " + word + " in: " + comm.failure());
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "0, 3", "1, 3"})
    void shouldGoOnWithoutQueuePairsAndBackToThemWhenAPortGoesDownAndUp(int rank, int pairs) {
        connect(Map.of("net.ib.qps.per.connection", "" + pairs));
        exchange();
        hosts.devices[rank].port(1).down();
        exchange();
        exchange();
        assertTrue(!isByQueuePairs(), "what carries it?");

        hosts.devices[rank].port(1).up();
        awaitQueuePairs();
        for (int i = 0; i < 100; i++) {
            assertTrue(isByQueuePairs());
        }
    }

    /** Posted ahead, matched or not, under way, or complete at one end alone. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldLoseNoMessageThatWasUnderWay(int rank) {
        connect(Map.of());
        hosts.fabric.hold();
        long[] receiving = new long[4];
        for (int i = 0; i < 3; i++) {
            receiving[i] = pair.irecv(i * 1000L, 1000);
        }
        while (hosts.fabric.step()) {
            NetPair.turn();
        }
        long[] sending = new long[4];
        for (int i = 0; i < 2; i++) {
            sending[i] = pair.isend(i * 1000L, 1000);
        }
        hosts.fabric.step();
        hosts.devices[rank].port(1).down();
        sending[2] = pair.isend(2000, 1000);
        sending[3] = pair.isend(3000, 1000);
        receiving[3] = pair.irecv(3000, 1000);
        for (int i = 0; i < 4; i++) {
            pair.finish(sending[i], receiving[i]);
        }
        pair.assertSame(0, 0, 4000);
    }

    private void connectLosingAcknowledgements() {
        hosts = IbHosts.roce(with(Map.of()));
        WatchedVerbs watched = new WatchedVerbs(hosts.verbs[0]);
        watched.isDeaf = true;
        sender = hosts.open(0, watched.verbs());
        receiver = hosts.open(1);
        pair = NetPair.connect(sender, receiver, source, target);
        fill(1);
    }

    /** The receiver has it, and no more to do; its acknowledgement is lost, as a port that goes down loses it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCompleteWhatTheReceiverHasThoughItIsIdleOrLeaves(boolean isLeaving) {
        connectLosingAcknowledgements();
        long receiving = pair.irecv(0, BYTES);
        long sending = pair.isend(0, BYTES);
        pair.await(pair.recv, receiving);
        hosts.devices[0].port(1).down();
        if (isLeaving) {
            pair.recv.close();
        }
        while (!pair.isSent(sending)) {
            receiver.poll();
            NetPair.turn();
        }
        pair.assertSame(0, 0, BYTES);
    }

    /** More than the receiver has posted since. */
    @Test
    void shouldCompleteWhatTheReceiverHasAndForgot() {
        connectLosingAcknowledgements();
        long[] receiving = new long[40];
        long[] sending = new long[40];
        for (int i = 0; i < 40; i++) {
            if (i >= 32) {
                assertEquals(1, pair.await(pair.recv, receiving[i - 32]));
            }
            receiving[i] = pair.irecv(i * 1000L, 1000);
            sending[i] = pair.isend(i * 1000L, 1000);
        }
        hosts.devices[0].port(1).down();
        for (int i = 0; i < 40; i++) {
            boolean isSent = false;
            boolean isReceived = i < 8;
            while (!isSent || !isReceived) {
                isSent = isSent || pair.isSent(sending[i]);
                isReceived = isReceived || pair.isReceived(receiving[i]);
                receiver.poll();
                NetPair.turn();
            }
        }
        pair.assertSame(0, 0, 40_000);
    }

    /** Without events a queue pair tells of it, when its patience is over. */
    @Test
    void shouldGoOnWhenAPeerIsNotReached() {
        connect(Map.of("net.ib.return.async.events", "0"));
        long receiving = pair.irecv(0, BYTES);
        hosts.devices[1].port(1).down();
        long sending = pair.isend(0, BYTES);
        assertEquals(0, pair.send.test(sending, pair.actual));
        hosts.fabric.expire();
        pair.finish(sending, receiving);
        pair.assertSame(0, 0, BYTES);
    }

    @Test
    void shouldGoOnWhenAnAdapterIsGone() {
        connect(Map.of());
        exchange();
        hosts.devices[0].fail();
        for (int i = 0; i < 10; i++) {
            exchange();
        }
    }

    @Test
    void shouldGoOnAtThePortsThatAreUp() {
        connect(IbHosts.roce(with(Map.of())).merge(0, 2).merge(1, 3));
        exchange();
        hosts.devices[1].port(2).down();
        awaitQueuePairs();
        hosts.devices[0].port(1).down();
        awaitQueuePairs();
        hosts.devices[0].port(1).up();
        hosts.devices[0].port(2).down();
        awaitQueuePairs();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldDeliverAllMessagesWhileLinksComeAndGo(int seed) {
        connect(IbHosts.infiniBand(with(Map.of("net.ib.qps.per.connection", "" + seed, "net.force.flush", "1"))));
        Random random = new Random(seed);
        Deque<long[]> open = new ArrayDeque<>();
        long endNs = System.nanoTime() + 3_000_000_000L;
        int posted = 0;
        while (System.nanoTime() - endNs < 0 || !open.isEmpty()) {
            if (random.nextInt(2000) == 0) {
                hosts.devices[random.nextInt(2)].port(1).down();
            } else if (random.nextInt(500) == 0) {
                hosts.devices[0].port(1).up();
                hosts.devices[1].port(1).up();
            }
            if (open.size() < 8 && System.nanoTime() - endNs < 0) {
                open.add(post(random, posted++ % 8));
            }
            finish(open);
            NetPair.turn();
        }
    }

    private long[] post(Random random, int place) {
        int n = 1 + random.nextInt(8);
        long at = place * (BYTES / 8L);
        long bytes = random.nextInt(BYTES / 64);
        for (int i = 0; i < n; i++) {
            pair.group(i, at + i * (BYTES / 64), bytes, i);
        }
        long[] posted = new long[n + 3];
        posted[0] = NetPair.checked(pair.recv, pair.irecv(n));
        posted[1] = bytes;
        posted[2] = at;
        for (int i = 0; i < n; i++) {
            posted[3 + i] = NetPair.checked(pair.send, pair.isend(at + i * (BYTES / 64), bytes, i));
        }
        return posted;
    }

    /** Both ends are driven. */
    private void finish(Deque<long[]> open) {
        long[] oldest = open.peek();
        if (oldest == null) {
            return;
        }
        oldest[0] = oldest[0] != 0 && pair.isReceived(oldest[0]) ? 0 : oldest[0];
        long left = oldest[0];
        for (int i = 3; i < oldest.length; i++) {
            oldest[i] = oldest[i] != 0 && pair.isSent(oldest[i]) ? 0 : oldest[i];
            left |= oldest[i];
        }
        if (left != 0) {
            return;
        }
        for (int i = 0; i < oldest.length - 3; i++) {
            assertEquals(oldest[1], pair.actual[0]);
            pair.assertSame(oldest[2] + i * (BYTES / 64), oldest[2] + i * (BYTES / 64), oldest[1]);
        }
        target.asSlice(oldest[2], BYTES / 8).fill((byte) 0);
        open.remove();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldHearThatThePeerLeaves(boolean isSender) {
        connect(Map.of());
        hosts.devices[0].port(1).down();
        exchange();
        long waiting = isSender ? pair.irecv(0, 100) : pair.isend(0, 100);
        NetComm left = isSender ? pair.recv : pair.send;
        (isSender ? pair.send : pair.recv).close();
        assertLost(left, waiting, ProxyResult.REMOTE_ERROR, "was closed by the peer");
    }

    /** The sender's socket is closed over frames that it has not read, by which the system drops what was sent. */
    @Test
    void shouldDeliverWhatIsCompleteThoughTheSenderCloses() {
        connect(Map.of());
        hosts.devices[0].port(1).down();
        exchange();
        target.fill((byte) 0);
        long first = pair.irecv(0, BYTES);
        long second = pair.irecv(0, 100);
        long sending = pair.isend(0, BYTES);
        while (!pair.isSent(sending)) {
            assertEquals(0, pair.recv.test(second, pair.actual));
            NetPair.turn();
        }
        for (int i = 0; i < 8; i++) {
            pair.irecv(0, 100);
        }
        pair.send.close();
        assertEquals(1, pair.await(pair.recv, first), pair.recv::failure);
        pair.assertSame(0, 0, BYTES);
        assertLost(pair.recv, second, ProxyResult.REMOTE_ERROR, "rank 0");
    }

    @Test
    void shouldFailBothEndsOfAMessageThatDoesNotFit() {
        connect(Map.of());
        hosts.devices[0].port(1).down();
        exchange();
        long receiving = pair.irecv(0, 100);
        long sending = pair.isend(0, 101);
        for (int i = 0; i < 1000 && sending > 0 && pair.send.test(sending, pair.actual) == 0; i++) {
            pair.recv.test(receiving, pair.actual);
            NetPair.turn();
        }
        assertLost(pair.recv, receiving, ProxyResult.INVALID_USAGE, "101 bytes, and its receive 100");
        assertTrue(pair.send.failure().endsWith("has 101 bytes, and its receive 100"), pair.send.failure());
    }

    /** What was asked for is at fault, and other queue pairs would do no better. */
    @Test
    void shouldFailBothEndsWhenMemoryIsGone() {
        connect(Map.of());
        NetMemory memory = pair.recv.regMr(target);
        long receiving = pair.recv.irecv(1, new NetMemory[] {memory}, new long[1], new long[] {BYTES},
                new int[] {NetPair.TAG});
        memory.close();
        long sending = pair.isend(0, BYTES);
        assertLost(pair.send, sending, ProxyResult.REMOTE_ERROR, "REM_ACCESS_ERR");
        assertLost(pair.recv, receiving, ProxyResult.REMOTE_ERROR, "closed by the peer, after it had failed there");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFailWhenMemoryIsFreedUnderAMessageThatIsCarried(boolean isSender) {
        connect(Map.of());
        hosts.devices[0].port(1).down();
        exchange();
        Arena own = Arena.ofShared();
        NetComm comm = isSender ? pair.send : pair.recv;
        try (NetMemory memory = comm.regMr(own.allocate(BYTES))) {
            long receiving = pair.recv.irecv(1, new NetMemory[] {isSender ? pair.recv.regMr(target) : memory},
                    new long[1], new long[] {BYTES}, new int[] {NetPair.TAG});
            own.close();
            long sending = isSender ? pair.send.isend(memory, 0, BYTES, NetPair.TAG) : pair.isend(0, BYTES);
            if (isSender) {
                assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), sending);
            } else {
                assertEquals(-ProxyResult.REMOTE_ERROR.code(), pair.awaitReceive(receiving, sending));
                assertTrue(pair.recv.failure().contains("freed under a message"), pair.recv.failure());
            }
        }
    }

    @Test
    void shouldFailAsBeforeWhereOneEndAloneWantsIt() {
        hosts = IbHosts.roce(Map.of());
        sender = hosts.open(0);
        receiver = IbHosts.roce(with(Map.of())).open(1, hosts.verbs[1]);
        pair = NetPair.connect(sender, receiver, source, target);
        long receiving = pair.irecv(0, 100);
        hosts.devices[1].port(1).down();
        assertLost(pair.recv, receiving, ProxyResult.REMOTE_ERROR, "soft1:1 went down: PORT_ERR");
    }

    /** Of a GPU that the adapters reach: its memory is of the host, and registered by a descriptor of no dma-buf. */
    private NetMemory gpuMemory(boolean isSender) {
        hosts = IbHosts.roce(with(Map.of()));
        WatchedVerbs[] watched = {new WatchedVerbs(hosts.verbs[0]), new WatchedVerbs(hosts.verbs[1])};
        watched[0].gpuMemory = source;
        watched[1].gpuMemory = target;
        sender = hosts.open(0, watched[0].verbs());
        receiver = hosts.open(1, watched[1].verbs());
        pair = NetPair.connect(sender, receiver, source, target);
        fill(1);
        DmaBuf dmaBuf = new DmaBuf(new OwnedFd(0, _ -> { }), 0);
        return isSender ? pair.send.regMrDmaBuf(source, dmaBuf) : pair.recv.regMrDmaBuf(target, dmaBuf);
    }

    private long irecv(NetMemory memory) {
        return pair.recv.irecv(1, new NetMemory[] {memory}, new long[1], new long[] {BYTES}, new int[] {NetPair.TAG});
    }

    @Test
    void shouldFailWhereAMessageGoesToAGpusMemory() {
        try (NetMemory memory = gpuMemory(false)) {
            pair.finish(pair.isend(0, BYTES), irecv(memory));
            pair.assertSame(0, 0, BYTES);
            hosts.devices[1].port(1).down();
            assertEquals(-ProxyResult.REMOTE_ERROR.code(), pair.awaitReceive(irecv(memory), pair.isend(0, BYTES)));
            assertTrue(pair.recv.failure().contains("goes to a GPU's memory"), pair.recv.failure());
        }
    }

    @Test
    void shouldFailWhereAMessageIsInAGpusMemory() {
        try (NetMemory memory = gpuMemory(true)) {
            pair.finish(pair.isend(memory, 0, BYTES, NetPair.TAG), pair.irecv(0, BYTES));
            pair.assertSame(0, 0, BYTES);
            hosts.devices[1].port(1).down();
            long receiving = pair.irecv(0, BYTES);
            assertEquals(-ProxyResult.REMOTE_ERROR.code(),
                    pair.awaitReceive(receiving, pair.isend(memory, 0, BYTES, NetPair.TAG)));
            assertTrue(pair.send.failure().contains("is in a GPU's memory"), pair.send.failure());
        }
    }

    @Test
    void shouldFailWhereAGpusMemoryCannotBeFlushedAnyMore() {
        try (NetMemory memory = gpuMemory(false)) {
            pair.finish(pair.isend(0, BYTES), irecv(memory));
            hosts.devices[1].port(1).down();
            pair.exchange(0, 0, BYTES);
            long flush = pair.recv.iflush(1, new NetMemory[] {memory}, new long[1], new long[] {BYTES});
            assertEquals(-ProxyResult.REMOTE_ERROR.code(), flush);
            assertTrue(pair.recv.failure().contains("before a GPU's memory was flushed"), pair.recv.failure());
        }
    }
}
