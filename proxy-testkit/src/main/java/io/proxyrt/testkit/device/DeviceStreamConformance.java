/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.CopyList;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.testkit.AvailableMemory;
import io.proxyrt.testkit.Extent;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies that go on by themselves, in their order, and events that tell when they are done. */
abstract class DeviceStreamConformance extends DeviceMemoryConformance {
    private static final int STREAMS = 4;
    private static final int COPIES = 100_000;
    private static final int STREAM_BYTES = 1 << 16;
    private static final int MAX_COPY_BYTES = 600;
    private static final int HANDOVERS = 5000;
    private static final int ALLOCATION_COPIES = 10_000;
    private static final int ROUNDS = 50;
    private static final long HUGE_BYTES = (1L << 31) + 17;
    private static final long LARGE_BYTES = 64 << 20;
    /** No device takes that many commands without doing one. */
    private static final int ENDLESS = 1 << 20;

    /**
     * Whether a copy of more than two gigabytes is worth its time and twice its memory here.
     *
     * @return true unless overridden
     */
    protected boolean isHugeTested() {
        return true;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 4096, 65_537, (4 << 20) + 5})
    void shouldCopyEveryByteAndNoOther(int bytes) {
        DeviceStream stream = stream("proxy-copy");
        DeviceMemory source = random(bytes + 3, bytes);
        DeviceMemory between = device.allocate(bytes + 20);
        DeviceMemory target = random(bytes + 30, 1);
        byte[] expected = content(target);
        System.arraycopy(content(source), 3, expected, 13, bytes);

        assertEquals(1, stream.copy(between, 11, source, 3, bytes));
        assertEquals(1, stream.copy(target, 13, between, 11, bytes));
        stream.synchronize(LONG);

        assertEquals(1, stream.query());
        assertArrayEquals(expected, content(target));
        assertEquals("", stream.failure());
        stream.close();
    }

    /** More than a driver's batch holds, one of them empty, and what comes before and after in its place. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 24, 300})
    void shouldCopyAllOfAList(int count) {
        DeviceStream stream = stream("proxy-list");
        DeviceMemory source = random(count * 100 + 8, 1);
        DeviceMemory between = device.allocate(count * 100 + 8);
        DeviceMemory there = device.allocate(count * 100 + 8);
        DeviceMemory target = random(count * 100 + 8, 2);
        byte[] expected = content(target);
        CopyList copies = new CopyList(count);
        for (int i = 0; i < count; i++) {
            int bytes = i == 1 ? 0 : 100 - i % 50;
            assertEquals(i, copies.add(there, (count - 1 - i) * 100L, between, i * 100L, bytes));
            System.arraycopy(content(source), i * 100, expected, (count - 1 - i) * 100, bytes);
        }
        assertEquals(-1, copies.add(there, 0, between, 0, 1));

        copy(stream, between, 0, source, 0, source.bytes());
        copy(stream, there, 0, target, 0, target.bytes());
        copyAll(stream, copies);
        copy(stream, target, 0, there, 0, target.bytes());
        stream.synchronize(LONG);

        assertArrayEquals(expected, content(target));
        assertEquals(count, copies.taken());
    }

    @Test
    void shouldRefuseAListWithACopyThatCannotBeDone() {
        DeviceStream stream = stream("proxy-list");
        DeviceMemory source = random(100, 1);
        DeviceMemory target = device.allocate(100);
        CopyList copies = new CopyList(2);
        copies.add(target, 0, source, 0, 50);
        copies.add(target, 50, source, 50, 51);

        assertRefused(stream, stream.copyAll(copies));
        copies.clear();
        copies.add(target, 0, source, 0, 50);
        assertEquals(1, stream.copyAll(copies));
        stream.synchronize(LONG);
    }

    private static void copyAll(DeviceStream stream, CopyList copies) {
        int taken = stream.copyAll(copies);
        while (taken == 0) {
            Thread.yield();
            taken = stream.copyAll(copies);
        }
        assertEquals(1, taken, stream.failure());
    }

    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldCopyMoreThanAnIntCounts() {
        long available = AvailableMemory.bytes();
        assumeTrue(isHugeTested() && available > 4 * HUGE_BYTES, available + " bytes of memory are available");
        DeviceStream stream = stream("proxy-huge");
        DeviceMemory source = host(HUGE_BYTES);
        DeviceMemory target = host(HUGE_BYTES);
        for (long at = 0; at < HUGE_BYTES; at += 4093) {
            source.segment().set(JAVA_BYTE, at, (byte) (at >> 8));
        }

        DeviceMemory between = device.allocate(HUGE_BYTES);
        assertEquals(1, stream.copy(between, 0, source, 0, HUGE_BYTES));
        assertEquals(1, stream.copy(target, 0, between, 0, HUGE_BYTES));
        stream.synchronize(LONG);

        assertEquals(-1, source.segment().mismatch(target.segment()));
        source.close();
        between.close();
        target.close();
    }

    @Test
    void shouldRefuseRangesThatAreNotInTheMemory() {
        DeviceStream stream = stream("proxy-range");
        DeviceMemory a = host(100);
        DeviceMemory b = device.allocate(200);
        long[][] wrong = {{0, 0, 101}, {1, 0, 100}, {-1, 0, 1}, {0, -1, 1}, {0, 0, -1}, {100, 0, 1}, {0, 200, 1},
            {Long.MAX_VALUE, 0, 1}, {0, Long.MAX_VALUE, 1}, {0, 0, Long.MAX_VALUE}, {Long.MIN_VALUE, 0, 1},
            {0, Long.MIN_VALUE, 1}, {0, 0, Long.MIN_VALUE}, {1, 1, Long.MAX_VALUE}};
        for (long[] range : wrong) {
            assertRefused(stream, stream.copy(a, range[0], b, range[1], range[2]));
        }
        for (long offset : new long[] {-8, 4, 96, 104, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertRefused(stream, stream.write(a, offset, 1));
        }
        assertRefused(stream, stream.copy(b, 0, b, 50, 100));
        assertEquals(1, stream.copy(b, 0, b, 100, 100));
        assertEquals(1, stream.copy(a, 100, b, 200, 0));
        stream.synchronize(LONG);
        assertArrayEquals(new byte[100], content(a));
    }

    @Test
    void shouldRefuseMemoryThatIsNotTheDevices() {
        DeviceStream stream = stream("proxy-foreign");
        DeviceMemory own = host(64);
        DeviceMemory freed = host(64);
        freed.close();
        for (DeviceMemory memory : new DeviceMemory[] {freed, new ForeignMemory(arena.allocate(64)),
            new Part(freed, 0, 8)}) {
            assertRefused(stream, stream.copy(own, 0, memory, 0, 8));
            assertRefused(stream, stream.copy(memory, 0, own, 0, 8));
            assertRefused(stream, stream.write(memory, 0, 8));
        }
        DeviceEvent closed = device.event();
        closed.close();
        closed.close();
        assertRefused(stream, stream.record(closed));
        assertRefused(stream, stream.await(closed));
        assertTrue(closed.query() < 0);
        assertEquals(1, stream.write(own, 0, 5));
        stream.synchronize(LONG);
    }

    @Test
    void shouldUseAPartOfMemoryAsItsOwn() {
        DeviceStream stream = stream("proxy-part");
        DeviceMemory whole = random(1000, 3);
        DeviceMemory target = host(1000);
        DeviceMemory from = new Part(whole, 100, 50);
        DeviceMemory to = new Part(target, 200, 50);

        assertEquals(1, stream.copy(to, 10, from, 20, 30));
        assertRefused(stream, stream.copy(to, 10, from, 21, 30));
        assertRefused(stream, stream.copy(to, 21, from, 0, 30));
        stream.synchronize(LONG);

        byte[] expected = new byte[1000];
        System.arraycopy(content(whole), 120, expected, 210, 30);
        assertArrayEquals(expected, content(target));
    }

    @Test
    void shouldWriteAWordWhenAllBeforeItIsDone() {
        DeviceStream stream = stream("proxy-write");
        DeviceMemory source = random(1 << 20, 9);
        MemorySegment expected = MemorySegment.ofArray(content(source));
        DeviceMemory target = host(1 << 20);
        DeviceMemory word = host(64);
        for (long value = 1; value <= 20; value++) {
            copy(stream, target, 0, source, 0, 1 << 20);
            assertEquals(1, stream.write(word, 16, value));
            long deadline = System.nanoTime() + LONG.toNanos();
            while ((long) JAVA_LONG.varHandle().getAcquire(word.segment(), 16L) != value) {
                assertTrue(System.nanoTime() < deadline, "the word is never written");
                Thread.yield();
            }
            assertEquals(-1, expected.mismatch(target.segment()));
            target.segment().fill((byte) 0);
        }
        assertEquals(0, word.segment().get(JAVA_LONG, 8));
        assertEquals(0, word.segment().get(JAVA_LONG, 24));
    }

    @Test
    void shouldTellWhatIsDoneByEvents() {
        DeviceStream stream = stream("proxy-events");
        DeviceEvent never = device.event();
        DeviceEvent before = device.event();
        DeviceEvent after = device.event();
        DeviceMemory a = random(64, 1);
        DeviceMemory b = host(64);
        assertEquals(1, never.query());
        assertEquals(1, stream.await(never));
        assertEquals(1, stream.record(before));
        assertEquals(1, await(before));

        Gate gate = new Gate(stream);
        copy(stream, b, 0, a, 0, 64);
        assertEquals(1, stream.record(after));
        for (int i = 0; i < 1000; i++) {
            assertEquals(0, after.query());
            assertEquals(0, stream.query());
        }
        assertEquals(1, before.query());
        assertArrayEquals(new byte[64], content(b));
        gate.open();

        assertEquals(1, await(after));
        assertArrayEquals(content(a), content(b));
        assertEquals(1, stream.record(before), "it may be recorded anew");
        assertEquals(1, await(before));
    }

    @Test
    void shouldGoOnWhileAnotherStreamIsHeldUp() {
        DeviceStream held = stream("proxy-held");
        DeviceStream free = stream("proxy-free");
        DeviceMemory a = random(64, 1);
        DeviceMemory b = host(64);
        Gate gate = new Gate(held);
        copy(free, b, 0, a, 0, 64);
        free.synchronize(LONG);
        assertEquals(0, held.query());
        assertArrayEquals(content(a), content(b));
        gate.open();
        held.synchronize(LONG);
    }

    @Test
    void shouldWaitForEventsOfOtherStreams() {
        DeviceStream first = stream("proxy-first");
        DeviceStream second = stream("proxy-second");
        DeviceEvent done = device.event();
        DeviceMemory a = random(64, 1);
        DeviceMemory b = device.allocate(64);
        DeviceMemory c = host(64);
        Gate gate = new Gate(first);
        copy(first, b, 0, a, 0, 64);
        assertEquals(1, first.record(done));
        assertEquals(1, second.await(done));
        copy(second, c, 0, b, 0, 64);
        for (int i = 0; i < 1000; i++) {
            assertEquals(0, second.query());
        }
        gate.open();
        second.synchronize(LONG);
        assertArrayEquals(content(a), content(c));
    }

    /** Two streams that hand a buffer to and fro, thousands of times, without a look by the host. */
    @Test
    void shouldKeepTheOrderOfManyHandovers() {
        DeviceStream[] streams = {stream("proxy-to"), stream("proxy-fro")};
        DeviceEvent[] events = {device.event(), device.event()};
        DeviceMemory numbers = host(HANDOVERS * (long) Long.BYTES);
        DeviceMemory relay = device.allocate(Long.BYTES);
        DeviceMemory seen = host(HANDOVERS * (long) Long.BYTES);
        for (int i = 0; i < HANDOVERS; i++) {
            numbers.segment().setAtIndex(JAVA_LONG, i, i * 31L + 7);
        }
        for (int i = 0; i < HANDOVERS; i++) {
            long at = i * (long) Long.BYTES;
            copy(streams[0], relay, 0, numbers, at, Long.BYTES);
            handOver(streams[0], events[0], streams[1]);
            copy(streams[1], seen, at, relay, 0, Long.BYTES);
            handOver(streams[1], events[1], streams[0]);
        }
        streams[1].synchronize(LONG);
        assertEquals(-1, numbers.segment().mismatch(seen.segment()));
    }

    @Test
    void shouldSayThatItIsFullAndGoOnLater() {
        DeviceStream stream = stream("proxy-full");
        DeviceMemory word = host(64);
        Gate gate = new Gate(stream);
        int taken = 0;
        while (taken < ENDLESS && stream.write(word, 0, taken + 1) == 1) {
            taken++;
        }
        assertTrue(taken < ENDLESS, "it is never full");
        assertEquals(0, stream.copy(word, 8, word, 16, 8));
        assertEquals(0, word.segment().get(JAVA_LONG, 0));
        gate.open();
        stream.synchronize(LONG);
        assertEquals(taken, word.segment().get(JAVA_LONG, 0));
        assertEquals(1, stream.write(word, 0, -1));
        stream.synchronize(LONG);
    }

    @Test
    void shouldGiveUpWaitingWhenTimeIsUp() {
        DeviceStream stream = stream("proxy-late");
        Gate gate = new Gate(stream);
        assertTrue(assertThrown(ProxyResult.TIMEOUT, () -> stream.synchronize(Duration.ofMillis(5))).getMessage()
                .contains(device.name()));
        gate.open();
        stream.synchronize(LONG);
        stream.synchronize(Duration.ZERO);
    }

    /** Random pieces between three buffers, on several streams at once; a model in plain Java says what is right. */
    @Test
    void shouldDoAHundredThousandCopiesRight() {
        DeviceStream[] streams = new DeviceStream[STREAMS];
        DeviceMemory[][] memories = new DeviceMemory[STREAMS][];
        byte[][][] models = new byte[STREAMS][][];
        for (int i = 0; i < STREAMS; i++) {
            streams[i] = stream("proxy-many-" + i);
            memories[i] = new DeviceMemory[] {random(STREAM_BYTES, i), device.allocate(STREAM_BYTES),
                host(STREAM_BYTES)};
            models[i] = new byte[][] {content(memories[i][0]), new byte[STREAM_BYTES], new byte[STREAM_BYTES]};
        }
        Random random = new Random(42);
        for (int i = 0; i < COPIES; i++) {
            int on = random.nextInt(STREAMS);
            int from = random.nextInt(3);
            int to = (from + 1 + random.nextInt(2)) % 3;
            int bytes = random.nextInt(MAX_COPY_BYTES);
            int fromOffset = random.nextInt(STREAM_BYTES - bytes);
            int toOffset = random.nextInt(STREAM_BYTES - bytes);
            copy(streams[on], memories[on][to], toOffset, memories[on][from], fromOffset, bytes);
            System.arraycopy(models[on][from], fromOffset, models[on][to], toOffset, bytes);
        }
        for (int i = 0; i < STREAMS; i++) {
            streams[i].synchronize(LONG);
            for (int j = 0; j < 3; j++) {
                assertEquals(Arrays.hashCode(models[i][j]), Arrays.hashCode(content(memories[i][j])), i + " " + j);
            }
        }
    }

    /** It may come before the copy or after it; but nothing crashes, and only that stream may be lost. */
    @Test
    void shouldSurviveMemoryThatIsFreedInUse() {
        DeviceMemory target = host(LARGE_BYTES);
        for (int i = 0; i < 5; i++) {
            DeviceStream stream = stream("proxy-freed-" + i);
            DeviceEvent event = device.event();
            DeviceMemory source = device.allocate(LARGE_BYTES);
            assertEquals(1, stream.copy(target, 0, source, 0, LARGE_BYTES));
            stream.record(event);
            source.close();
            int state = await(event);
            assertTrue(state == 1 || state < 0 && !stream.failure().isEmpty(), state + ": " + stream.failure());
            stream.close();
        }
        DeviceStream stream = stream("proxy-after");
        assertEquals(1, stream.write(target, 0, 3));
        stream.synchronize(LONG);
    }

    @Test
    void shouldDropWhatHasNotBegunWhenClosed() {
        DeviceStream stream = stream("proxy-closed");
        DeviceEvent event = device.event();
        DeviceMemory word = host(64);
        Gate gate = new Gate(stream);
        assertEquals(1, stream.write(word, 0, 1));
        assertEquals(1, stream.record(event));
        Thread opener = Thread.ofPlatform().start(gate::open);
        long start = System.nanoTime();

        stream.close();
        stream.close();

        assertTrue(System.nanoTime() - start < LONG.toNanos());
        assertNotEquals(0, await(event));
        assertTrue(stream.write(word, 0, 2) < 0);
        assertTrue(stream.copy(word, 0, word, 8, 8) < 0);
        assertTrue(stream.record(event) < 0);
        assertNotEquals(2, word.segment().get(JAVA_LONG, 0));
        assertEquals(word.segment().get(JAVA_LONG, 0) == 1, event.query() == 1);
        while (opener.isAlive()) {
            Thread.yield();
        }
    }

    @Test
    void shouldAllocateNothingPerCopy() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assumeTrue(threads.isThreadAllocatedMemoryEnabled());
        DeviceStream stream = stream("proxy-garbage");
        DeviceEvent event = device.event();
        DeviceMemory a = random(4096, 1);
        DeviceMemory b = host(4096);
        steps(stream, event, a, b);
        long least = Long.MAX_VALUE;
        // The JVM now and then allocates on a thread's account; what copies take, they take in every round.
        for (int round = 0; round < ROUNDS && least >= ALLOCATION_COPIES; round++) {
            long before = threads.getTotalThreadAllocatedBytes();
            steps(stream, event, a, b);
            least = Math.min(least, threads.getTotalThreadAllocatedBytes() - before);
        }
        assertTrue(least < ALLOCATION_COPIES, least + " bytes for " + ALLOCATION_COPIES + " copies");
    }

    private static void steps(DeviceStream stream, DeviceEvent event, DeviceMemory a, DeviceMemory b) {
        for (int i = 0; i < ALLOCATION_COPIES; i++) {
            int done = stream.copy(b, 64, a, 0, 512) + stream.write(b, 0, i) + stream.record(event);
            while (event.query() == 0) {
                Thread.yield();
            }
            // A stream may be done a moment after the event that it came to last.
            while (stream.query() == 0) {
                Thread.yield();
            }
            if (done != 3 || stream.query() != 1 || b.segment().get(JAVA_LONG, 0) != i) {
                throw new AssertionError(stream.failure());
            }
        }
    }

    private static void handOver(DeviceStream from, DeviceEvent event, DeviceStream to) {
        assertEquals(1, from.record(event));
        int taken = to.await(event);
        while (taken == 0) {
            Thread.yield();
            taken = to.await(event);
        }
        assertEquals(1, taken);
    }
}
