/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.testkit.verbs.VerbsCounts;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections of an adapter share completion queues: one poll a pass tells of all of them. */
class IbSharedQueueTest extends IbTwoHosts {
    private static final int BYTES = 1 << 16;
    private static final int PASSES = 100;
    private static final int MAX_WRS = 1 << 14;
    /** Of a sending end by one queue pair: 289 sends, one receive. */
    private static final int SENDER_ENTRIES = 290;
    /** Of a receiving end: 512 sends, 48 receives. */
    private static final int RECEIVER_ENTRIES = 560;
    private static final int SLOTS = 32;
    private static final int GROUP = 8;
    private static final int MOST_WARM_UPS = 200;
    /** Within which the network hears that a peer has left. */
    private static final int GRACE_MS = 50;
    private static final Map<String, String> WITHOUT_EVENTS = Map.of("net.ib.return.async.events", "0");

    private final List<NetPair> pairs = new ArrayList<>();
    private NetComm[] comms;
    private long[] requests;
    private int[] results;
    private long[][] sizes;

    IbSharedQueueTest() {
        super(BYTES);
    }

    @AfterEach
    void closeAll() {
        pairs.forEach(NetPair::close);
    }

    private void connect(IbHosts between, int n) {
        open(between);
        connect(n);
    }

    private void connect(int n) {
        for (int i = 0; i < n; i++) {
            pairs.add(NetPair.connect(sender, receiver, source, target));
        }
    }

    /** What is to be tested at one end of each connection. */
    private void outstanding(Function<NetPair, NetComm> end, Function<NetPair, Long> post) {
        comms = pairs.stream().map(end).toArray(NetComm[]::new);
        requests = pairs.stream().mapToLong(each -> NetPair.checked(end.apply(each), post.apply(each))).toArray();
        results = new int[comms.length];
        sizes = new long[comms.length][GROUP];
    }

    private void receives() {
        outstanding(each -> each.recv, each -> each.irecv(0, BYTES));
    }

    /** Their messages are on their way. */
    private void sends() {
        pairs.forEach(each -> each.irecv(0, BYTES));
        hosts.fabric.hold();
        outstanding(each -> each.send, each -> each.isend(0, BYTES));
    }

    private void testAll() {
        for (int i = 0; i < comms.length; i++) {
            results[i] = comms[i].test(requests[i], sizes[i]);
        }
    }

    private void pass(NetPlugin net) {
        net.poll();
        testAll();
    }

