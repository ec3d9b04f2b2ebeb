/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Copier;
import io.proxyrt.core.device.CopyList;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.ForwardingMemory;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.host.HostDevice;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a lane gives its stream and when, with memory that only the stream reaches, and a stream that waits. */
class CopyLaneTest {
    private static final long SLOT_BYTES = 1024;
    private static final long SLOTS_BYTES = 8 * SLOT_BYTES;

    private final StoppedDevice device = new StoppedDevice();
    private final CopyLane lane = new CopyLane(device, "proxy-copy-0-to-1");
    private final List<CopyEngine> engines = new ArrayList<>();
    private final List<DeviceMemory> peers = new ArrayList<>();

    @BeforeEach
    void connect() {
        for (int i = 0; i < 3; i++) {
            CopyEngine engine = new CopyEngine(device, lane, Copier.JVM, Direction.SEND, SLOTS_BYTES, 0);
            DeviceMemory peer = device.allocate(RecvMem.BYTES + SLOTS_BYTES);
            assertEquals(StepNumbers.BYTES, engine.connect(peer, RecvMem.BYTES, peer, 0, false));
            engines.add(engine);
            peers.add(peer);
        }
    }

    @AfterEach
    void close() {
        device.stream.worksWhenAsked = true;
        engines.forEach(CopyEngine::close);
        lane.close();
        device.close();
    }

    private void post(int channel, int step) {
        near(engines.get(channel).fifo()).set(JAVA_LONG, step % 8 * SLOT_BYTES, value(channel, step));
        assertEquals(1, engines.get(channel).copy(step, SLOT_BYTES, step + 1));
    }

    private static long value(int channel, int step) {
        return 1 + 1000L * channel + step;
    }

    private long tail(int channel) {
        return near(peers.get(channel)).get(JAVA_LONG, RecvMem.TAIL);
    }

    private long data(int channel, int step) {
        return near(peers.get(channel)).get(JAVA_LONG, RecvMem.BYTES + step % 8 * SLOT_BYTES);
    }

    private static MemorySegment near(DeviceMemory far) {
        return ((Far) far).memory().segment();
    }

    @Test
    void shouldSendOneStepAtOnceAndItsTailBehindIt() {
        post(0, 0);
        lane.pollIfBusy();
        assertEquals(List.of(1), device.stream.lists);
        lane.pollIfBusy();
        assertEquals(2, device.stream.lists.size(), "there is nothing else that the tail could go with");
        assertEquals(0, engines.get(0).isCopied(0));

        device.stream.finishFlush();
        assertEquals(0, tail(0), "data before their tail");
        device.stream.finishFlush();
        assertEquals(1, tail(0));
        lane.pollIfBusy();
        assertEquals(1, engines.get(0).isCopied(0));
    }

    @Test
    void shouldGatherWhileTwoFlushesAreUnderWay() {
        post(0, 0);
        lane.pollIfBusy();
        post(1, 0);
        lane.pollIfBusy();
        assertEquals(2, device.stream.lists.size());
        for (int step = 1; step < 4; step++) {
            for (int channel = 0; channel < 3; channel++) {
                post(channel, step);
                lane.pollIfBusy();
            }
        }
        assertEquals(2, device.stream.lists.size(), "the engine has enough to do");

        device.stream.finishFlush();
        lane.pollIfBusy();
        assertEquals(3, device.stream.lists.size());
        assertTrue(device.stream.lists.getLast() >= 9 + 1, "nine copies and the tail before, in one command");
        device.stream.finishAll(lane);
        for (int channel = 0; channel < 3; channel++) {
            assertEquals(4, tail(channel));
            assertEquals(value(channel, 3), data(channel, 3));
            assertEquals(1, engines.get(channel).isCopied(3));
        }
    }

    /** Copies of a list come in any order: of two tails the older one might be the last. */
    @Test
    void shouldHaveOneTailOfAConnectionInAFlush() {
        for (int step = 0; step < 4; step++) {
            post(0, step);
        }
        lane.pollIfBusy();
        assertEquals(List.of(4), device.stream.lists);
        lane.pollIfBusy();
        assertEquals(2, device.stream.lists.getLast(), "a tail, and the load of the numbers to come");
        device.stream.finishAll(lane);
        assertEquals(4, tail(0));
    }

    @Test
    void shouldGoOnWithAFlushThatTheStreamHadNoRoomFor() {
        device.stream.room = 1;
        post(0, 0);
        post(1, 0);
        lane.pollIfBusy();
        assertEquals(0, engines.get(2).copy(0, SLOT_BYTES, 1), "the flush is on its way");
        assertEquals(0, engines.get(0).isCopied(0));
        device.stream.room = Integer.MAX_VALUE;
        lane.pollIfBusy();
        post(2, 0);
        device.stream.finishAll(lane);
        for (int channel = 0; channel < 3; channel++) {
            assertEquals(1, tail(channel));
            assertEquals(value(channel, 0), data(channel, 0));
        }
    }

