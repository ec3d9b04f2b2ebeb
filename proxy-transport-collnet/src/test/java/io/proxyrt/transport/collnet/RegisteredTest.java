/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxyRegistration;
import io.proxyrt.core.progress.ProxySubArgs;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Collectives of hosts with one rank each, whose user's memory the network reads and writes itself. */
class RegisteredTest {
    private static final CollFunction[] FUNCTIONS = {CollFunction.ALL_REDUCE, CollFunction.ALL_GATHER,
            CollFunction.REDUCE_SCATTER};
    private static final int GAP = 256;
    private static final int PAGE_BYTES = 4096;

    @TempDir
    Path folder;

    /** A collective at one head, and its kernel. */
    private static final class AtHead {
        private final TestHead head;
        private final TestCollective collective;
        private final DeviceMemory memory;
        private final ProxyRegistration registration;
        private final ProxyArgs send;
        private final ProxyArgs recv;
        private final DeviceConnection sendEnd;
        private final DeviceConnection recvEnd;
        private final long base;
        private boolean isStarted;
        private boolean isEnded;

        AtHead(TestHead head, TestCollective collective, long opCount) {
            this.head = head;
            this.collective = collective;
            long inputBytes = collective.inputBytes();
            long bytes = 3 * GAP + inputBytes + collective.outputBytes();
            memory = head.device.allocate((bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
            registration = head.send(0).register(memory, GAP, memory.bytes() - GAP);
            MemorySegment.copy(collective.input(head.rank), 0, memory.range(), 2 * GAP, inputBytes);
            send = collective.args(head, Direction.SEND, opCount);
            recv = collective.args(head, Direction.RECV, opCount);
            ProxySubArgs sub = send.sub(0);
            sub.reg = true;
            recv.sub(0).reg = true;
            sub.sendMhandle = registration.handle();
            sub.recvMhandle = registration.handle();
            sub.sendbuff = GAP;
            sub.recvbuff = GAP + inputBytes;
            sendEnd = head.send(0).kernelEnd;
            recvEnd = head.recv(0).kernelEnd;
            base = sendEnd.step();
            assertEquals(base, recvEnd.step());
            sendEnd.step(base + 1);
            recvEnd.step(base + 1);
        }

        /** Puts the input where the output goes. */
        AtHead inPlace() {
            ProxySubArgs sub = send.sub(0);
            MemorySegment.copy(memory.range(), GAP + sub.sendbuff, memory.range(), GAP + sub.recvbuff,
                    collective.inputBytes());
            sub.sendbuff = sub.recvbuff;
            return this;
        }

        void runKernel() {
            if (!isStarted && sendEnd.sendMem().head() + DeviceConnection.STEPS > base) {
                recvEnd.sendMem().head(base);
                sendEnd.recvMem().tail(base + 1);
                isStarted = true;
            } else if (isStarted && !isEnded && recvEnd.recvMem().tail() > base) {
                check();
                recvEnd.sendMem().head(base + 1);
                isEnded = true;
            }
        }

        void check() {
            long from = 2 * GAP + collective.inputBytes();
            assertArrayEquals(collective.expected(head.rank),
                    memory.range().asSlice(from, collective.outputBytes()).toArray(ValueLayout.JAVA_BYTE));
            assertEquals(0, memory.range().get(ValueLayout.JAVA_LONG_UNALIGNED, from + collective.outputBytes()));
            assertEquals(0, memory.range().get(ValueLayout.JAVA_LONG_UNALIGNED, 2 * GAP - 8));
        }

        boolean isOver() {
            return isEnded && send.state == State.NONE && recv.state == State.NONE;
        }
    }

    private static TestCollective collective(CollFunction function, long all, int heads, long seed) {
        return TestCollective.of(function, 1, (all + 15) / 16 * 16, all, heads, seed);
    }

    private static void run(List<AtHead> all, long seed) {
        run(all, seed, null);
    }

    /** Beside other heads, if there are any. */
    private static void run(List<AtHead> all, long seed, CollNetSimulation others) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; !all.stream().allMatch(AtHead::isOver); i++) {
            assertTrue(i < 1_000_000, "nothing moves");
            AtHead at = all.get(random.nextInt(all.size()));
            switch (random.nextInt(3)) {
                case 0 -> assertTrue(at.head.advance(at.send) >= 0, at.head::fault);
                case 1 -> assertTrue(at.head.advance(at.recv) >= 0, at.head::fault);
                default -> at.runKernel();
            }
            assertTrue(others == null || others.step() >= 0);
        }
    }

