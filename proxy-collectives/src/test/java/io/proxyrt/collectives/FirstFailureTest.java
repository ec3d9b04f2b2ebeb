/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.runtime.CloseReport;
import io.proxyrt.testkit.Extent;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** After the first failure nothing lingers: no kernel, no rank that waits, no call that works. */
@Tag(Extent.SCALED)
class FirstFailureTest {
    private static final int COUNT = 50_000;
    /** Of what is over at once, on a busy machine too; less than the timeout of what would wait. */
    private static final long SOON_NS = TimeUnit.SECONDS.toNanos(8);

    @TempDir
    Path directory;

    private final CountDownLatch isOver = new CountDownLatch(1);

    private List<ProxyConfig> configs(Way way, ThreadingMode mode, int nRanks, Duration timeout) {
        return way.configs(directory, mode, nRanks, config -> config.set(CollectivesOptions.TIMEOUT, timeout));
    }

    @ParameterizedTest
    @MethodSource("io.proxyrt.collectives.Way#extremes")
    void shouldEndAllAfterATimeout(Way way, ThreadingMode mode) throws Exception {
        List<ProxyConfig> configs = configs(way, mode, 2, Duration.ofMillis(1500));
        List<Throwable> outcomes = outcomes(configs, comm -> assertFails(ProxyResult.TIMEOUT, comm));
        assertTrue(outcomes.getLast().getMessage().contains("nothing has moved for 1500 ms"), outcomes::toString);
    }

    @ParameterizedTest
    @MethodSource("io.proxyrt.collectives.Way#extremes")
    void shouldEndAllAfterAnInterruption(Way way, ThreadingMode mode) throws Exception {
        List<ProxyConfig> configs = configs(way, mode, 2, Duration.ofSeconds(40));
        List<Throwable> outcomes = outcomes(configs, comm -> {
            Thread.currentThread().interrupt();
            assertFails(ProxyResult.INVALID_USAGE, comm);
            assertTrue(Thread.interrupted(), "the interruption was swallowed");
        });
        assertTrue(outcomes.getLast().getMessage().contains("interrupted"), outcomes::toString);
    }

    /** Rank 1 does not come, and hears of it. */
    private List<Throwable> outcomes(List<ProxyConfig> configs, InProcessRanks.Body body) throws Exception {
        List<Throwable> outcomes = InProcessRanks.outcomes(configs, comm -> {
            MemorySegment buffer = Way.memory(comm, 4L * COUNT);
            comm.allReduce(buffer, buffer, COUNT, DataType.FLOAT32, RedOp.SUM);
            comm.synchronize();
            if (comm.rank() == 0) {
                comm.allReduce(buffer, buffer, COUNT, DataType.FLOAT32, RedOp.SUM);
                body.run(comm);
                isOver.countDown();
            } else {
                assertTrue(isOver.await(50, TimeUnit.SECONDS));
                comm.allReduce(buffer, buffer, COUNT, DataType.FLOAT32, RedOp.SUM);
                comm.synchronize();
            }
        });
        assertNull(outcomes.getFirst(), () -> String.valueOf(outcomes.getFirst()));
        assertNotNull(outcomes.getLast());
        assertTrue(outcomes.getLast().getMessage().contains("rank 0"), outcomes::toString);
        return outcomes;
    }

    private static void assertFails(ProxyResult result, Communicator comm) {
        ProxyException first = assertThrows(ProxyException.class, comm::synchronize);
        assertEquals(result, first.result(), first.getMessage());
        long start = System.nanoTime();
        MemorySegment buffer = MemorySegment.NULL;
        for (int i = 0; i < 3; i++) {
            assertSame(first, assertThrows(ProxyException.class, comm::synchronize));
            assertSame(first, assertThrows(ProxyException.class, comm::barrier));
            assertSame(first, assertThrows(ProxyException.class, () -> comm.allocate(64)));
            assertSame(first, assertThrows(ProxyException.class, () -> comm.send(buffer, 1)));
        }
        CloseReport report = comm.close(Duration.ofSeconds(30));
        long tookNs = System.nanoTime() - start;
        assertTrue(tookNs < SOON_NS, tookNs + " ns for what is over at once");
        assertFalse(report.isClean());
        assertTrue(report.abandoned().getFirst().contains(" launched and not finished"), report.toString());
    }

    private static void assertSame(ProxyException first, ProxyException later) {
        assertEquals(first.getMessage(), later.getMessage());
        assertEquals(first.result(), later.result());
    }

    /** The one that does not take part is named by all, also by those whose own partners wait for it. */
    @ParameterizedTest
    @EnumSource(names = {"DEDICATED", "INVOKER"})
    @Tag(Extent.ONLY_FULL)
    void shouldNameWhoDoesNotConnect(ThreadingMode mode) throws Exception {
        List<ProxyConfig> configs = configs(Way.SHM, mode, 4, Duration.ofMillis(1500));
        CountDownLatch others = new CountDownLatch(3);
        long start = System.nanoTime();
        List<Throwable> outcomes = InProcessRanks.outcomes(configs, comm -> {
            if (comm.rank() == 3) {
                assertTrue(others.await(50, TimeUnit.SECONDS));
                return;
            }
            MemorySegment buffer = Way.memory(comm, 64);
            try {
                comm.allReduce(buffer, buffer, 1, DataType.FLOAT32, RedOp.SUM);
            } finally {
                others.countDown();
            }
        });
        long tookNs = System.nanoTime() - start;
        assertTrue(tookNs < TimeUnit.SECONDS.toNanos(20), tookNs + " ns");
        for (Throwable outcome : outcomes.subList(0, 3)) {
            String message = String.valueOf(outcome);
            assertTrue(message.contains("rank 3 has not taken part within 1500 ms"), message);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DEDICATED", "INVOKER"})
    @Tag(Extent.ONLY_FULL)
    void shouldNameAPeerThatDoesNotConnect(ThreadingMode mode) throws Exception {
        List<ProxyConfig> configs = configs(Way.NET, mode, 2, Duration.ofMillis(1500));
        List<Throwable> outcomes = InProcessRanks.outcomes(configs, comm -> {
            if (comm.rank() == 1) {
                assertTrue(isOver.await(50, TimeUnit.SECONDS));
                return;
            }
            try {
                comm.send(Way.memory(comm, 64), 1);
            } finally {
                isOver.countDown();
            }
        });
        String message = String.valueOf(outcomes.getFirst());
        assertTrue(message.contains("rank 1 has not taken part within 1500 ms"), message);
    }
}
