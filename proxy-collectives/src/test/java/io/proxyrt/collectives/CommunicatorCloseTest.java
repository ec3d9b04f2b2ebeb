/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.runtime.CloseReport;
import io.proxyrt.testkit.Extent;
import io.proxyrt.testkit.Holdings;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What was launched is done when a communicator closes, or stands in the report, whatever carries it. */
@Tag(Extent.SCALED)
class CommunicatorCloseTest {
    private static final int INTS = 1 << 20;
    private static final Duration LONG = Duration.ofSeconds(8);
    private static final Duration SHORT = Duration.ofMillis(200);

    @TempDir
    Path directory;

    private final CountDownLatch isClosed = new CountDownLatch(1);

    @ParameterizedTest
    @MethodSource("io.proxyrt.collectives.Way#all")
    void shouldDeliverWhatWasSentBefore(Way way, ThreadingMode mode) throws Exception {
        List<Throwable> outcomes = InProcessRanks.outcomes(way.configs(directory, mode), comm -> {
            MemorySegment buffer = ints(comm, comm.rank() == 0);
            if (comm.rank() == 0) {
                comm.send(buffer, 1);
                CloseReport report = comm.close(LONG);
                isClosed.countDown();
                assertTrue(report.isClean(), report.toString());
            } else {
                comm.recv(buffer, 0);
                comm.synchronize();
                assertInts(buffer);
            }
        });
        outcomes.forEach(outcome -> assertNull(outcome, () -> String.valueOf(outcome)));
    }

    /** What fits the slots of a connection is there, though its sender has gone before the receiver looked. */
    @ParameterizedTest
    @MethodSource("io.proxyrt.collectives.Way#all")
    void shouldLeaveWhatWasSentToAPeerThatReadsLater(Way way, ThreadingMode mode) throws Exception {
        List<Throwable> outcomes = InProcessRanks.outcomes(way.configs(directory, mode), comm -> {
            MemorySegment buffer = Way.memory(comm, 4 * 64);
            comm.sendRecv(buffer.asSlice(0, 4), 1 - comm.rank(), buffer.asSlice(64, 4), 1 - comm.rank());
            comm.synchronize();
            if (comm.rank() == 0) {
                for (int i = 0; i < 64; i++) {
                    buffer.setAtIndex(JAVA_INT, i, i);
                }
                comm.send(buffer, 1);
                CloseReport report = comm.close(LONG);
                isClosed.countDown();
                assertTrue(report.isClean(), report.toString());
            } else {
                assertTrue(isClosed.await(30, TimeUnit.SECONDS));
                comm.recv(buffer, 0);
                comm.synchronize();
                for (int i = 0; i < 64; i++) {
                    assertEquals(i, buffer.getAtIndex(JAVA_INT, i));
                }
            }
        });
        outcomes.forEach(outcome -> assertNull(outcome, () -> String.valueOf(outcome)));
    }

    @ParameterizedTest
    @MethodSource("io.proxyrt.collectives.Way#all")
    void shouldSayThatNoRankJoined(Way way, ThreadingMode mode) throws Exception {
        long[] tookNs = new long[1];
        List<Throwable> outcomes = InProcessRanks.outcomes(way.configs(directory, mode), comm -> {
            MemorySegment buffer = ints(comm, true);
            comm.allReduce(buffer, buffer, 1 << 17, DataType.INT32, RedOp.SUM);
            comm.synchronize();
            if (comm.rank() == 0) {
                comm.allReduce(buffer, buffer, INTS, DataType.INT32, RedOp.SUM);
                long start = System.nanoTime();
                CloseReport report = comm.close(SHORT);
                tookNs[0] = System.nanoTime() - start;
                isClosed.countDown();
                assertFalse(report.isClean());
                assertTrue(report.abandoned().getFirst().contains(" launched and not finished"), report.toString());
            } else {
                assertTrue(isClosed.await(30, TimeUnit.SECONDS));
                comm.recv(buffer, 0);
                comm.synchronize();
            }
        });
        assertNull(outcomes.getFirst(), () -> String.valueOf(outcomes.getFirst()));
        assertTrue(tookNs[0] < TimeUnit.SECONDS.toNanos(10), tookNs[0] + " ns for closing");
        assertNotNull(outcomes.getLast());
        String told = outcomes.getLast().getMessage();
        assertTrue(told.contains("rank 0") && told.contains("launched and not finished"), told);
    }