    @Test
    void shouldCarryOutCollectivesInCallsThatTheNetworkBears() {
        for (int seed = 0; seed < 60; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            SimulatedCollNet net = new SimulatedCollNet(seed);
            net.maxCollBytes = TestHeads.BUFFER_BYTES + random.nextInt(40);
            net.room = seed % 2 == 0 ? 8 : 32;
            int count = random.nextInt(1, 5);
            try (TestHeads heads = TestHeads.connected(folder, net, count, 1)) {
                CollFunction function = FUNCTIONS[seed % 3];
                long all = random.nextLong(1, 20_000) * 4 * count * (random.nextBoolean() ? 3 : 1);
                List<AtHead> at = new ArrayList<>();
                heads.all.forEach(head -> at.add(new AtHead(head, collective(function, all, count, 5), 2)));
                run(at, seed);
                long callBytes = net.maxCollBytes / 16 * 16;
                assertEquals((all + callBytes - 1) / callBytes, net.calls);
                assertTrue(net.largestCall <= net.maxCollBytes);
                assertEquals(0, net.flushes, "it is memory of the host");
                at.forEach(one -> assertTrue(one.registration.retire(), "the op still holds the user's memory"));
            }
        }
    }

    @Test
    void shouldMakeTheCallsThatSlotsWouldMake() {
        for (int seed = 0; seed < 30; seed++) {
            SimulatedCollNet net = new SimulatedCollNet(seed);
            try (TestHeads heads = TestHeads.connected(folder, net, 2, 5)) {
                TestCollective slots = TestCollective.of(CollFunction.ALL_REDUCE, 5, 64, 10_000, 2, 5);
                CollNetSimulation simulation = new CollNetSimulation(heads.all.subList(1, 2), seed);
                simulation.add(0, slots);
                AtHead at = new AtHead(heads.all.getFirst(), new TestCollective(CollFunction.ALL_REDUCE, RedOp.SUM,
                        new int[1], 1, 5 * 64, 10_000, 2, 5), 2);
                run(List.of(at), seed, simulation);
                simulation.run();
                assertEquals(slots.calls(), net.calls);
                assertEquals(5 * 64, net.largestCall);
            }
        }
    }

    @Test
    void shouldReduceInPlace() {
        SimulatedCollNet net = new SimulatedCollNet(3);
        try (TestHeads heads = TestHeads.connected(folder, net, 3, 1)) {
            TestCollective inPlace = new TestCollective(CollFunction.ALL_REDUCE, RedOp.MAX, new int[1], 1, 160, 10_000,
                    3, 5);
            List<AtHead> at = new ArrayList<>();
            heads.all.forEach(head -> at.add(new AtHead(head, inPlace, 2).inPlace()));
            run(at, 4);
            assertEquals(63, net.calls);
        }
    }

    @Test
    void shouldGoOnWithSlotsOnTheSameConnections() {
        SimulatedCollNet net = new SimulatedCollNet(1);
        try (TestHeads heads = TestHeads.connected(folder, net, 2, 9)) {
            for (int round = 0; round < 3; round++) {
                CollFunction function = FUNCTIONS[round];
                List<AtHead> at = new ArrayList<>();
                heads.all.forEach(head -> at.add(new AtHead(head, collective(function, 4000, 2, 5), 2)));
                run(at, round);
                CollNetSimulation slots = new CollNetSimulation(heads.all, round);
                slots.add(TestCollective.of(function, 9, 64, 10_000, 2, round));
                slots.run();
            }
        }
    }