    private long polls(int rank, Runnable pass) {
        VerbsCounts before = hosts.verbs[rank].counts();
        for (int i = 0; i < PASSES; i++) {
            pass.run();
        }
        return hosts.verbs[rank].counts().since(before).polls();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 64})
    void shouldPollOnceAPassForAllConnections(int connections) {
        connect(IbHosts.roce(Map.of()), connections);
        receives();
        assertEquals(PASSES, polls(1, () -> pass(receiver)));
        sends();
        assertEquals(PASSES, polls(0, () -> pass(sender)));

        hosts.fabric.release();
        awaitAll(sender);
    }

    private void awaitAll(NetPlugin net) {
        NetBatch batch = new NetBatch(net, comms.length);
        for (int i = 0; i < comms.length; i++) {
            batch.add(comms[i], requests[i]);
        }
        while (!batch.isEmpty()) {
            batch.test();
            NetPair.turn();
        }
    }

    @Test
    void shouldPollOnceForABatch() {
        connect(IbHosts.roce(Map.of()), 8);
        receives();
        assertEquals(PASSES, polls(1, () -> receiver.testBatch(comms.length, comms, requests, results, sizes)));
    }

    /** What one of them finds holds for a test of each other one. */
    @Test
    void shouldPollOnceForCommsThatAreTestedInTurn() {
        connect(IbHosts.roce(Map.of()), 8);
        receives();
        testAll();
        assertEquals(PASSES, polls(1, this::testAll));
    }

    @Test
    void shouldPollForEachTestOfTheSameComm() {
        connect(IbHosts.roce(Map.of()), 1);
        receives();
        assertEquals(PASSES, polls(1, this::testAll));
        receiver.poll();
        assertEquals(PASSES - 1, polls(1, this::testAll), "but for the one that a poll was made for");
    }

    @Test
    void shouldNotPollForCommsThatWaitForNothing() {
        connect(IbHosts.roce(Map.of()), 2);
        pairs.getFirst().exchange(0, 0, BYTES);
        receiver.poll();
        assertEquals(0, polls(1, receiver::poll));
    }

    @Test
    void shouldPollOnceForAllPortsOfAnAdapter() {
        connect(IbHosts.roce(Map.of()).merge(0, 2).merge(1, 2), 4);
        receives();
        assertEquals(PASSES, polls(1, () -> pass(receiver)));
    }

    @Test
    void shouldOpenAnotherQueueWhereOneIsFullAndEndItWithItsLastConnection() {
        connect(IbHosts.roce(Map.of()).limits(MAX_WRS, 2 * RECEIVER_ENTRIES), 5);
        receives();
        assertEquals(3 * PASSES, polls(1, () -> pass(receiver)));
        pairs.forEach(each -> each.isend(0, BYTES));
        awaitAll(receiver);

        pairs.removeFirst().close();
        pairs.removeFirst().close();
        receives();
        testAll();
        assertEquals(2 * PASSES, polls(1, () -> pass(receiver)));
    }

    /** All that is posted completes at once, flushed, and the queue has no entry more than the connections may need. */
    @Test
    void shouldHaveRoomForAllThatCanComplete() {
        connect(IbHosts.roce(WITHOUT_EVENTS).limits(MAX_WRS, 2 * SENDER_ENTRIES), 2);
        for (NetPair each : pairs) {
            for (int i = 0; i < SLOTS; i++) {
                postGroup(each);
            }
        }
        hosts.fabric.hold();
        outstanding(each -> each.send, this::sendGroups);
        long posted = hosts.verbs[0].counts().sends();
        assertEquals(2 * SLOTS * (GROUP + 1), posted);
        hosts.devices[0].fail();
        for (NetPair each : pairs) {
            assertEquals(-ProxyResult.REMOTE_ERROR.code(), each.await(each.send, requests[pairs.indexOf(each)]));
            assertTrue(each.send.failure().contains("WR_FLUSH_ERR"), each.send.failure());
        }
    }

    private static void postGroup(NetPair pair) {
        for (int tag = 0; tag < GROUP; tag++) {
            pair.group(tag, 0, 1, tag);
        }
        NetPair.checked(pair.recv, pair.irecv(GROUP));
    }

    private long sendGroups(NetPair pair) {
        long last = 0;
        for (int i = 0; i < SLOTS * GROUP; i++) {
            last = pair.isend(0, 1, i % GROUP);
        }
        return last;
    }

    @Test
    void shouldFailAllConnectionsOfAQueueThatFailsAndNoLaterOne() {
        hosts = IbHosts.roce(WITHOUT_EVENTS);
        WatchedVerbs watched = new WatchedVerbs(hosts.verbs[0]);
        sender = hosts.open(0, watched.verbs());
        receiver = hosts.open(1);
        watched.isTight = true;
        connect(3);
        watched.isTight = false;
        pairs.getFirst().irecv(0, BYTES);
        pairs.getFirst().irecv(0, BYTES);
        outstanding(each -> each.send, each -> each.isend(0, BYTES));
        pairs.getFirst().isend(0, BYTES);

        for (int i = 0; i < comms.length; i++) {
            assertEquals(-ProxyResult.SYSTEM_ERROR.code(), pairs.get(i).await(comms[i], requests[i]));
            assertTrue(comms[i].failure().contains("rank 1 at")
                    && comms[i].failure().contains("a completion queue of soft0"), comms[i].failure());
        }
        connect(1);
        pairs.getLast().exchange(0, 0, BYTES);
        assertEquals(2, watched.completionQueues.get());
    }

    @Test
    void shouldMakeAShortQueueWhereALongOneIsRefused() {
        hosts = IbHosts.roce(Map.of());
        WatchedVerbs watched = new WatchedVerbs(hosts.verbs[0]);
        watched.longestQueue = SENDER_ENTRIES;
        sender = hosts.open(0, watched.verbs());
        receiver = hosts.open(1);
        connect(2);
        pairs.forEach(each -> each.exchange(0, 0, BYTES));
        assertEquals(2, watched.completionQueues.get());
    }

    /** Its completions are in the queue, and its number is another connection's next. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCloseOneOfManyWhileOthersMove(boolean isKeepingCompletions) {
        IbHosts between = IbHosts.roce(Map.of());
        if (isKeepingCompletions) {
            between.devices[0].keepCompletions();
            between.devices[1].keepCompletions();
        }
        connect(between, 4);
        for (int round = 0; round < 40; round++) {
            source.set(ValueLayout.JAVA_INT, 0, round);
            long[] receiving = pairs.stream().mapToLong(each -> each.irecv(0, BYTES)).toArray();
            long[] sending = pairs.stream().mapToLong(each -> each.isend(0, BYTES)).toArray();
            int leaving = round % pairs.size();
            pairs.get(leaving).close();
            for (int i = 0; i < pairs.size(); i++) {
                if (i != leaving) {
                    pairs.get(i).finish(sending[i], receiving[i]);
                }
            }
            pairs.set(leaving, NetPair.connect(sender, receiver, source, target));
            pairs.get(leaving).exchange(0, 0, BYTES);
            pairs.get(leaving).assertSame(0, 0, BYTES);
        }
    }

    /** As the service thread connects and closes while the progress thread moves what is connected. */
    @Test
    void shouldConnectAndCloseWhileAnotherThreadMovesOthers() throws InterruptedException {
        connect(IbHosts.roce(Map.of()).limits(MAX_WRS, 2 * RECEIVER_ENTRIES), 3);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread service = Thread.ofPlatform().start(() -> {
            try {
                for (int i = 0; i < 40; i++) {
                    NetPair.connect(sender, receiver, source, target).close();
                }
            } catch (Throwable t) {
                failure.set(t);
            }
        });
        while (service.isAlive()) {
            for (NetPair each : pairs) {
                sender.poll();
                receiver.poll();
                each.exchange(0, 0, BYTES);
            }
        }
        service.join();
        assertNull(failure.get(), () -> failure.get().toString());
    }

    /** A look for one connection brings what has come to another one, which does not ask before the thread sleeps. */
    @Test
    void shouldNotSleepOnWhatALookOfAnotherHasBrought() {
        connect(IbHosts.roce(Map.of()), 2);
        receives();
        pairs.getFirst().isend(0, BYTES);
        assertEquals(0, comms[1].test(requests[1], sizes[1]));
        long beforeNs = System.nanoTime();
        receiver.park(TimeUnit.SECONDS.toNanos(20));
        assertTrue(System.nanoTime() - beforeNs < TimeUnit.SECONDS.toNanos(10));
        assertEquals(1, comms[0].test(requests[0], sizes[0]));
    }

    /** What a look ahead of the pass did not find yet. */
    @Test
    void shouldHandOverWhatCompletedBeforeThePeerLeft() throws InterruptedException {
        connect(IbHosts.roce(Map.of()), 1);
        NetPair pair = pairs.getFirst();
        long receiving = pair.irecv(0, BYTES);
        hosts.fabric.hold();
        outstanding(each -> each.send, each -> each.isend(0, BYTES));
        pass(sender);
        sender.poll();
        hosts.fabric.release();
        assertEquals(1, pair.await(pair.recv, receiving));
        pair.recv.close();
        Thread.sleep(GRACE_MS);
        testAll();
        assertEquals(1, results[0], pair.send.failure());
    }

    @Test
    void shouldAllocateNothing() {
        connect(IbHosts.roce(Map.of()), 4);
        receives();
        connect(4);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        for (int i = 0; i < MOST_WARM_UPS && allocated >= PASSES; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int pass = 0; pass < PASSES; pass++) {
                pass(receiver);
                pairs.get(comms.length + pass % 4).exchange(0, 0, BYTES);
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertTrue(allocated < PASSES, allocated + " bytes in " + PASSES + " passes");
    }
}
