/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.Direction;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What copy-engine mode allocates in steady state: nothing for a step, by the CPU as by streams of the host device. */
class CopyAllocationTest {
    private static final int STEPS = 5000;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"0", "1M"})
    void shouldAllocateNothing(String cpuBytes) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assumeTrue(threads.isThreadAllocatedMemoryEnabled());
        Map<String, String> options = Map.of("shm.use.memcpy", "1", "shm.memcpy.mode", "3", "shm.cpu.copy.bytes",
                cpuBytes);
        TestHost host = new TestHost();
        try (TestProxy one = new TestProxy(0, host, new HostDevice(0), folder, options);
                TestProxy other = new TestProxy(1, host, new HostDevice(1), folder, options)) {
            TestEnd sender = one.end(Direction.SEND, 1, 0);
            TestEnd receiver = other.end(Direction.RECV, 0, 0);
            TestEnd.connect(sender, receiver);
            flow(sender, receiver);
            long least = Long.MAX_VALUE;
            for (int round = 0; round < 50 && least >= STEPS; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                flow(sender, receiver);
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertTrue(least < STEPS, least + " bytes for " + STEPS + " steps");
        }
    }

    /** Kernels that neither write nor look. */
    private static void flow(TestEnd sender, TestEnd receiver) {
        ProxyArgs send = ProxyArgs.of(sender.connection, 2, STEPS, 1, 1, 1);
        ProxyArgs recv = ProxyArgs.of(receiver.connection, 2, STEPS, 1, 1, 1);
        DeviceConnection from = sender.kernelEnd;
        DeviceConnection to = receiver.kernelEnd;
        for (long step = from.step(); send.state != State.NONE || recv.state != State.NONE; ) {
            if (step < from.step() + STEPS && from.sendMem().head() + DeviceConnection.STEPS > step) {
                from.recvMem().size((int) (step % DeviceConnection.STEPS), step % 3000);
                from.recvMem().tail(++step);
            }
            if (sender.proxy.advance(send) + receiver.proxy.advance(recv) == 0) {
                Thread.yield();
            }
            to.sendMem().head(to.recvMem().tail());
        }
        from.step(from.step() + STEPS);
    }
}