    @Test
    void shouldRefuseBuffersThatAreNotWithinTheRegistration() {
        for (int seed = 0; seed < 4; seed++) {
            SimulatedCollNet net = new SimulatedCollNet(seed);
            try (TestHeads heads = TestHeads.connected(folder, net, 1, 1)) {
                TestHead head = heads.all.getFirst();
                AtHead at = new AtHead(head, collective(CollFunction.ALL_REDUCE, 4096, 1, 5), 2);
                ProxySubArgs sub = at.send.sub(0);
                sub.sendbuff += seed == 0 ? 8192 : 0;
                sub.recvbuff += seed == 1 ? 4096 : 0;
                sub.sendMhandle += seed == 2 ? 77 : 0;
                sub.recvMhandle = seed == 3 ? 0 : sub.recvMhandle;
                assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), head.advance(at.send));
                assertTrue(head.fault().contains("registered memory"), head::fault);
                assertTrue(at.registration.retire(), "a refused op holds nothing");
            }
        }
    }

    @Test
    void shouldHoldNothingBehindAnOpThatWasGivenUp() {
        try (TestHeads heads = TestHeads.connected(folder, new SimulatedCollNet(1), 1, 1)) {
            TestHead head = heads.all.getFirst();
            AtHead first = new AtHead(head, collective(CollFunction.ALL_REDUCE, 4096, 1, 5), 2);
            AtHead second = new AtHead(head, collective(CollFunction.ALL_REDUCE, 4096, 1, 5), 4);
            assertEquals(1, head.advance(first.send));
            assertEquals(-ProxyResult.INVALID_USAGE.code(), head.advance(second.send));
            assertTrue(head.fault().contains("an op before op 4 was given up"), head::fault);
            assertTrue(second.registration.retire());
        }
    }

    @Test
    void shouldFailWhereTheReceiveIsNotForRegisteredMemory() {
        SimulatedCollNet net = new SimulatedCollNet(1);
        try (TestHeads heads = TestHeads.connected(folder, net, 1, 1)) {
            TestHead head = heads.all.getFirst();
            AtHead at = new AtHead(head, collective(CollFunction.ALL_REDUCE, 4096, 1, 5), 2);
            at.recv.sub(0).reg = false;
            head.advance(at.recv);
            int result = 0;
            for (int i = 0; i < 10 && result >= 0; i++) {
                result = head.advance(at.send);
                at.runKernel();
            }
            assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), result);
            assertTrue(head.fault().contains("not for registered memory"), head::fault);
        }
    }

    @Test
    void shouldFailWithTheNetwork() {
        for (int seed = 0; seed < 30; seed++) {
            SimulatedCollNet net = new SimulatedCollNet(seed);
            net.maxCollBytes = TestHeads.BUFFER_BYTES;
            net.needsFlush = true;
            net.failsInFlush = seed >= 20;
            try (TestHeads heads = new TestHeads(folder, net, 0)) {
                AtHead at = far(heads, new FarDevice());
                int result = 0;
                for (int i = 0; i < 10_000 && result >= 0; i++) {
                    result = Math.min(at.head.advance(at.recv), at.head.advance(at.send));
                    at.runKernel();
                    net.failure = seed < 20 && i == seed % 3 ? "the cable was cut" : net.failure;
                }
                assertEquals(-ProxyResult.REMOTE_ERROR.code(), result);
                assertTrue(at.head.fault().contains("the cable was cut"), at.head::fault);
            }
        }
    }

    private static AtHead far(TestHeads heads, FarDevice device) {
        TestHead head = new TestHead(0, heads.net, TestHeads.CONFIG, heads.counters, device);
        heads.all.add(head);
        TestHead.connect(heads.all, 1);
        return new AtHead(head, collective(CollFunction.ALL_REDUCE, 100_000, 1, 5), 2);
    }

    @Test
    void shouldReachADevicesOwnMemoryByADmaBuf() {
        SimulatedCollNet net = new SimulatedCollNet(1);
        FarDevice device = new FarDevice();
        try (TestHeads heads = new TestHeads(folder, net, 0)) {
            AtHead at = far(heads, device);
            assertEquals(1, device.exports);
            assertEquals(0, device.exported.size(), "descriptors are closed");
            device.onFlush = () -> assertEquals(at.base, at.recvEnd.recvMem().tail(), "flushed before it is told");
            run(List.of(at), 1);
            assertEquals(1, net.flushes, "the network is asked first");
            assertEquals(1, device.flushes);
            assertEquals(-1, heads.all.getFirst().send(0).kernelEnd.recvMem().size(0));
        }
    }

    @Test
    void shouldLeaveFlushingToANetworkThatFlushes() {
        SimulatedCollNet net = new SimulatedCollNet(1);
        net.needsFlush = true;
        FarDevice device = new FarDevice();
        try (TestHeads heads = new TestHeads(folder, net, 0)) {
            run(List.of(far(heads, device)), 1);
            assertEquals(1, net.flushes);
            assertEquals(0, device.flushes);
        }
    }

    @Test
    void shouldFailWhereTheDeviceCannotFlush() {
        FarDevice device = new FarDevice();
        device.flushResult = -ProxyResult.SYSTEM_ERROR.code();
        try (TestHeads heads = new TestHeads(folder, new SimulatedCollNet(1), 0)) {
            AtHead at = far(heads, device);
            int result = 0;
            for (int i = 0; i < 1000 && result >= 0; i++) {
                result = Math.min(at.head.advance(at.recv), at.head.advance(at.send));
                at.runKernel();
            }
            assertEquals(-ProxyResult.SYSTEM_ERROR.code(), result);
            assertTrue(at.head.fault().contains("far:0 cannot flush"), at.head::fault);
        }
    }

    @Test
    void shouldRefuseADevicesMemoryThatCannotBeExported() {
        FarDevice device = new FarDevice();
        try (TestHeads heads = new TestHeads(folder, new SimulatedCollNet(1), 0)) {
            TestHead head = far(heads, device).head;
            DeviceMemory odd = device.allocate(PAGE_BYTES + 512);
            assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                    () -> head.send(0).register(odd, PAGE_BYTES, 512)).result());
            device.capabilities.clear();
            DeviceMemory memory = device.allocate(PAGE_BYTES);
            ProxyException e = assertThrows(ProxyException.class, () -> head.send(0).register(memory, 0, 512));
            assertEquals(ProxyResult.INVALID_USAGE, e.result());
            assertTrue(e.getMessage().contains("far:0: its memory cannot be exported"), e.getMessage());
        }
    }
}
