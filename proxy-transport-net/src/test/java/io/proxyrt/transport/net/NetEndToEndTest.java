/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two transports, as two runtimes have them, connected over loopback and driven by one thread. */
class NetEndToEndTest {
    @TempDir
    Path folder;

    private TestRank sender;
    private TestRank receiver;

    @BeforeEach
    void connect() {
        sender = new TestRank(Direction.SEND, null, folder);
        receiver = new TestRank(Direction.RECV, null, folder);
        TestRank.connect(sender, receiver);
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
    }

    @Test
    void shouldCarryOpsOfEverySizeAndRounding() {
        long seed = 0;
        for (int slice : new int[] {1, 2, 4}) {
            for (int nsteps = slice; nsteps < 40; nsteps += 3 * slice) {
                transfer(nsteps, slice, slice * (nsteps % 2 == 0 ? 1 : 2), ++seed);
            }
        }
        assertTrue(sender.counters.get(Counter.NET_BYTES_SENT) > 0);
        assertEquals(sender.counters.get(Counter.NET_BYTES_SENT), receiver.counters.get(Counter.NET_BYTES_RECEIVED));
        assertEquals(sender.counters.get(Counter.NET_ISENDS), receiver.counters.get(Counter.NET_IRECVS));
    }

    @Test
    void shouldServeKernelsOnThreadsOfTheirOwn() throws Exception {
        int nsteps = 4000;
        ProxyArgs send = sender.op(nsteps, 2, 4);
        ProxyArgs recv = receiver.op(nsteps, 2, 4);
        SimulatedKernel writer = SimulatedKernel.sending(sender.kernelEnd(), nsteps, 2, 4, 99);
        SimulatedKernel reader = SimulatedKernel.receiving(receiver.kernelEnd(), nsteps, 2, 4, 99);
        ExecutorService gpu = Executors.newFixedThreadPool(2);
        try {
            Future<?> writing = gpu.submit(() -> run(writer, nsteps));
            Future<?> reading = gpu.submit(() -> run(reader, nsteps));
            while (send.state != State.NONE || recv.state != State.NONE) {
                assertNotEquals(Future.State.FAILED, writing.state(), () -> writing.exceptionNow().toString());
                assertNotEquals(Future.State.FAILED, reading.state(), () -> reading.exceptionNow().toString());
                if (sender.advance(send) + receiver.advance(recv) == 0) {
                    Thread.yield();
                }
            }
            writing.get();
            reading.get();
        } finally {
            gpu.shutdownNow();
        }
    }

    @Test
    void shouldFailAnOpWhoseReceiverIsGone() {
        ProxyArgs send = sender.op(1000, 1, 1);
        receiver.free();
        int result = 0;
        for (long step = 0; result >= 0; step++) {
            if (sender.kernelEnd().sendMem().head() + DeviceConnection.STEPS > step) {
                sender.kernelEnd().recvMem().size((int) (step % DeviceConnection.STEPS), 100);
                sender.kernelEnd().recvMem().tail(step + 1);
            }
            result = sender.advance(send);
        }
        assertEquals(-ProxyResult.REMOTE_ERROR.code(), result);
    }

    @Test
    void shouldFailAnOpWhoseSenderIsGone() {
        ProxyArgs recv = receiver.op(1, 1, 1);
        sender.free();
        int result = 0;
        while (result >= 0) {
            result = receiver.advance(recv);
        }
        assertEquals(-ProxyResult.REMOTE_ERROR.code(), result);
    }

    @Test
    void shouldAllocateNothingInSteadyState() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assumeTrue(threads.isThreadAllocatedMemoryEnabled());
        int steps = 20_000;
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 100 && allocated >= steps / 10; round++) {
            ProxyArgs send = sender.op(steps, 1, 1);
            ProxyArgs recv = receiver.op(steps, 1, 1);
            long before = threads.getCurrentThreadAllocatedBytes();
            flow(send, recv, (long) round * steps);
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertTrue(allocated < steps / 10, allocated + " bytes for " + steps + " steps");
    }

    private void transfer(int nsteps, int slice, int chunk, long seed) {
        ProxyArgs send = sender.op(nsteps, slice, chunk);
        ProxyArgs recv = receiver.op(nsteps, slice, chunk);
        SimulatedKernel writer = SimulatedKernel.sending(sender.kernelEnd(), nsteps, slice, chunk, seed);
        SimulatedKernel reader = SimulatedKernel.receiving(receiver.kernelEnd(), nsteps, slice, chunk, seed);
        while (send.state != State.NONE || recv.state != State.NONE) {
            writer.step();
            assertTrue(sender.advance(send) >= 0, send::toString);
            assertTrue(receiver.advance(recv) >= 0, recv::toString);
            reader.step();
        }
        assertEquals(nsteps, writer.steps());
        assertEquals(nsteps, reader.steps());
    }

    private static void run(SimulatedKernel kernel, int nsteps) {
        while (kernel.steps() < nsteps && !Thread.currentThread().isInterrupted()) {
            if (!kernel.step()) {
                Thread.yield();
            }
        }
    }

    /** Kernels that neither write nor look, from an absolute step on. */
    private void flow(ProxyArgs send, ProxyArgs recv, long base) {
        long step = base;
        while (send.state != State.NONE || recv.state != State.NONE) {
            if (sender.kernelEnd().sendMem().head() + DeviceConnection.STEPS > step) {
                sender.kernelEnd().recvMem().size((int) (step % DeviceConnection.STEPS), step % 3000);
                sender.kernelEnd().recvMem().tail(++step);
            }
            sender.advance(send);
            receiver.advance(recv);
            receiver.kernelEnd().sendMem().head(receiver.kernelEnd().recvMem().tail());
        }
    }
}