    /** Who is done is not polled for any more. */
    @Test
    void shouldNotBeDoneBeforeTheStreamHasTheTail() {
        post(0, 0);
        lane.pollIfBusy();
        device.stream.finishFlush();
        device.stream.room = 0;
        lane.pollIfBusy();
        assertEquals(0, engines.get(0).isCopied(0));
        device.stream.room = Integer.MAX_VALUE;
        lane.pollIfBusy();
        assertEquals(1, engines.get(0).isCopied(0));
        device.stream.finishAll(lane);
        assertEquals(1, tail(0));
    }

    @Test
    void shouldFailAllOfItsConnections() {
        post(0, 0);
        device.stream.failure = ProxyResult.UNHANDLED_DEVICE_ERROR;
        lane.pollIfBusy();
        assertEquals(-ProxyResult.UNHANDLED_DEVICE_ERROR.code(), engines.get(0).isCopied(0));
        assertEquals(-ProxyResult.UNHANDLED_DEVICE_ERROR.code(), engines.get(1).copy(0, SLOT_BYTES, 1));
        assertEquals("the engine is on fire", engines.get(1).failure());
    }

    /** Memory that the CPU does not reach, says the device. */
    private static final class Far extends ForwardingMemory {
        Far(DeviceMemory near) {
            super(near);
        }

        @Override
        public boolean isHostAccessible() {
            return false;
        }
    }

    private static final class StoppedDevice implements Device {
        final StoppedStream stream = new StoppedStream();
        private final HostDevice host = new HostDevice(0);

        @Override
        public String name() {
            return host.name();
        }

        @Override
        public DeviceMemory allocate(long bytes) {
            return new Far(host.allocate(bytes));
        }

        @Override
        public DeviceMemory allocateHost(long bytes) {
            return host.allocate(bytes);
        }

        @Override
        public DeviceMemory memory(long id) {
            return host.memory(id);
        }

        @Override
        public DeviceStream stream(String name) {
            return stream;
        }

        @Override
        public DeviceEvent event() {
            return stream.new Event();
        }

        @Override
        public void close() {
            host.close();
        }
    }

    private static final class StoppedStream implements DeviceStream {
        /** How many copies each list had that was given to it. */
        final List<Integer> lists = new ArrayList<>();
        int room = Integer.MAX_VALUE;
        boolean worksWhenAsked;
        ProxyResult failure;
        private final Queue<Runnable> commands = new ArrayDeque<>();
        private int finished;

        final class Event implements DeviceEvent {
            private boolean isPending;

            @Override
            public int query() {
                if (worksWhenAsked) {
                    finishFlush();
                }
                return isPending ? 0 : 1;
            }

            @Override
            public void close() {
            }
        }

        @Override
        public int copyAll(CopyList copies) {
            if (failure != null) {
                return -failure.code();
            }
            if (copies.taken() == 0) {
                lists.add(copies.size());
            }
            return DeviceStream.super.copyAll(copies);
        }

        @Override
        public int copy(DeviceMemory to, long toOffset, DeviceMemory from, long fromOffset, long bytes) {
            if (commands.size() >= room) {
                return 0;
            }
            commands.add(() -> MemorySegment.copy(from.segment(), fromOffset, to.segment(), toOffset, bytes));
            return 1;
        }

        @Override
        public int record(DeviceEvent event) {
            Event own = (Event) event;
            own.isPending = true;
            commands.add(() -> {
                own.isPending = false;
                finished++;
            });
            return 1;
        }

        /** The next command. */
        void work() {
            commands.remove().run();
        }

        /** To the next event. */
        void finishFlush() {
            int before = finished;
            while (finished == before && !commands.isEmpty()) {
                work();
            }
        }

        void finishAll(CopyLane lane) {
            lane.poll();
            while (!commands.isEmpty()) {
                finishFlush();
                lane.poll();
            }
        }

        @Override
        public int await(DeviceEvent event) {
            return -ProxyResult.INVALID_USAGE.code();
        }

        @Override
        public int write(DeviceMemory to, long offset, long value) {
            return -ProxyResult.INVALID_USAGE.code();
        }

        @Override
        public int query() {
            return commands.isEmpty() ? 1 : 0;
        }

        @Override
        public void synchronize(Duration timeout) {
            while (!commands.isEmpty()) {
                work();
            }
        }

        @Override
        public String failure() {
            return failure == null ? "" : "the engine is on fire";
        }

        @Override
        public void close() {
            commands.clear();
        }
    }
}
