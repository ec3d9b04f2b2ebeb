/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxySubArgs;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kernels, proxies and network take turns in an order that a seed decides; the invariants hold after every pass, and
 * every byte arrives. To replay a failure, return its seed alone from {@link #seeds()}.
 */
class NetScheduleTest {
    private static final int OPS = 12;
    private static final int MAX_PASSES = 100_000;

    @TempDir
    Path folder;

    private final ManualNet net = new ManualNet();
    private Random random;
    private TestRank sender;
    private TestRank receiver;
    private long passes;

    static LongStream seeds() {
        return LongStream.range(0, 100);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void shouldKeepEveryInvariantAndByteWhateverTheSchedule(long seed) {
        random = new Random(seed);
        net.pendingAccepts = random.nextInt(5);
        net.pendingConnects = random.nextInt(5);
        sender = new TestRank(Direction.SEND, net, folder);
        receiver = new TestRank(Direction.RECV, net, folder);
        TestRank.connect(sender, receiver);
        for (int op = 0; op < OPS; op++) {
            int slice = 1 << random.nextInt(3);
            int chunk = Math.min(slice << random.nextInt(3), DeviceConnection.STEPS / 2);
            carry(slice * random.nextInt(1, 60), slice, chunk, random.nextLong());
        }
        assertEquals(stepOf(sender), stepOf(receiver), "step conservation");
        assertEquals(stepOf(sender), sender.kernelEnd().step());
        assertTrue(passes > 1000);
        sender.close();
        receiver.close();
        assertEquals(0, net.open);
    }

    private void carry(int nsteps, int slice, int chunk, long content) {
        ProxyArgs send = sender.op(nsteps, slice, chunk);
        ProxyArgs recv = receiver.op(nsteps, slice, chunk);
        SimulatedKernel writer = SimulatedKernel.sending(sender.kernelEnd(), nsteps, slice, chunk, content);
        SimulatedKernel reader = SimulatedKernel.receiving(receiver.kernelEnd(), nsteps, slice, chunk, content);
        int[] weights = random.ints(6, 1, 10).toArray();
        long deadline = passes + MAX_PASSES;
        while (send.state != State.NONE || recv.state != State.NONE) {
            assertTrue(passes < deadline, () -> "nothing moves any more: " + send + ", " + recv);
            switch (pick(weights)) {
                case 0 -> writer.step();
                case 1 -> reader.step();
                case 2 -> net.wire().deliver();
                case 3 -> net.wire().complete();
                case 4 -> advanceSend(send);
                default -> advanceRecv(recv);
            }
        }
        assertEquals(nsteps, writer.steps());
        assertEquals(nsteps, reader.steps());
    }

    private int pick(int[] weights) {
        int left = random.nextInt(weights[0] + weights[1] + weights[2] + weights[3] + weights[4] + weights[5]);
        int choice = 0;
        while (left >= weights[choice]) {
            left -= weights[choice++];
        }
        return choice;
    }

    private void advanceSend(ProxyArgs args) {
        net.refusedSends = random.nextInt(4) == 0 ? 1 : 0;
        ProxySubArgs sub = args.sub(0);
        long before = sub.posted + sub.transmitted + sub.done;
        boolean isOver = args.state == State.NONE;
        int moved = sender.advance(args);
        passes++;

        assertEquals((long) moved * args.sliceSteps(), isOver ? 0 : sub.posted + sub.transmitted + sub.done - before);
        assertTrue(moved >= 0 && moved <= 2, () -> "moved " + moved);
        assertTrue(sub.isSendOrdered(), sub::toString);
        assertTrue(sub.posted - sub.done <= DeviceConnection.STEPS, sub::toString);
        if (sub.done > 0) {
            assertEquals(sub.base + sub.done, sender.kernelEnd().sendMem().head(), sub::toString);
        }
        assertEquals(sub.isDone(), args.state == State.NONE);
    }

    private void advanceRecv(ProxyArgs args) {
        net.refusedRecvs = random.nextInt(4) == 0 ? 1 : 0;
        ProxySubArgs sub = args.sub(0);
        int moved = receiver.advance(args);
        passes++;

        assertTrue(moved >= 0, () -> "moved " + moved);
        assertTrue(sub.isRecvOrdered(), sub::toString);
        assertEquals(sub.received, sub.transmitted, "host memory needs no flush");
        if (sub.transmitted > 0) {
            assertEquals(sub.base + sub.transmitted, receiver.kernelEnd().recvMem().tail(), sub::toString);
        }
        assertEquals(sub.isDone(), args.state == State.NONE);
    }

    private static long stepOf(TestRank rank) {
        return ((NetResources) rank.end.connection.resources()).step;
    }
}
