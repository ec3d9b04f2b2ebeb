/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlackBoxTest {
    private static final int EVENTS = 8;
    private static final long SECOND_NS = 1_000_000_000;
    @TempDir
    private Path folder;

    @Test
    void shouldKeepEventsOfEachThread() {
        try (Counters counters = counters(); CountersReader reader = CountersReader.open(path())) {
            long now = System.nanoTime();
            counters.blackBox().progress().add(now, EventType.DONE, 3, 12, 0x100000007L, 65535, 4, 1L << 40);
            counters.blackBox().service().add(EventType.CLOSED, 1, 0, 0);

            List<Event> events = reader.events();
            Event event = events.getFirst();
            assertEquals(new Event("progress", 0, event.time(), EventType.DONE, 3, 12, 0x100000007L, 65535, 4,
                    1L << 40), event);
            assertTrue(Duration.between(event.time(), Instant.now()).abs().toSeconds() < 60, event::toString);
            assertEquals(List.of("progress", "service"), events.stream().map(Event::thread).toList());
            assertEquals(EventRing.NO_PEER, events.get(1).peer());
        }
    }

    @Test
    void shouldKeepTheLastEventsInOrder() {
        try (Counters counters = counters(); CountersReader reader = CountersReader.open(path())) {
            for (int i = 0; i < 3 * EVENTS + 1; i++) {
                counters.blackBox().progress().add(i, EventType.DONE, 0, i, 1, 0, 0, 0);
            }
            // At the place of the oldest the writer may be.
            assertEquals(LongStream.range(2 * EVENTS + 2, 3 * EVENTS + 1).boxed().toList(),
                    reader.events().stream().map(Event::opCount).toList());
            assertEquals(3L * EVENTS, reader.events().getLast().number());
        }
    }

    @Test
    void shouldSayLaterWhenTheLastEventHappened() {
        try (Counters counters = counters(); CountersReader reader = CountersReader.open(path())) {
            EventRing ring = counters.blackBox().progress();
            ring.timed(SECOND_NS);
            assertEquals(List.of(), reader.events());
            for (int i = 0; i < EVENTS; i++) {
                ring.called(0, i + 1, 7, 8, EventRing.NO_PEER);
                ring.timed(SECOND_NS);
                ring.timed((i + 2) * SECOND_NS);
            }
            List<Event> events = reader.events();
            for (int i = 1; i < events.size(); i++) {
                assertEquals(Duration.ofSeconds(1), Duration.between(events.get(i - 1).time(), events.get(i).time()));
            }
            assertEquals(EVENTS, events.getLast().opCount());
        }
    }

    @Test
    void shouldKeepEqualCallsOfOneLookAtTheClockInOnePlace() {
        try (Counters counters = counters(); CountersReader reader = CountersReader.open(path())) {
            EventRing ring = counters.blackBox().caller("rank 1");
            for (int i = 1; i <= 40; i++) {
                ring.called(SECOND_NS, i, 7, 8, EventRing.NO_PEER);
            }
            ring.called(SECOND_NS, 41, 7, 16, EventRing.NO_PEER);
            ring.called(2 * SECOND_NS, 42, 7, 16, EventRing.NO_PEER);
            ring.called(2 * SECOND_NS, 0, 9, 16, 3);
            ring.called(2 * SECOND_NS, 0, 9, 16, 3);

            // No more than there are places, though all are in the file.
            List<Event> events = reader.events();
            assertEquals(EVENTS, events.size());
            assertEquals(LongStream.rangeClosed(37, 42).boxed().toList(),
                    events.stream().map(Event::opCount).filter(count -> count > 0).toList());
            assertEquals(List.of(2L, 2L, 2L, 2L, 3L, 4L, 5L, 6L), events.stream().map(Event::number).toList());
            assertEquals(List.of(3, 3), events.stream().map(Event::peer).filter(peer -> peer >= 0).toList());
            assertEquals(List.of(8L, 8L, 8L, 8L, 16L, 16L),
                    events.stream().limit(6).map(Event::value).toList());
            assertEquals(42, reader.callers().getFirst().last().orElseThrow().opCount());
        }
    }

    @Test
    void shouldGiveOneOfEqualCallsAPlaceOfItsOwnWhenItWaits() {
        try (Counters counters = counters(); CountersReader reader = CountersReader.open(path())) {
            EventRing ring = counters.blackBox().caller("rank 1");
            for (int i = 1; i <= 3; i++) {
                ring.called(SECOND_NS, i, 7, 8, EventRing.NO_PEER);
            }
            ring.timed(3 * SECOND_NS);
            ring.called(3 * SECOND_NS, 4, 7, 8, EventRing.NO_PEER);

            List<Event> events = reader.events();
            assertEquals(List.of(1L, 2L, 3L, 4L), events.stream().map(Event::opCount).toList());
            assertEquals(List.of(0L, 0L, 1L, 1L), events.stream().map(Event::number).toList());
            assertEquals(Duration.ofSeconds(2), Duration.between(events.get(1).time(), events.get(2).time()));
        }
    }

    @Test
    void shouldNeverShowATornEvent() throws InterruptedException {
        try (Counters counters = counters(); CountersReader reader = CountersReader.open(path())) {
            Thread writer = Thread.ofPlatform().start(() -> {
                for (int i = 1; i <= 200_000; i++) {
                    counters.blackBox().progress().add(i, EventType.DONE, 0, i, i, 0, i, i);
                }
            });
            while (writer.isAlive()) {
                long before = 0;
                for (Event event : reader.events()) {
                    assertTrue(event.opCount() == event.value() && event.opCount() == event.connection()
                            && event.opCount() == event.peer() && event.opCount() > before, event::toString);
                    before = event.opCount();
                }
            }
            writer.join();
            assertEquals(200_000, reader.events().getLast().opCount());
        }
    }

    @Test
    void shouldForgetAllWithoutRoom() {
        try (Counters counters = Counters.create(path(), "", 0, 1, 0);
                CountersReader reader = CountersReader.open(path())) {
            counters.blackBox().progress().add(EventType.DONE, 0, 1, 0);
            assertEquals(List.of(), reader.events());
        }
    }

    @Test
    void shouldTakeNoHarmFromAnEventAfterTheClose() {
        Counters counters = counters();
        EventRing ring = counters.blackBox().progress();
        counters.close();
        ring.add(EventType.ENDED, 0, 0, 0);
        ring.finished(1);
        assertTrue(counters.get(Counter.OPS_FAILED) == 0, "the counters are there");
    }

    @Test
    void shouldTellWhatACommunicatorWasAskedFor() {
        try (Counters counters = counters(); CountersReader reader = CountersReader.open(path())) {
            EventRing ring = counters.blackBox().caller("rank 1");
            ring.called(System.nanoTime(), 7, 4, 1024, EventRing.NO_PEER);
            ring.called(System.nanoTime(), 0, 5, 16, 2);
            ring.finished(6);
            CallerView caller = reader.callers().getFirst();
            assertEquals("rank 1", caller.name());
            assertEquals(7, caller.last().orElseThrow().opCount());
            assertEquals(6, caller.finished());
        }
    }

    @Test
    void shouldGiveAnyNumberOfCommunicatorsARing() {
        try (Counters counters = counters(); CountersReader reader = CountersReader.open(path())) {
            for (int i = 0; i < 100; i++) {
                counters.blackBox().caller("comm " + i).called(1, 1, 1, 1, 0);
            }
            assertEquals(4, reader.callers().size());
        }
    }

    @Test
    void shouldShowTheLastWholeSnapshot() {
        try (Counters counters = counters(); CountersReader reader = CountersReader.open(path())) {
            assertTrue(reader.active().isEmpty());
            ActiveOps ops = counters.blackBox().activeOps();
            publish(ops, 10 * SECOND_NS, 1);
            ops.begin(11 * SECOND_NS);
            ops.next();
            ops.op(99, 99, 0, 0);

            ActiveSnapshot snapshot = reader.active().orElseThrow();
            ActiveOp op = snapshot.ops().getFirst();
            assertEquals(1, op.opCount());
            assertEquals(Duration.ofSeconds(4), op.age());
            assertEquals(Duration.ofSeconds(3), op.still());
            assertEquals("NET", op.transport());
            assertEquals("waits for rank 2 to send step 5 of 16", op.waitsFor());
            assertEquals("a kernel", snapshot.waits().getFirst().what());
            assertEquals(Duration.ofSeconds(2), snapshot.waits().getFirst().still());
            ops.end();
            assertEquals(99, reader.active().orElseThrow().ops().getFirst().opCount());
        }
    }

    @Test
    void shouldKeepWhatWaitsFromOneSnapshotToTheNext() {
        try (Counters counters = counters(); CountersReader reader = CountersReader.open(path())) {
            ActiveOps ops = counters.blackBox().activeOps();
            publish(ops, 10 * SECOND_NS, 1);
            ops.begin(11 * SECOND_NS);
            ops.keepWaits();
            ops.end();
            assertEquals(List.of("a kernel"), reader.active().orElseThrow().waits().stream()
                    .map(ActiveSnapshot.Wait::what).toList());
        }
    }

    @Test
    void shouldCountOpsWithoutARow() {
        try (Counters counters = counters(); CountersReader reader = CountersReader.open(path())) {
            ActiveOps ops = counters.blackBox().activeOps();
            ops.begin(1);
            int listed = 0;
            for (int i = 0; i < 1000; i++) {
                listed += ops.next() ? 1 : 0;
            }
            ops.end();
            assertEquals(1000 - listed, reader.active().orElseThrow().unlisted());
            assertTrue(listed > 100 && reader.active().orElseThrow().lines().contains("[1000]"));
        }
    }

    @Test
    void shouldSumUpWhatAConnectionCarries() {
        try (Counters counters = counters(); CountersReader reader = CountersReader.open(path())) {
            Traffic traffic = counters.blackBox().traffic();
            traffic.open(0x100000003L, Direction.SEND, 5, "COLLNETWORK");
            traffic.add(0x100000003L, 1000, 8, 1);
            traffic.add(0x100000003L, 24, 8, 2);
            traffic.open(0x1ffffffffL, Direction.SEND, 5, "NET");
            traffic.add(0x1ffffffffL, 1, 1, 1);

            List<ConnectionTraffic> all = reader.traffic();
            assertEquals(new ConnectionTraffic("COLLNETW", 0x100000003L, 5, Direction.SEND, 2, 1024, 16,
                    all.getFirst().ended()), all.getFirst());
            assertEquals(1, all.size(), "the index of the other is not within the table");
            traffic.open(0x200000003L, Direction.RECV, 6, "NET");
            assertEquals(0, reader.traffic().getFirst().ops());
        }
    }

    @Test
    void shouldReadAnyNonsense() throws IOException {
        Random random = new Random(7);
        try (Counters counters = counters(); FileChannel file = FileChannel.open(path(), StandardOpenOption.WRITE)) {
            publish(counters.blackBox().activeOps(), SECOND_NS, 1);
            long box = CountersDescriptor.boxOffset(Counter.values().length, CountersDescriptor.ROWS);
            // All behind the numbers by which the file is cut into its parts.
            byte[] noise = new byte[(int) (file.size() - box - 40)];
            for (int i = 0; i < 20; i++) {
                random.nextBytes(noise);
                file.write(ByteBuffer.wrap(noise), box + 40);
                try (CountersReader reader = CountersReader.open(path())) {
                    reader.active().ifPresent(snapshot -> snapshot.lines().forEach(BlackBoxTest::assertPrintable));
                    reader.events().forEach(event -> assertPrintable(event.thread()));
                    reader.callers().forEach(caller -> assertPrintable(caller.name()));
                    assertTrue(reader.traffic().size() <= BlackBoxDescriptor.TRAFFIC_ROWS);
                }
            }
        }
    }

    @Test
    void shouldRefuseABoxThatClaimsMoreThanThereIs() throws IOException {
        try (Counters counters = counters(); FileChannel file = FileChannel.open(path(), StandardOpenOption.WRITE)) {
            long box = CountersDescriptor.boxOffset(Counter.values().length, CountersDescriptor.ROWS);
            for (int word : new int[] {-1, Integer.MAX_VALUE, 1 << 16}) {
                file.write(ByteBuffer.allocate(4).putInt(Integer.reverseBytes(word)).flip(), box + 28);
                ProxyException e = assertThrows(ProxyException.class, () -> CountersReader.open(path()));
                assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
                assertTrue(e.getMessage().contains("does not fit"), e.getMessage());
            }
            assertEquals(0, counters.get(Counter.OPS_FAILED));
        }
    }

    private static void assertPrintable(String text) {
        assertTrue(text.codePoints().noneMatch(c -> Character.isISOControl(c) && c != '\t'), text);
    }

    private static void publish(ActiveOps ops, long nowNs, long opCount) {
        ops.begin(nowNs);
        ops.next();
        ops.op(opCount, 0x100000000L, nowNs - 4 * SECOND_NS, nowNs - 3 * SECOND_NS);
        ops.way(Direction.RECV, 2, 1, "NET");
        ops.kind(2, 4, 7, 0);
        ops.size(65536, 16, 32);
        ops.steps(12, 5, 5, 4);
        ops.place(2, 0, 0);
        ops.wait(nowNs - 2 * SECOND_NS, "a kernel");
        ops.end();
    }

    private Counters counters() {
        return Counters.create(path(), "a job", 0, 2, EVENTS);
    }

    private Path path() {
        return folder.resolve("counters");
    }
}
