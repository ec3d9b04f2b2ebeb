/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.transport.collnet.aggregation.AggregationSwitch;
import io.proxyrt.transport.collnet.aggregation.SwitchConfig;
import io.proxyrt.transport.collnet.aggregation.SwitchCounter;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups of participants with switches: embedded ones, and ones that run by themselves. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SwitchGroupTest {
    private static final int BYTES = 1 << 20;
    private static final int ROOM = 32;
    private static final long FACTOR = 0x9e3779b97f4a7c15L;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final Arena arena = Arena.ofShared();
    private List<SwitchNet> nets = List.of();
    private List<CollNetComm> comms = List.of();
    private List<MemorySegment> memories = List.of();
    private List<CollNetMemory> registered = List.of();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        arena.close();
    }

    @ParameterizedTest
    @CsvSource({"1,false", "2,false", "3,true", "4,false", "5,true", "8,false", "8,true"})
    void shouldServeParticipantsThatAreThreadsOfTheirOwn(int nRanks, boolean isEmbedded) throws Exception {
        connect(nRanks, isEmbedded ? List.of() : List.of(start()), 0);
        inThreads(rank -> mixedCalls(rank, nRanks, 200));
    }

    @Test
    void shouldCarryOutCallsThatAreLargerThanAllBuffers() throws Exception {
        int bytes = 48 << 20;
        connect(3, List.of(), 0);
        MemorySegment[] large = new MemorySegment[3];
        for (int rank = 0; rank < 3; rank++) {
            large[rank] = arena.allocate(bytes, 8);
            for (long i = 0; i < bytes / 8; i++) {
                large[rank].setAtIndex(ValueLayout.JAVA_LONG, i, value(rank, 0, i));
            }
        }
        inThreads(rank -> {
            CollNetMemory memory = comms.get(rank).regMr(large[rank]);
            finish(rank, comms.get(rank).iallreduce(memory, 0, memory, 0, bytes / 8, DataType.INT64, RedOp.SUM));
            return null;
        });
        for (MemorySegment each : large) {
            for (long i = 0; i < bytes / 8; i++) {
                assertEquals(sum(3, 0, i), each.getAtIndex(ValueLayout.JAVA_LONG, i));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldBear32RequestsOfEachParticipantHoweverFastOthersAre(boolean isEmbedded) throws Exception {
        connect(3, isEmbedded ? List.of() : List.of(start()), 0);
        inThreads(rank -> {
            fill(rank, 0, BYTES / 16);
            for (int round = 0; round < 10; round++) {
                long[] requests = new long[ROOM];
                for (int i = 0; i < ROOM; i++) {
                    requests[i] = post(rank, 8L * i, BYTES / 2 + 8L * i * 1000, 1000);
                }
                for (int i = ROOM - 1; i >= 0; i--) {
                    finish(rank, requests[i]);
                }
            }
            for (int i = 0; i < ROOM; i++) {
                assertSum(rank, BYTES / 2 + 8L * i * 1000, 1000, 3, 0, i);
            }
            return null;
        });
    }

    /** Floats of all sizes, of which every order has another sum. */
    @Test
    void shouldReduceInTheOrderOfParticipantsInWhateverOrderTheyCall() throws Exception {
        connect(4, List.of(start()), 0);
        Random random = new Random(3);
        for (MemorySegment memory : memories) {
            for (long i = 0; i < BYTES / 8; i++) {
                memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) (random.nextGaussian()
                        * Math.pow(10, random.nextInt(8))));
            }
        }
        MemorySegment first = arena.allocate(BYTES / 2);
        for (int round = 0; round < 10; round++) {
            inThreads(rank -> {
                finish(rank, comms.get(rank).iallreduce(registered.get(rank), 0, registered.get(rank), BYTES / 2,
                        BYTES / 8, DataType.FLOAT32, RedOp.SUM));
                return null;
            });
            if (round == 0) {
                first.copyFrom(memories.get(0).asSlice(BYTES / 2));
            }
            for (MemorySegment memory : memories) {
                assertEquals(-1, first.mismatch(memory.asSlice(BYTES / 2)));
            }
        }
    }

    @Test
    void shouldHaveEachDevicesCollectivesCarriedOutByItsSwitch() throws Exception {
        List<AggregationSwitch> switches = List.of(start(), start());
        for (int dev = 0; dev < 2; dev++) {
            connect(2, switches, dev);
            assertEquals(2, nets.get(0).devices());
            inThreads(rank -> mixedCalls(rank, 2, 20));
            assertEquals("switch 127.0.0.1:" + switches.get(dev).address().getPort(), comms.get(0).network());
            assertTrue(switches.get(dev).count(SwitchCounter.CALLS) >= 20);
            assertEquals(dev == 0 ? 0 : 20, switches.get(1 - dev).count(SwitchCounter.CALLS));
        }
    }

    @Test
    void shouldNotBeLetInWithAnotherSecret() {
        AggregationSwitch running = start("secret", "the one");
        connectAll(2, List.of(running), 0, "secret", "the one");

        ProxyException failure = assertThrows(ProxyException.class, () -> connectAll(2, List.of(running), 0,
                "secret", "another one"));
        assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("another secret"), failure.getMessage());
        failure = assertThrows(ProxyException.class, () -> connectAll(2, List.of(running), 0));
        assertTrue(failure.getMessage().contains("another secret"), failure.getMessage());
    }

    @Test
    void shouldSayWhichParticipantDidNotCome() {
        ProxyException failure = assertThrows(ProxyException.class, () -> {
            List<CollNetConnectComm> attempts = attempts(3, List.of(), 0, "connect.timeout", "2s");
            while (attempts.get(0).connect() == null | attempts.get(2).connect() == null) {
                PlayedSwitch.turn();
            }
        });
        assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("of its 3 participants these did not come: 1"), failure.getMessage());
    }

    /** They fall back together, for the same reason. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTellAllTheSameWhenOneWaitsForLess(boolean isEmbedded) {
        List<AggregationSwitch> switches = isEmbedded ? List.of() : List.of(start());
        nets = Stream.of("10m", "3s", "10m").map(timeout -> net(switches, "connect.timeout", timeout)).toList();
        List<CollNetConnectComm> attempts = attempts(0).subList(0, 2);
        Map<CollNetConnectComm, String> failures = new HashMap<>();
        while (failures.size() < attempts.size()) {
            for (CollNetConnectComm attempt : attempts) {
                if (!failures.containsKey(attempt)) {
                    try {
                        assertNull(attempt.connect());
                    } catch (ProxyException e) {
                        failures.put(attempt, e.getMessage());
                    }
                }
            }
            PlayedSwitch.turn();
        }

        assertEquals(1, Set.copyOf(failures.values()).size(), failures.toString());
        String why = failures.get(attempts.getFirst());
        assertTrue(why.endsWith("of its 3 participants these did not come: 2"), why);
    }

    @Test
    void shouldFailAllWithBothCallsWhenTheyDiffer() {
        connect(3, List.of(), 0);
        long[] requests = {post(0, 0, 0, 10), post(1, 0, 0, 10), post(2, 0, 0, 11)};
        for (int rank = 0; rank < 3; rank++) {
            assertEquals(-ProxyResult.INVALID_USAGE.code(), await(rank, requests[rank]));
            String failure = comms.get(rank).failure();
            assertTrue(failure.startsWith(comms.get(rank).network() + ": "), failure);
            assertTrue(failure.contains("all_reduce of 10 int64 sum") && failure.contains("all_reduce of 11 int64 sum"),
                    failure);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldNameTheParticipantThatIsGone(int gone) {
        connect(3, List.of(start()), 0);
        int[] others = IntStream.range(0, 3).filter(rank -> rank != gone).toArray();
        for (int rank : others) {
            assertEquals(1, post(rank, 0, 0, 10));
        }
        comms.get(gone).close();
        for (int rank : others) {
            assertEquals(-ProxyResult.REMOTE_ERROR.code(), await(rank, 1));
            String failure = comms.get(rank).failure();
            assertTrue(failure.startsWith(comms.get(rank).network() + ": participant " + gone + ", rank 7 (pid "),
                    failure);
            assertTrue(failure.contains(") from 127.0.0.1:") && failure.contains("closed its connection"), failure);
        }
    }

    @Test
    void shouldFailWhenTheSwitchIsClosedBeforeDuringAndAfterACall() {
        AggregationSwitch running = start();
        connect(2, List.of(running), 0);
        List<CollNetConnectComm> waiting = attempts(2, List.of(running), 0);
        while (running.count(SwitchCounter.LINKS) < 3) {
            assertEquals(null, waiting.getFirst().connect());
            PlayedSwitch.turn();
        }
        long request = post(0, 0, 0, 1000);
        assertEquals(0, comms.get(0).test(request));
        running.close();

        assertEquals(-ProxyResult.REMOTE_ERROR.code(), await(0, request));
        assertTrue(comms.get(0).failure().endsWith(running.name() + " closes"), comms.get(0).failure());
        long late = comms.get(1).iallreduce(registered.get(1), 0, registered.get(1), 0, 10, DataType.INT64, RedOp.SUM);
        assertEquals(-ProxyResult.REMOTE_ERROR.code(), late < 0 ? late : await(1, late));
        ProxyException failure = assertThrows(ProxyException.class, () -> {
            while (waiting.getFirst().connect() == null) {
                PlayedSwitch.turn();
            }
        });
        assertEquals(ProxyResult.REMOTE_ERROR, failure.result(), failure.getMessage());
        assertTrue(failure.getMessage().endsWith(running.name() + " closes"), failure.getMessage());
        ProxyException refused = assertThrows(ProxyException.class, () -> connectAll(1, List.of(running), 0,
                "connect.timeout", "200ms"));
        assertTrue(refused.getMessage().contains("Connection refused"), refused.getMessage());
    }

    /** Participant 0 leaves with its switch, and what the others have not read is theirs all the same. */
    @Test
    void shouldGiveTheOthersTheirResultsWhenParticipant0HasLeftWithItsSwitch() {
        for (int round = 0; round < 20; round++) {
            connect(3, List.of(), 0);
            int count = BYTES / 16;
            for (int rank = 0; rank < 3; rank++) {
                fill(rank, 0, count);
            }
            long[] requests = IntStream.range(0, 3).mapToLong(rank -> post(rank, 0, BYTES / 2, count)).toArray();
            boolean[] isDone = new boolean[3];
            while (!isDone[0]) {
                for (int rank = 0; rank < 3; rank++) {
                    isDone[rank] = isDone[rank] || check(rank, comms.get(rank).test(requests[rank])) == 1;
                }
            }
            comms.get(0).close();
            for (int rank = 1; rank < 3; rank++) {
                assertTrue(isDone[rank] || await(rank, requests[rank]) == 1, comms.get(rank).failure());
                assertSum(rank, BYTES / 2, count, 3, 0, 0);
                comms.get(rank).close();
            }
            nets.get(0).close();
        }
    }

    @Test
    void shouldEndTheEmbeddedSwitchWithItsNetwork() {
        connect(2, List.of(), 0);
        assertTrue(isSwitchRunning());
        comms.forEach(CollNetComm::close);
        nets.get(0).close();

        assertFalse(isSwitchRunning());
    }

    /** As in a process that has all ranks, and closes one after the other. */
    @Test
    void shouldNotWaitForParticipantsThatStandStillWhenParticipant0HasLeft() {
        comms = connectAll(2, List.of(), 0, "close.timeout", "10m");
        comms.get(0).close();
        nets.get(0).close();

        assertFalse(isSwitchRunning());
        CollNetMemory memory = comms.get(1).regMr(arena.allocate(Long.BYTES, Long.BYTES));
        long late = comms.get(1).iallreduce(memory, 0, memory, 0, 1, DataType.INT64, RedOp.SUM);
        assertEquals(-ProxyResult.REMOTE_ERROR.code(), late < 0 ? late : await(1, late));
        assertTrue(comms.get(1).failure().contains("participant 0, rank 7 (pid "), comms.get(1).failure());
    }

    @Test
    void shouldRefuseAListeningCommThatWasConnectedBefore() {
        SwitchNet net = keep(PlayedSwitch.net(Platform.find()));
        CollNetListenComm listen = keep(net.listen(0));
        keep(net.connect(0, List.of(listen.handle()), 0, listen));

        assertEquals(ProxyResult.INVALID_USAGE, assertThrows(ProxyException.class,
                () -> net.connect(0, List.of(listen.handle()), 0, listen)).result());
    }

    /** What a participant does that is a thread of its own: calls of all kinds, in windows of all kinds. */
    private Void mixedCalls(int rank, int nRanks, int calls) {
        Random same = new Random(nRanks);
        CollNetWindow window = new CollNetWindow();
        for (int call = 0; call < calls; call++) {
            int perRank = 1 + same.nextInt(call % 20 == 0 ? 7000 : 100);
            int kind = same.nextInt(3);
            fill(rank, call, (long) perRank * nRanks);
            if (kind == 0) {
                finish(rank, post(rank, 0, BYTES / 2, perRank));
                assertSum(rank, BYTES / 2, perRank, nRanks, call, 0);
                continue;
            }
            int from = same.nextInt(perRank * nRanks);
            window.set(8L * perRank, 8L * from, 8L * (1 + same.nextInt(perRank * nRanks - from)));
            if (kind == 1) {
                gather(rank, nRanks, call, window);
            } else {
                scatter(rank, nRanks, call, window);
            }
        }
        return null;
    }

    private void gather(int rank, int nRanks, int call, CollNetWindow window) {
        CollNetMemory memory = registered.get(rank);
        finish(rank, comms.get(rank).iallgather(memory, window.begin(rank) - rank * window.bytesPerRank(), memory,
                BYTES / 2, window));
        for (long at = 0; at < window.bytes(); at += 8) {
            long element = (window.offset() + at) / 8;
            long perRank = window.bytesPerRank() / 8;
            assertEquals(value((int) (element / perRank), call, element % perRank),
                    memories.get(rank).get(ValueLayout.JAVA_LONG, BYTES / 2 + at), "of " + nRanks);
        }
    }

    private void scatter(int rank, int nRanks, int call, CollNetWindow window) {
        CollNetMemory memory = registered.get(rank);
        finish(rank, comms.get(rank).ireducescatter(memory, window.offset(), memory, BYTES / 2, window,
                DataType.INT64, RedOp.SUM));
        assertSum(rank, BYTES / 2, window.length(rank) / 8, nRanks, call, window.begin(rank) / 8);
    }

    private static long value(int rank, int call, long element) {
        return (element + 1) * FACTOR * (rank + 1) + call;
    }

    private static long sum(int nRanks, int call, long element) {
        return (element + 1) * FACTOR * (nRanks * (nRanks + 1) / 2) + (long) nRanks * call;
    }

    private void fill(int rank, int call, long count) {
        for (long i = 0; i < count; i++) {
            memories.get(rank).setAtIndex(ValueLayout.JAVA_LONG, i, value(rank, call, i));
        }
    }

    private void assertSum(int rank, long at, long count, int nRanks, int call, long first) {
        for (long i = 0; i < count; i++) {
            assertEquals(sum(nRanks, call, first + i), memories.get(rank).get(ValueLayout.JAVA_LONG, at + 8 * i));
        }
    }

    private long post(int rank, long from, long to, long count) {
        CollNetMemory memory = registered.get(rank);
        return check(rank, comms.get(rank).iallreduce(memory, from, memory, to, count, DataType.INT64, RedOp.SUM));
    }

    private long check(int rank, long result) {
        assertTrue(result >= 0, () -> "participant " + rank + ": " + comms.get(rank).failure());
        return result;
    }

    private int await(int rank, long request) {
        int result = 0;
        while (result == 0) {
            result = comms.get(rank).test(request);
            PlayedSwitch.turn();
        }
        return result;
    }

    private void finish(int rank, long request) {
        assertTrue(check(rank, request) > 0, "there is room");
        check(rank, await(rank, request));
    }

    private interface Part {
        Void of(int rank) throws Exception;
    }

    private void inThreads(Part part) throws Exception {
        List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < comms.size(); i++) {
            int rank = i;
            tasks.add(new FutureTask<>(() -> part.of(rank)));
            Thread.ofPlatform().daemon().name("participant-" + rank).start(tasks.getLast());
        }
        for (Callable<Void> each : tasks.stream().map(task -> (Callable<Void>) task::get).toList()) {
            each.call();
        }
    }

    private AggregationSwitch start(String... options) {
        return keep(AggregationSwitch.start(SwitchConfig.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                PlayedSwitch.config(options))));
    }

    private void connect(int nRanks, List<AggregationSwitch> switches, int dev) {
        comms = connectAll(nRanks, switches, dev);
        memories = comms.stream().map(comm -> arena.allocate(BYTES, 8)).toList();
        registered = IntStream.range(0, nRanks).mapToObj(rank -> comms.get(rank).regMr(memories.get(rank))).toList();
    }

    private List<CollNetComm> connectAll(int nRanks, List<AggregationSwitch> switches, int dev, String... options) {
        List<CollNetConnectComm> attempts = attempts(nRanks, switches, dev, options);
        CollNetComm[] connected = new CollNetComm[nRanks];
        for (int missing = nRanks; missing > 0;) {
            for (int rank = 0; rank < nRanks; rank++) {
                if (connected[rank] == null) {
                    connected[rank] = attempts.get(rank).connect();
                    missing -= connected[rank] == null ? 0 : 1;
                }
            }
            PlayedSwitch.turn();
        }
        List.of(connected).forEach(this::keep);
        return List.of(connected);
    }

    private List<CollNetConnectComm> attempts(int nRanks, List<AggregationSwitch> switches, int dev,
            String... options) {
        nets = IntStream.range(0, nRanks).mapToObj(i -> net(switches, options)).toList();
        return attempts(dev);
    }

    private SwitchNet net(List<AggregationSwitch> switches, String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("collnet.switch", String.join(",", switches.stream()
                .map(each -> "127.0.0.1:" + each.address().getPort()).toList())));
        return keep(PlayedSwitch.net(Platform.find(), all.toArray(String[]::new)));
    }

    private List<CollNetConnectComm> attempts(int dev) {
        List<CollNetListenComm> listens = nets.stream().map(net -> keep(net.listen(dev))).toList();
        List<ByteBuffer> handles = listens.stream().map(CollNetListenComm::handle).toList();
        return IntStream.range(0, nets.size()).mapToObj(rank -> keep(nets.get(rank).connect(dev, handles, rank,
                listens.get(rank)))).toList();
    }

    private static boolean isSwitchRunning() {
        return Thread.getAllStackTraces().keySet().stream().anyMatch(thread -> thread.getName()
                .startsWith("proxy-switch-"));
    }

    private <T extends AutoCloseable> T keep(T resource) {
        open.add(resource);
        return resource;
    }
}
