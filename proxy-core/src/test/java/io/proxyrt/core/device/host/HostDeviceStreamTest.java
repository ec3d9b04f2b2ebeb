/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Streams that a gate holds up, so that what is under way at a moment is known. */
class HostDeviceStreamTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int MEANWHILE = 50_000;
    private static final int HANDOVERS = 5_000;
    private static final int REFUSED = -ProxyResult.INVALID_ARGUMENT.code();
    private static final int MISUSED = -ProxyResult.INVALID_USAGE.code();

    private final HostDevice device = new HostDevice(7);
    private final DeviceMemory a = device.allocate(4096);
    private final DeviceMemory b = device.allocate(4096);
    private final HostEngine gate = new HostEngine("gate");
    private final DeviceStream stream = device.stream("stream");
    private final DeviceEvent event = device.event();
    private int sink;

    @AfterEach
    void close() {
        gate.close(LONG);
        device.close();
    }

    @Test
    void shouldGoOnBehindAnEventOnlyOnceItIsComplete() {
        a.segment().set(JAVA_LONG, 8, 42);
        hold(stream);
        assertEquals(1, stream.copy(b, 16, a, 8, 8));
        assertEquals(1, stream.record(event));
        assertEquals(0, event.query());
        assertEquals(0, stream.query());

        open();
        stream.synchronize(LONG);

        assertEquals(1, event.query());
        assertEquals(1, stream.query());
        assertEquals(42, b.segment().get(JAVA_LONG, 16));
        assertEquals(0, b.segment().get(JAVA_LONG, 24));
    }

    @Test
    void shouldGoOnWhileAnotherStreamIsHeldUp() {
        a.segment().set(JAVA_LONG, 0, 42);
        DeviceStream free = device.stream("free");
        hold(stream);
        assertEquals(1, free.copy(b, 0, a, 0, 8));
        free.synchronize(LONG);
        assertEquals(0, stream.query());
        assertEquals(42, b.segment().get(JAVA_LONG, 0));
        open();
        stream.synchronize(LONG);
    }

    @Test
    void shouldSayThatItIsFullAndGoOnLater() {
        hold(stream);
        for (int i = 1; i < HostEngine.CAPACITY; i++) {
            assertEquals(1, stream.write(a, 0, i));
        }
        assertEquals(0, stream.write(a, 0, -1));
        assertEquals(0, stream.copy(a, 0, b, 0, 8));
        assertEquals(1, stream.record(event), "an event takes no room");

        open();
        stream.synchronize(LONG);

        assertEquals(HostEngine.CAPACITY - 1, a.segment().get(JAVA_LONG, 0));
        assertEquals(1, stream.write(a, 0, -2));
        stream.synchronize(LONG);
        assertEquals(-2, a.segment().get(JAVA_LONG, 0));
    }

    @Test
    void shouldKeepTheFirstFailureAndDropWhatComesAfter() {
        DeviceEvent before = device.event();
        hold(stream);
        stream.write(a, 0, 1);
        stream.record(before);
        stream.copy(b, 0, a, 0, 8);
        stream.write(a, 0, 2);
        stream.record(event);
        b.close();
        open();

        ProxyException failure = assertThrows(ProxyException.class, () -> stream.synchronize(LONG));

        assertEquals("stream stream, command 3, copy of 8 bytes from memory 1 of host:7 at 0 to memory 2 of host:7 at"
                + " 0: memory was freed while the stream used it", failure.getMessage());
        assertEquals(failure.getMessage(), stream.failure());
        assertEquals(1, before.query());
        assertEquals(MISUSED, await(event));
        assertEquals(MISUSED, stream.query());
        assertEquals(MISUSED, stream.write(a, 0, 3));
        assertEquals(1, a.segment().get(JAVA_LONG, 0));
    }

    @Test
    void shouldFailWithTheStreamItWaitsFor() {
        DeviceStream other = device.stream("other");
        hold(other);
        other.write(b, 0, 1);
        other.record(event);
        stream.await(event);
        stream.write(a, 0, 1);
        b.close();
        open();

        ProxyException failure = assertThrows(ProxyException.class, () -> stream.synchronize(LONG));

        assertTrue(failure.getMessage().endsWith(other.failure()), failure.getMessage());
        assertEquals(0, a.segment().get(JAVA_LONG, 0));
    }

    @Test
    void shouldDropWhatHasNotBegunWhenClosed() {
        hold(stream);
        stream.write(a, 0, 1);
        stream.record(event);

        stream.close();
        stream.close();

        assertEquals(MISUSED, event.query());
        assertEquals(MISUSED, stream.write(a, 0, 2));
        assertTrue(stream.failure().contains("closed"), stream.failure());
        open();
        assertEquals(0, a.segment().get(JAVA_LONG, 0));
    }

    @Test
    void shouldSayWhatItIsAtWhenTimeIsUp() {
        hold(stream);
        stream.write(a, 0, 1);

        ProxyException failure = assertThrows(ProxyException.class, () -> stream.synchronize(Duration.ofMillis(2)));

        assertEquals(ProxyResult.TIMEOUT, failure.result());
        assertEquals("stream stream of host:7 is not done after PT0.002S; 2 commands are left, it is at: "
                + "wait for command 1 of stream gate", failure.getMessage());
    }

    @Test
    void shouldSayThatAWaitWasInterrupted() {
        hold(stream);
        Thread.currentThread().interrupt();

        ProxyException failure = assertThrows(ProxyException.class, () -> stream.synchronize(HOUR));

        assertTrue(Thread.interrupted());
        assertEquals(ProxyResult.INVALID_USAGE, failure.result());
    }

    @Test
    void shouldRefuseMemoryOfAnotherDevice() {
        try (HostDevice other = new HostDevice(8); DeviceEvent strange = other.event()) {
            DeviceMemory far = other.allocate(64);

            assertEquals(REFUSED, stream.copy(a, 0, far, 0, 8));
            assertTrue(stream.failure().contains("of a device that host:7 does not reach"), stream.failure());
            assertEquals(REFUSED, stream.copy(far, 0, a, 0, 8));
            assertEquals(REFUSED, stream.write(far, 0, 8));
            assertEquals(REFUSED, stream.record(strange));
            assertEquals(REFUSED, stream.await(strange));
            assertEquals(1, stream.query(), "a refusal is no failure");
        }
    }

    @Test
    void shouldRefuseToRegisterWhatStreamsCannotUse() {
        try (Arena confined = Arena.ofConfined(); Arena shared = Arena.ofShared()) {
            MemorySegment mapped = shared.allocate(64, 8);
            assertRefused(confined.allocate(64));
            assertRefused(MemorySegment.ofArray(new byte[64]));
            assertRefused(mapped.asSlice(0, 0));
            try (DeviceMemory registered = device.register(mapped);
                    DeviceMemory readOnly = device.register(mapped.asReadOnly())) {
                assertEquals(REFUSED, stream.write(readOnly, 0, 1));
                assertEquals(REFUSED, stream.copy(readOnly, 0, a, 0, 8));
                assertEquals(REFUSED, stream.copy(registered, 0, readOnly, 4, 8), "overlaps");
                assertEquals(1, stream.write(registered, 0, 5));
                assertEquals(1, stream.copy(a, 0, readOnly, 0, 8));
                stream.synchronize(LONG);
            }
            assertEquals(5, a.segment().get(JAVA_LONG, 0));
            assertEquals(5, mapped.get(JAVA_LONG, 0));
        }
    }

    /** Sleeps at once, and for good: a lost wake-up is a test that does not end. */
    @Test
    void shouldWakeASleepingEngineForEveryCommand() {
        HostDeviceStream sleepy = new HostDeviceStream(device, new HostEngine("sleepy", 0, 0));
        for (int i = 1; i <= 10_000; i++) {
            sleepy.write(a, 0, i);
            sleepy.synchronize(HOUR);
            assertEquals(i, a.segment().get(JAVA_LONG, 0));
        }
        sleepy.close();
    }

    /** The next command comes at the moment at which the engine goes to sleep, or a little before or after. */
    @Test
    void shouldNotSleepOnACommandThatComesMeanwhile() {
        HostDeviceStream sleepy = new HostDeviceStream(device, new HostEngine("sleepy", 0, 0));
        Random random = new Random(1);
        for (int i = 1; i <= MEANWHILE; i++) {
            sleepy.write(a, 0, i);
            while (sleepy.query() == 0) {
                Thread.onSpinWait();
            }
            for (int delay = random.nextInt(200); delay > 0; delay--) {
                sink ^= delay;
            }
        }
        assertEquals(MEANWHILE, a.segment().get(JAVA_LONG, 0));
        sleepy.close();
    }

    /** Two engines that sleep at once and wait for each other, for a time that is never the same. */
    @Test
    void shouldWakeEnginesThatWaitForEachOther() {
        HostDeviceStream[] turns = {new HostDeviceStream(device, new HostEngine("left", 0, 0)),
            new HostDeviceStream(device, new HostEngine("right", 0, 0))};
        DeviceEvent[] events = {device.event(), device.event()};
        Random random = new Random(2);
        for (int i = 0; i < HANDOVERS; i++) {
            for (int turn = 0; turn < 2; turn++) {
                for (int writes = random.nextInt(60); writes >= 0; writes--) {
                    retry(turns[turn], turn * Long.BYTES, i);
                }
                turns[turn].record(events[turn]);
            }
            for (int turn = 0; turn < 2; turn++) {
                while (turns[turn].await(events[1 - turn]) == 0) {
                    Thread.onSpinWait();
                }
            }
        }
        turns[0].synchronize(HOUR);
        turns[1].synchronize(HOUR);
        assertEquals(HANDOVERS - 1, a.segment().get(JAVA_LONG, 0));
        assertEquals(HANDOVERS - 1, a.segment().get(JAVA_LONG, 8));
        turns[0].close();
        turns[1].close();
    }

    private void retry(DeviceStream on, long offset, long value) {
        while (on.write(a, offset, value) == 0) {
            Thread.onSpinWait();
        }
    }

    private void assertRefused(MemorySegment memory) {
        assertEquals(ProxyResult.INVALID_ARGUMENT,
                assertThrows(ProxyException.class, () -> device.register(memory)).result());
    }

    /** Has a stream wait for the gate. */
    private void hold(DeviceStream held) {
        HostEvent opened = new HostEvent(device);
        opened.record(gate, 1);
        assertEquals(1, held.await(opened));
    }

    private void open() {
        gate.next().write((HostMemory) a, 64, 1);
        gate.post();
    }

    private static int await(DeviceEvent event) {
        int state = event.query();
        while (state == 0) {
            Thread.onSpinWait();
            state = event.query();
        }
        return state;
    }
}
