/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Direction;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Neither progress function allocates anything for a step, once it is compiled. */
class AllocationTest {
    private static final int STEPS = 2_000;
    private static final int CHANNELS = 9;
    private static final int MAX_ROUNDS = 100;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(value = CollFunction.class, names = {"ALL_REDUCE", "ALL_GATHER", "REDUCE_SCATTER"})
    void shouldAllocateNothingForAStep(CollFunction function) {
        assumeTrue(threads.isThreadAllocatedMemoryEnabled());
        SimulatedCollNet net = new SimulatedCollNet(1);
        net.patience = 0;
        try (TestHeads heads = TestHeads.connected(folder, net, 2, CHANNELS)) {
            TestCollective collective = TestCollective.of(function, CHANNELS, 16, 16L * CHANNELS * STEPS, 2, 1);
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < MAX_ROUNDS && allocated >= STEPS; round++) {
                allocated = carry(heads.all, collective);
            }
            assertTrue(allocated < STEPS, allocated + " bytes for " + STEPS + " steps");
        }
    }

    /** Returns what the passes of both heads allocate, and the kernels with them. */
    private long carry(List<TestHead> heads, TestCollective collective) {
        List<ProxyArgs> args = new ArrayList<>();
        List<TestKernel> kernels = new ArrayList<>();
        for (TestHead head : heads) {
            args.add(collective.args(head, Direction.SEND, 2));
            args.add(collective.args(head, Direction.RECV, 2));
            MemorySegment data = Arena.ofAuto().allocate(collective.all(), 8);
            for (int i = 0; i < CHANNELS; i++) {
                kernels.add(TestKernel.sending(collective, head, i, data));
                kernels.add(TestKernel.receiving(collective, head, i, data));
            }
        }
        pass(heads, args, kernels);
        long before = threads.getCurrentThreadAllocatedBytes();
        boolean isOver = false;
        while (!isOver) {
            isOver = pass(heads, args, kernels);
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static boolean pass(List<TestHead> heads, List<ProxyArgs> args, List<TestKernel> kernels) {
        boolean isOver = true;
        for (int i = 0; i < kernels.size(); i++) {
            kernels.get(i).step();
        }
        for (int i = 0; i < args.size(); i++) {
            assertTrue(heads.get(i / 2).advance(args.get(i)) >= 0);
            isOver &= args.get(i).state == State.NONE;
        }
        return isOver;
    }
}
