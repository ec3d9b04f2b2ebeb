/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Single steps of collectives, and what becomes of those that cannot be carried out. */
class CollNetProgressTest {
    @TempDir
    Path folder;

    private final SimulatedCollNet net = new SimulatedCollNet(1);

    private static TestCollective allReduce(int... channels) {
        long all = 4L * 64 * channels.length;
        return new TestCollective(CollFunction.ALL_REDUCE, RedOp.SUM, channels, 4, 64, all, 1, 3);
    }

    private void assertFails(TestHead head, ProxyArgs args, ProxyResult result, String... parts) {
        int code = 0;
        for (int i = 0; i < 1000 && code >= 0; i++) {
            code = head.advance(args);
        }
        assertEquals(-result.code(), code);
        for (String part : parts) {
            assertTrue(head.fault().contains(part), head::fault);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 2", "0, 2, 1", "2, 1, 0", "0, 0, 1"})
    void shouldRefuseChannelsThatAreNotInOrder(int first, int second, int third) {
        try (TestHeads heads = TestHeads.connected(folder, net, 1, 3)) {
            TestHead head = heads.all.getFirst();
            ProxyArgs args = allReduce(first, second, third).args(head, Direction.SEND, 6);

            assertFails(head, args, ProxyResult.INVALID_ARGUMENT, "channels of op 6 come in the order " + first + ", "
                    + second + ", " + third, "ascending");
            assertEquals(State.READY, args.state);
            ProxyArgs recv = allReduce(0, 1, 2).args(head, Direction.RECV, 6);
            assertFails(head, recv, ProxyResult.INVALID_ARGUMENT, "come in the order");
        }
    }

    @Test
    void shouldRefuseChannelsOfDifferentStepsOrChunks() {
        try (TestHeads heads = TestHeads.connected(folder, net, 2, 3)) {
            ProxyArgs steps = allReduce(0, 2).args(heads.all.get(0), Direction.SEND, 6);
            steps.sub(1).nsteps = 5;
            assertFails(heads.all.get(0), steps, ProxyResult.INVALID_ARGUMENT, "channels 0, 2 of op 6",
                    "channel 2 has 5 steps");
            ProxyArgs chunks = allReduce(0, 2).args(heads.all.get(1), Direction.RECV, 6);
            chunks.sub(1).chunkSize = 128;
            assertFails(heads.all.get(1), chunks, ProxyResult.INVALID_ARGUMENT, "channels 0, 2 of op 6",
                    "chunks of 128");
        }
    }

    private void assertRefused(Consumer<ProxyArgs> change, CollFunction function, long all, String part) {
        try (TestHeads heads = TestHeads.connected(folder, new SimulatedCollNet(1), 1, 1)) {
            TestHead head = heads.all.getFirst();
            ProxyArgs args = TestCollective.of(function, 1, 64, all, 1, 1).args(head, Direction.SEND, 2);
            change.accept(args);
            assertFails(head, args, ProxyResult.INVALID_ARGUMENT, part);
        }
    }

    @Test
    void shouldRefuseOpsThatMakeNoSense() {
        assertRefused(args -> args.sub(0).chunkSize = 24, CollFunction.ALL_REDUCE, 64, "a chunk of 24 bytes");
        assertRefused(args -> args.sub(0).chunkSize = 0, CollFunction.ALL_REDUCE, 64, "a chunk of 0 bytes");
        assertRefused(args -> args.sub(0).chunkSize = 8192, CollFunction.ALL_REDUCE, 64, "the slot's 4096");
        assertRefused(args -> args.sub(0).loopSize = 64, CollFunction.ALL_REDUCE, 64, "do not carry out");
        assertRefused(args -> args.sub(0).loopSize = 0, CollFunction.ALL_GATHER, 64, "do not carry out");
        assertRefused(args -> args.sub(0).loopSize = 32, CollFunction.ALL_GATHER, 64, "1 participants");
        assertRefused(args -> args.sub(0).nsteps = 1, CollFunction.REDUCE_SCATTER, 128, "do not make up 128");
        assertRefused(args -> args.protocol(Protocol.LL), CollFunction.ALL_REDUCE, 64, "steps of Simple");
        assertRefused(args -> args.collective(CollFunction.BROADCAST, DataType.INT32, RedOp.SUM),
                CollFunction.ALL_REDUCE, 64, "BROADCAST");
        assertRefused(args -> args.sub(0).reg = true, CollFunction.ALL_REDUCE, 64, "no registered memory");
    }

    @Test
    void shouldGiveCreditsOneByOneAndTellWhereEachStepLies() {
        try (TestHeads heads = TestHeads.connected(folder, net, 1, 2)) {
            TestHead head = heads.all.getFirst();
            DeviceConnection kernelEnd = head.send(1).kernelEnd;
            ProxyArgs args = allReduce(0, 1).args(head, Direction.SEND, 2);
            assertEquals(-8, kernelEnd.sendMem().head());
            for (int step = 0; step < 4; step++) {
                head.advance(args);
                assertEquals(step + 1 - 8, kernelEnd.sendMem().head());
                assertEquals(step * 2 * 4096 + 64, kernelEnd.slotOffset(Protocol.SIMPLE, step));
            }
            assertEquals(0, head.advance(args));
        }
    }

    /** As RCCL has it: a group's data begin at the slot of its first sub, and lie side by side. */
    @Test
    void shouldPutTheDataOfAGroupSideBySide() {
        try (TestHeads heads = TestHeads.connected(folder, net, 2, 11)) {
            TestHead head = heads.all.get(1);
            TestCollective gather = TestCollective.of(CollFunction.ALL_GATHER, 11, 64, 2 * 600, 2, 1);
            ProxyArgs send = gather.args(head, Direction.SEND, 2);
            head.advance(send);
            CollNetOp op = CollNetOp.of(send);
            long half = 8L * 11 * 4096;
            assertEquals(half + 3 * 64, op.offset(true, 0, 3));
            assertEquals(half + 8 * 4096 + 64, op.offset(true, 0, 9));
            assertEquals(half + 11 * 4096 + 3 * 64, op.offset(true, 1, 3));
            assertEquals(0, op.offset(false, 8, 0), "the ninth step is where the first was");
            // The second head's part, bytes 600 to 1199, begins in the chunk of sub 9, and ends in that of sub 7.
            assertEquals(8 * 4096, op.offset(false, 0, 9));
            assertEquals(8 * 4096 + 40, op.offset(false, 0, 10));
            assertEquals(40, op.length(false, 0, 8, 10));
            assertEquals(0, op.length(false, 0, 0, 8));
            assertEquals(48, op.length(false, 1, 7, 8));
        }
    }

    @Test
    void shouldRefuseOpsBehindOneThatWasGivenUp() {
        try (TestHeads heads = TestHeads.connected(folder, net, 1, 2)) {
            TestHead head = heads.all.getFirst();
            assertEquals(2, head.advance(allReduce(0, 1).args(head, Direction.SEND, 2)));
            ProxyArgs next = allReduce(1).args(head, Direction.SEND, 4);
            assertFails(head, next, ProxyResult.INVALID_USAGE, "an op before op 4 was given up");
            assertFails(head, allReduce(1).args(head, Direction.RECV, 4), ProxyResult.INVALID_USAGE, "given up");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-2, 68, 6, 1L << 40})
    void shouldRefuseASizeOfAnAllReduceThatCannotBe(long bytes) {
        try (TestHeads heads = TestHeads.connected(folder, net, 1, 1)) {
            TestHead head = heads.all.getFirst();
            ProxyArgs args = allReduce(0).args(head, Direction.SEND, 2);
            head.advance(args);
            write(head, 0, 0, bytes);
            assertFails(head, args, ProxyResult.INTERNAL_ERROR, "wants to send " + bytes + " bytes", "channel 0");
        }
    }

    @Test
    void shouldRefuseAnAllReduceWithAHole() {
        try (TestHeads heads = TestHeads.connected(folder, net, 1, 3)) {
            TestHead head = heads.all.getFirst();
            ProxyArgs send = allReduce(0, 1, 2).args(head, Direction.SEND, 2);
            ProxyArgs recv = allReduce(0, 1, 2).args(head, Direction.RECV, 2);
            head.advance(send);
            head.advance(recv);
            write(head, 0, 0, 64);
            write(head, 1, 0, 60);
            write(head, 2, 0, 4);
            assertFails(head, send, ProxyResult.INTERNAL_ERROR, "channel whose step 0 is not full", "0, 1, 2");
            assertEquals(0, net.calls);
        }
    }

    @ParameterizedTest
    @CsvSource({"ALL_GATHER, 60", "ALL_GATHER, 0", "REDUCE_SCATTER, 60"})
    void shouldRefuseASizeThatIsNotThatOfTheStep(CollFunction function, long bytes) {
        try (TestHeads heads = TestHeads.connected(folder, net, 1, 1)) {
            TestHead head = heads.all.getFirst();
            ProxyArgs args = TestCollective.of(function, 1, 64, 128, 1, 1).args(head, Direction.SEND, 2);
            head.advance(args);
            write(head, 0, 0, bytes);
            assertFails(head, args, ProxyResult.INTERNAL_ERROR, "wants to send " + bytes, "where 64 belong");
        }
    }

    private static void write(TestHead head, int channel, int step, long bytes) {
        DeviceConnection kernelEnd = head.send(channel).kernelEnd;
        assertTrue(kernelEnd.sendMem().head() + DeviceConnection.STEPS > step);
        kernelEnd.recvMem().size(step, bytes);
        kernelEnd.recvMem().tail(step + 1);
    }

    @Test
    void shouldFailWhereTheReceivesAreForOtherChannels() {
        try (TestHeads heads = TestHeads.connected(folder, net, 1, 2)) {
            TestHead head = heads.all.getFirst();
            ProxyArgs send = allReduce(0, 1).args(head, Direction.SEND, 2);
            ProxyArgs recv = allReduce(0).args(head, Direction.RECV, 2);
            head.advance(send);
            head.advance(recv);
            write(head, 0, 0, 64);
            write(head, 1, 0, 64);
            assertFails(head, send, ProxyResult.INVALID_ARGUMENT, "other channels", "0, 1");
            assertFails(head, recv, ProxyResult.INVALID_ARGUMENT, "other channels");
        }
    }

    @ParameterizedTest
    @EnumSource(Direction.class)
    void shouldEndBothConnectionsOfAChannelWithWhatEndedOne(Direction first) {
        try (TestHeads heads = TestHeads.connected(folder, net, 1, 2)) {
            TestHead head = heads.all.getFirst();
            ProxyArgs send = allReduce(0, 1).args(head, Direction.SEND, 2);
            ProxyArgs recv = allReduce(0, 1).args(head, Direction.RECV, 2);
            assertTrue(head.advance(send) > 0 && head.advance(recv) > 0);
            boolean isSend = first == Direction.SEND;
            heads.giveUp((isSend ? head.send(1) : head.recv(1)).connection,
                    new ProxyException(ProxyResult.TIMEOUT, "op 2 did not end in time"));
            assertFails(head, isSend ? recv : send, ProxyResult.TIMEOUT, "op 2 did not end in time",
                    "head 0, channel 1", "switch Simulated");
            assertFails(head, allReduce(0).args(head, first, 4), ProxyResult.TIMEOUT, "op 2 did not end in time");
        }
    }

    @Test
    void shouldBearMoreChunksThanAnIntCounts() {
        try (TestHeads heads = TestHeads.connected(folder, net, 1, 4)) {
            TestHead head = heads.all.getFirst();
            ProxyArgs args = new TestCollective(CollFunction.ALL_GATHER, RedOp.SUM, new int[] {0, 1, 2, 3}, 1 << 30, 64,
                    640, 1, 3).args(head, Direction.SEND, 2);
            assertTrue(head.advance(args) > 0, head::fault);
        }
    }

    /** RCCL waits for ever where a head lacks a channel. */
    @Test
    void shouldFailWhereAHeadLacksAChannel() {
        for (int seed = 0; seed < 20; seed++) {
            SimulatedCollNet strict = new SimulatedCollNet(seed);
            try (TestHeads heads = TestHeads.connected(folder, strict, 2, 3)) {
                CollNetSimulation simulation = new CollNetSimulation(heads.all, seed);
                CollNetSimulation.AtHead[] at = {
                        simulation.add(0, TestCollective.of(CollFunction.ALL_REDUCE, 3, 64, 1200, 2, 1)),
                        simulation.add(1, TestCollective.of(CollFunction.ALL_REDUCE, 2, 64, 1200, 2, 1))};
                assertEquals(-ProxyResult.INVALID_USAGE.code(), simulation.runToFailure());
                for (TestHead head : heads.all) {
                    runKernels(at[head.rank]);
                    assertFails(head, at[head.rank].send, ProxyResult.INVALID_USAGE, "the participants disagree",
                            "asks for ALL_REDUCE", "rank 0 ", "rank 1 ", "to switch Simulated");
                    assertFails(head, at[head.rank].recv, ProxyResult.INVALID_USAGE, "disagree");
                }
            }
        }
    }

    private static void runKernels(CollNetSimulation.AtHead at) {
        for (int i = 0; i < DeviceConnection.STEPS; i++) {
            at.kernels.forEach(TestKernel::step);
        }
    }

    @Test
    void shouldFailAllOpsOfAHeadWhoseNetworkFails() {
        for (int seed = 0; seed < 50; seed++) {
            SimulatedCollNet broken = new SimulatedCollNet(seed);
            try (TestHeads heads = TestHeads.connected(folder, broken, 2, 9)) {
                CollNetSimulation simulation = new CollNetSimulation(heads.all, seed);
                simulation.add(TestCollective.of(CollFunction.ALL_REDUCE, 9, 64, 20_000, 2, 1));
                simulation.add(TestCollective.of(CollFunction.ALL_GATHER, 9, 64, 20_000, 2, 1));
                for (int i = 0; i < 100 * seed; i++) {
                    assertTrue(simulation.step() >= 0);
                }
                broken.failure = "the cable was cut";
                assertEquals(-ProxyResult.REMOTE_ERROR.code(), simulation.runToFailure());
                String fault = heads.all.get(0).fault() == null ? heads.all.get(1).fault() : heads.all.get(0).fault();
                assertTrue(fault.contains("the cable was cut") && fault.contains("switch Simulated")
                        && fault.contains("step "), fault);
            }
        }
    }

    @Test
    void shouldCountCallsAndBytes() {
        try (TestHeads heads = TestHeads.connected(folder, net, 1, 2)) {
            CollNetSimulation simulation = new CollNetSimulation(heads.all, 1);
            simulation.add(TestCollective.of(CollFunction.ALL_REDUCE, 2, 64, 1000, 1, 1));
            simulation.run();
            assertEquals(net.calls, heads.counters.get(Counter.NET_ISENDS));
            assertEquals(1000, heads.counters.get(Counter.NET_BYTES_SENT));
            assertEquals(1000, heads.counters.get(Counter.NET_BYTES_RECEIVED));
            assertTrue(heads.counters.get(Counter.NET_BACK_PRESSURE) > 0);
            assertNull(heads.all.getFirst().fault());
            assertFalse(simulation.step() > 0);
        }
    }
}
