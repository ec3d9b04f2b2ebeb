/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxySubArgs;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Neither progress function allocates anything for a step, of whatever kind, once it is compiled. */
class NetAllocationTest {
    private static final int STEPS = 30_000;
    private static final int MAX_ROUNDS = 100;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final List<TestEnd> sends = new ArrayList<>();
    private final List<TestEnd> recvs = new ArrayList<>();

    @TempDir
    Path folder;

    @ParameterizedTest(name = "{0}, {1} subs, {2} receives grouped, shared {3}, user memory {4}")
    @CsvSource({"SIMPLE, 1, 1, false, false", "SIMPLE, 1, 1, false, true", "LL, 1, 1, false, false",
            "LL128, 1, 1, false, false", "SIMPLE, 4, 1, true, false", "SIMPLE, 20, 8, true, true"})
    void shouldAllocateNothingForAStep(Protocol protocol, int subs, int maxRecvs, boolean isShared, boolean usesUser) {
        assumeTrue(threads.isThreadAllocatedMemoryEnabled());
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.BUFFER_BYTES, 32L << 10)
                .set(NetOptions.SHARED_BUFFERS, 1).set(NetOptions.P2P_CHUNK_BYTES, 1024L)
                .set(CoreOptions.LL_BUFFER_BYTES, 4096L).set(CoreOptions.LL128_BUFFER_BYTES, 4096L).build();
        ManualNet net = new ManualNet(maxRecvs);
        try (Counters counters = Counters.create(folder.resolve("counters"), "test", 0, 2);
                TestProxy sender = new TestProxy(0, config, net, counters);
                TestProxy receiver = new TestProxy(1, config, net, counters)) {
            for (int i = 0; i < subs; i++) {
                sends.add(sender.end(Direction.SEND, 10 + i, 1, 0, isShared ? 1 : 0));
                recvs.add(receiver.end(Direction.RECV, 1, 10 + i, 0, isShared ? 1 : 0));
                TestEnd.connect(sends.get(i), recvs.get(i));
            }
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < MAX_ROUNDS && allocated >= STEPS; round++) {
                allocated = carry(net, protocol, usesUser);
            }
            assertTrue(allocated < STEPS, allocated + " bytes for " + STEPS + " steps");
        }
    }

    /** Returns what the passes of both proxies allocate, and the kernels with them. */
    private long carry(ManualNet net, Protocol protocol, boolean usesUser) {
        int nsteps = STEPS / sends.size();
        ProxyArgs out = null;
        ProxyArgs in = null;
        List<SimulatedKernel> kernels = new ArrayList<>();
        for (int i = 0; i < sends.size(); i++) {
            SimulatedKernel.Op op = new SimulatedKernel.Op(protocol, nsteps, 1, 1, i);
            out = add(out, sends.get(i), op);
            in = add(in, recvs.get(i), op);
            kernels.add(SimulatedKernel.sending(sends.get(i).kernelEnd, op, usesUser ? user(sends.get(i), out, i)
                    : null));
            kernels.add(SimulatedKernel.receiving(recvs.get(i).kernelEnd, op, usesUser ? user(recvs.get(i), in, i)
                    : null));
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        run(net, out, in, kernels);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertEquals(sends.size(), in.done);
        return allocated;
    }

    private void run(ManualNet net, ProxyArgs out, ProxyArgs in, List<SimulatedKernel> kernels) {
        TestProxy sender = sends.getFirst().proxy;
        TestProxy receiver = recvs.getFirst().proxy;
        while (out.state != State.NONE || in.state != State.NONE) {
            for (int i = 0; i < kernels.size(); i++) {
                kernels.get(i).step();
            }
            for (int i = 0; i < net.wires.size(); i++) {
                net.wires.get(i).deliver();
                net.wires.get(i).complete();
            }
            assertTrue(sender.advance(out) >= 0);
            assertTrue(receiver.advance(in) >= 0);
        }
    }

    private static ProxyArgs add(ProxyArgs group, TestEnd end, SimulatedKernel.Op op) {
        long bytes = end.kernelEnd.stepBytes(op.protocol());
        if (group == null) {
            return ProxyArgs.of(end.connection, 2, op.nsteps(), 1, 1, bytes).protocol(op.protocol());
        }
        group.add(end.connection, op.nsteps(), bytes);
        return group;
    }

    /** On the sending side both buffers of the op, one behind the other. */
    private static MemorySegment user(TestEnd end, ProxyArgs args, int index) {
        long bytes = 2 * DeviceConnection.STEPS * end.kernelEnd.stepBytes(Protocol.SIMPLE);
        ProxySubArgs sub = args.sub(index);
        sub.reg = true;
        sub.recvMhandle = end.register(end.proxy.device.allocate(bytes), 0, bytes).handle();
        sub.sendMhandle = end.request.direction() == Direction.SEND ? sub.recvMhandle : 0;
        sub.recvbuff = end.request.direction() == Direction.SEND ? bytes / 2 : 0;
        return end.connection.registration(sub.recvMhandle).range();
    }
}
