/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many connections that are asked all at once. */
class SocketPollTest {
    private static final int PAIRS = 16;
    private static final int BYTES = 8;
    private static final int ROUNDS = 5_000;
    private static final int MOST_WARM_UPS = 50;
    private static final long SLEEP_NS = 30_000_000;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final Arena arena = opened(Arena.ofShared());
    private final MemorySegment memory = arena.allocate(64 << 20);
    private final List<Loopback.Pair> pairs = new ArrayList<>();
    private final NetMemory[][] memories = new NetMemory[PAIRS][1];
    private final NetComm[] comms = new NetComm[PAIRS];
    private final long[] requests = new long[PAIRS];
    private final int[] results = new int[PAIRS];
    private final long[][] sizes = new long[PAIRS][1];
    private final long[] offset = new long[1];
    private final long[] size = {BYTES};
    private final int[] tag = new int[1];
    private SocketNet net;

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "native"})
    void shouldFindWhatCame(String engine) {
        connect("net.socket.engine", engine);
        for (int i : new int[] {3, 7, 15}) {
            send(i);
        }
        int over = 0;
        while (over < 3) {
            over += testAll();
            for (int i = 0; i < PAIRS; i++) {
                assertEquals(results[i] > 0, sizes[i][0] == BYTES, "receive " + i);
                sizes[i][0] = 0;
                if (results[i] > 0) {
                    requests[i] = post(i);
                }
            }
        }
        assertEquals(0, testAll());
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "native"})
    void shouldBelieveALookOnceAndThenLookAgain(String engine) {
        connect("net.socket.engine", engine);
        net.poll();
        send(5);
        assertEquals(0, comms[5].test(requests[5], sizes[5]), "asked the system after a look that found nothing");
        awaitTested(5);
    }

    /** Bytes that were peeked at are still in the socket, and would end the sleep. */
    @ParameterizedTest
    @ValueSource(strings = {"nio", "native"})
    void shouldSleepWhenAllThatCameWasTaken(String engine) {
        connect("net.socket.engine", engine);
        send(5);
        awaitTested(5);
        requests[5] = post(5);
        long startNs = System.nanoTime();
        net.park(SLEEP_NS);
        long sleptNs = System.nanoTime() - startNs;
        assertTrue(sleptNs > SLEEP_NS / 2, "slept " + sleptNs + " ns");
        send(5);
        awaitTested(5);
    }

    /** The read for the first message brings both, and nothing comes after them. */
    @ParameterizedTest
    @ValueSource(strings = {"nio", "native"})
    void shouldNotTakeAMessageThatWasReadAlreadyForOneThatDidNotCome(String engine) {
        connect("net.socket.engine", engine);
        send(5);
        send(5);
        awaitTested(5);
        requests[5] = post(5);
        int over = 0;
        for (int i = 0; i < 100 && over == 0; i++) {
            over = testAll();
        }
        assertEquals(1, over, "messages after 100 looks");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "native"})
    void shouldNotSleepOnAMessageThatWasReadAlready(String engine) {
        connect("net.socket.engine", engine);
        send(5);
        send(5);
        awaitTested(5);
        requests[5] = post(5);
        long beforeNs = System.nanoTime();
        net.park(TimeUnit.SECONDS.toNanos(20));
        assertTrue(System.nanoTime() - beforeNs < TimeUnit.SECONDS.toNanos(10));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "native"})
    void shouldSayOfEachRequestWhatTestWouldSay(String engine) {
        connect("net.socket.engine", engine);
        pairs.get(2).send().close();
        requests[9] = 4711;
        int[] expected = new int[PAIRS];
        expected[2] = -ProxyResult.REMOTE_ERROR.code();
        expected[9] = -ProxyResult.INVALID_ARGUMENT.code();
        int over = 0;
        while (over < 2) {
            over = testAll();
        }
        assertArrayEquals(expected, results);
    }

    /** A sender whose peer reads nothing is never ready. */
    @ParameterizedTest
    @ValueSource(strings = {"nio", "native"})
    void shouldSeeAConnectionThatStandsStill(String engine) {
        connect("net.socket.engine", engine, "net.socket.timeout", "50ms");
        comms[0] = pairs.get(0).send();
        NetMemory source = pairs.get(0).send().regMr(memory);
        requests[0] = pairs.get(0).send().isend(source, 0, memory.byteSize(), 0);
        while (results[0] == 0) {
            testAll();
        }
        assertEquals(-ProxyResult.REMOTE_ERROR.code(), results[0]);
        assertTrue(comms[0].failure().contains("stood still"), comms[0].failure());
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "native"})
    void shouldLetAConnectionGoThatIsClosedBetweenLooks(String engine) throws Exception {
        connect("net.socket.engine", engine);
        testAll();
        pairs.get(4).close();
        net.poll();
        send(5);
        awaitTested(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nio", "native"})
    void shouldAllocateNothing(String engine) {
        connect("net.socket.engine", engine);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        for (int i = 0; i < MOST_WARM_UPS && allocated >= ROUNDS; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int round = 0; round < ROUNDS; round++) {
                net.testBatch(PAIRS, comms, requests, results, sizes);
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertTrue(allocated < ROUNDS, allocated + " bytes in " + ROUNDS + " looks");
    }

    private void connect(String... options) {
        net = opened(Loopback.net(options));
        for (int i = 0; i < PAIRS; i++) {
            Loopback.Pair pair = opened(Loopback.connect(net, net));
            pairs.add(pair);
            comms[i] = pair.recv();
            memories[i][0] = pair.recv().regMr(memory);
            requests[i] = post(i);
        }
    }

    private long post(int i) {
        return pairs.get(i).recv().irecv(1, memories[i], offset, size, tag);
    }

    /** Returns when the message has left. */
    private void send(int i) {
        long request = pairs.get(i).send().isend(pairs.get(i).send().regMr(memory), 0, BYTES, 0);
        while (pairs.get(i).send().test(request, new long[1]) == 0) {
            Thread.onSpinWait();
        }
    }

    private int testAll() {
        int over = net.testBatch(PAIRS, comms, requests, results, sizes);
        assertEquals(IntStream.of(results).filter(result -> result != 0).count(), over);
        return over;
    }

    private void awaitTested(int i) {
        int result = 0;
        while (result == 0) {
            result = comms[i].test(requests[i], sizes[i]);
        }
        assertEquals(1, result, comms[i].failure());
        assertEquals(BYTES, sizes[i][0]);
    }

    private <T extends AutoCloseable> T opened(T resource) {
        open.add(resource);
        return resource;
    }
}
