/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxySubArgs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Collectives, one behind the other, at some heads. Each head's sends, receives and kernels go on in an order that the
 * seed decides, as if each had a thread of its own. One thread.
 */
final class CollNetSimulation {
    private static final int MAX_IDLE = 200_000;

    private final List<TestHead> heads;
    private final SplittableRandom random;
    private final List<List<AtHead>> collectives = new ArrayList<>();
    /** Of each head, by channel and direction. */
    private final List<List<ArrayDeque<TestKernel>>> kernels = new ArrayList<>();
    private long opCount;
    private int idle;

    CollNetSimulation(List<TestHead> heads, long seed) {
        this.heads = heads;
        this.random = new SplittableRandom(seed);
        for (TestHead head : heads) {
            collectives.add(new ArrayList<>());
            kernels.add(Stream.generate(ArrayDeque<TestKernel>::new).limit(head.ends.size()).toList());
        }
    }

    /** A collective at one head. */
    static final class AtHead {
        final TestCollective collective;
        final int rank;
        final ProxyArgs send;
        final ProxyArgs recv;
        final MemorySegment output;
        final List<TestKernel> kernels = new ArrayList<>();

        private AtHead(TestCollective collective, TestHead head, long opCount) {
            this.collective = collective;
            this.rank = head.rank;
            this.send = collective.args(head, Direction.SEND, opCount);
            this.recv = collective.args(head, Direction.RECV, opCount);
            this.output = Arena.ofAuto().allocate(Math.max(1, collective.outputBytes()), 8);
            MemorySegment input = collective.input(head.rank);
            for (int i = 0; i < collective.channels().length; i++) {
                kernels.add(TestKernel.receiving(collective, head, i, output));
                kernels.add(TestKernel.sending(collective, head, i, input));
            }
        }

        boolean isDone() {
            boolean isOver = send.state == State.NONE && recv.state == State.NONE;
            return isOver && kernels.stream().allMatch(TestKernel::isDone);
        }

        void check() {
            assertArrayEquals(collective.expected(rank),
                    output.asSlice(0, collective.outputBytes()).toArray(ValueLayout.JAVA_BYTE),
                    () -> "what head " + rank + " got of " + collective);
        }
    }

    /** Queues a collective at all heads. */
    void add(TestCollective collective) {
        opCount += 2;
        for (int i = 0; i < heads.size(); i++) {
            queue(i, new AtHead(collective, heads.get(i), opCount));
        }
    }

    /** Queues one at one head; returns it. */
    AtHead add(int head, TestCollective collective) {
        AtHead added = new AtHead(collective, heads.get(head), 2);
        queue(head, added);
        return added;
    }

    private void queue(int head, AtHead at) {
        collectives.get(head).add(at);
        for (int i = 0; i < at.kernels.size(); i++) {
            kernels.get(head).get(2 * at.collective.channels()[i / 2] + i % 2).add(at.kernels.get(i));
        }
    }

    /** Runs until all is done, and checks what came out. */
    void run() {
        while (!isDone()) {
            int result = step();
            assertTrue(result >= 0, () -> "failed with " + result + ": " + describe());
            assertTrue(idle < MAX_IDLE, () -> "nothing moves: " + describe());
        }
        collectives.stream().flatMap(List::stream).forEach(AtHead::check);
    }

    private boolean isDone() {
        for (List<AtHead> queue : collectives) {
            if (!queue.getLast().isDone()) {
                return false;
            }
        }
        return collectives.stream().flatMap(List::stream).allMatch(AtHead::isDone);
    }

    /** Runs until an op fails; returns the negated code. */
    int runToFailure() {
        int result = 0;
        while (result >= 0) {
            result = step();
            assertTrue(idle < MAX_IDLE, () -> "nothing moves: " + describe());
        }
        return result;
    }

    /** What some part of some head does next; returns what a progress function did, or else 0. */
    int step() {
        int head = random.nextInt(heads.size());
        List<AtHead> queue = collectives.get(head);
        int result = 0;
        switch (random.nextInt(4)) {
            case 0 -> result = advance(heads.get(head), queue, true);
            case 1 -> result = advance(heads.get(head), queue, false);
            default -> runKernel(kernels.get(head));
        }
        idle = result == 0 ? idle + 1 : 0;
        return result;
    }

    private int advance(TestHead head, List<AtHead> queue, boolean isSend) {
        for (AtHead at : queue) {
            ProxyArgs args = isSend ? at.send : at.recv;
            if (args.state != State.NONE) {
                long before = sum(args);
                int result = head.advance(args);
                check(args, before, result);
                return result;
            }
        }
        return 0;
    }

    private static long sum(ProxyArgs args) {
        long sum = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            sum += sub.posted + sub.received + sub.transmitted + sub.done;
        }
        return sum;
    }

    private static void check(ProxyArgs args, long before, int result) {
        if (result < 0) {
            return;
        }
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            assertTrue(0 <= sub.done && sub.done <= sub.transmitted && sub.transmitted <= sub.received
                    && sub.received <= sub.posted && sub.posted <= sub.nsteps && sub.posted <= sub.done + 8,
                    sub::toString);
        }
        assertTrue(result > 0 == sum(args) > before || args.sub(0).reg, () -> result + " moved: " + args);
    }

    /** The kernels of a channel and direction run one behind the other, those of others beside them. */
    private void runKernel(List<ArrayDeque<TestKernel>> connections) {
        ArrayDeque<TestKernel> kernels = connections.get(random.nextInt(connections.size()));
        if (!kernels.isEmpty() && kernels.getFirst().step()) {
            idle = 0;
            if (kernels.getFirst().isDone()) {
                kernels.removeFirst();
            }
        }
    }

    private String describe() {
        StringBuilder text = new StringBuilder();
        for (List<AtHead> queue : collectives) {
            for (AtHead at : queue) {
                text.append("\n").append(at.send).append("\n").append(at.recv).append("\n").append(at.kernels);
            }
        }
        return text.toString();
    }
}