    /** The one that waits gets an error, and closing does not wait for its peer. */
    @ParameterizedTest
    @MethodSource("io.proxyrt.collectives.Way#extremes")
    void shouldAbortTheCallOfAnotherThread(Way way, ThreadingMode mode) throws Exception {
        List<Throwable> outcomes = InProcessRanks.outcomes(way.configs(directory, mode), comm -> {
            MemorySegment buffer = ints(comm, true);
            comm.allReduce(buffer, buffer, 1 << 17, DataType.INT32, RedOp.SUM);
            comm.synchronize();
            if (comm.rank() == 1) {
                assertTrue(isClosed.await(30, TimeUnit.SECONDS));
                return;
            }
            comm.allReduce(buffer, buffer, INTS, DataType.INT32, RedOp.SUM);
            CompletableFuture<Void> waiting = new CompletableFuture<>();
            CompletableFuture<ProxyException> error = new CompletableFuture<>();
            Thread.ofPlatform().name("waiter").start(() -> {
                waiting.complete(null);
                error.complete(assertThrows(ProxyException.class, comm::synchronize));
            });
            waiting.join();
            CloseReport report = comm.close(Duration.ZERO);
            isClosed.countDown();
            assertFalse(report.isClean());
            String told = error.get(30, TimeUnit.SECONDS).getMessage();
            assertTrue(told.contains("rank 0") && told.contains("closed"), told);
        });
        assertNull(outcomes.getFirst(), () -> String.valueOf(outcomes.getFirst()));
    }

    /** An interruption shortens nothing, and is not lost. */
    @ParameterizedTest
    @MethodSource("io.proxyrt.collectives.Way#extremes")
    void shouldCloseOnAnInterruptedThreadAsOnAnyOther(Way way, ThreadingMode mode) throws Exception {
        Holdings[] before = new Holdings[1];
        for (int turn = 0; turn < 2; turn++) {
            List<Throwable> outcomes = InProcessRanks.outcomes(way.configs(directory, mode), comm -> {
                MemorySegment buffer = ints(comm, true);
                comm.allReduce(buffer, buffer, INTS, DataType.INT32, RedOp.SUM);
                Thread.currentThread().interrupt();
                CloseReport report = comm.close(LONG);
                assertTrue(Thread.interrupted());
                assertTrue(report.isClean(), report.toString());
            });
            outcomes.forEach(outcome -> assertNull(outcome, () -> String.valueOf(outcome)));
            before[0] = turn == 0 ? Holdings.now() : before[0];
        }
        assertEquals(before[0], Holdings.now());
    }

    @Test
    void shouldRefuseEveryUseAfterwards() throws Exception {
        List<ProxyConfig> configs = Way.SHM.configs(directory, ThreadingMode.DEDICATED);
        List<Throwable> outcomes = InProcessRanks.outcomes(configs, comm -> {
            DeviceMemory memory = comm.allocate(1 << 20);
            Registration registration = comm.register(comm.proxy().device().allocateShareable(4096));
            MemorySegment buffer = memory.segment();
            comm.close();
            int peer = 1 - comm.rank();
            Stream.<Executable>of(() -> comm.allReduce(buffer, buffer, 1, DataType.INT32, RedOp.SUM),
                    () -> comm.allGather(buffer, buffer, 1, DataType.INT32),
                    () -> comm.reduceScatter(buffer, buffer, 1, DataType.INT32, RedOp.SUM),
                    () -> comm.broadcast(buffer, buffer, 1, DataType.INT32, 0),
                    () -> comm.send(buffer, peer), () -> comm.recv(buffer, peer),
                    () -> comm.sendRecv(buffer, peer, buffer, peer), comm::synchronize, comm::barrier,
                    () -> comm.allocate(64), () -> comm.register(memory), () -> comm.explain(peer),
                    () -> comm.proxy().poster(), () -> comm.proxy().stream("late"), () -> comm.proxy().client(),
                    () -> comm.proxy().connector(new ConnectorRequest(Direction.SEND, comm.proxy().peerInfo(),
                            comm.proxy().peerInfo(), 0, 0), null), () -> comm.proxy().audit(),
                    () -> comm.proxy().memory().export(memory, Set.of(peer)), () -> comm.proxy().active(),
                    () -> comm.proxy().health(Duration.ZERO),
                    () -> comm.proxy().threads()).forEach(CommunicatorCloseTest::assertClosed);
            registration.close();
            memory.close();
            comm.abort("too late");
            comm.proxy().abort(new ProxyException(ProxyResult.INVALID_USAGE, "too late"));
            assertTrue(comm.close(Duration.ZERO).isClean());
        });
        outcomes.forEach(outcome -> assertNull(outcome, () -> String.valueOf(outcome)));
    }

    private static void assertClosed(Executable call) {
        ProxyException refusal = assertThrows(ProxyException.class, call);
        assertEquals(ProxyResult.INVALID_USAGE, refusal.result(), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("closed"), refusal.getMessage());
    }

    private static MemorySegment ints(Communicator comm, boolean isFilled) {
        MemorySegment memory = Way.memory(comm, 4L * INTS);
        for (int i = 0; i < INTS; i++) {
            memory.setAtIndex(JAVA_INT, i, isFilled ? i : -1);
        }
        return memory;
    }

    private static void assertInts(MemorySegment memory) {
        for (int i = 0; i < INTS; i++) {
            if (memory.getAtIndex(JAVA_INT, i) != i) {
                assertEquals(i, memory.getAtIndex(JAVA_INT, i), "at " + i);
            }
        }
    }
}
