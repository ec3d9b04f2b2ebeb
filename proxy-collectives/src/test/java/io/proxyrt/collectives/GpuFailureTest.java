/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong with kernels on a GPU ends in time, and says what it was. */
class GpuFailureTest {
    private static final int COUNT = 50_000;
    private static final Duration LONG = Duration.ofMinutes(5);

    @TempDir
    Path directory;

    private final CountDownLatch isOver = new CountDownLatch(1);

    private List<ProxyConfig> configs(String protocol, Duration limit, Duration standstill) {
        return IntStream.range(0, 2).mapToObj(rank -> GpuRanks.config(directory, ThreadingMode.INVOKER, "SHM", rank)
                .set("coll.protocol", protocol).set(CollectivesOptions.GPU_TIMEOUT, limit)
                .set(CollectivesOptions.TIMEOUT, standstill).build()).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "LL", "LL128", "Simple"})
    void shouldGiveUpAtTheLimitAndSayWhatItWaitedFor(String protocol) throws Exception {
        List<Throwable> failures = alone(configs(protocol, Duration.ofMillis(200), Duration.ofSeconds(20)));
        ProxyException failure = assertInstanceOf(ProxyException.class, failures.get(0));
        assertEquals(ProxyResult.TIMEOUT, failure.result(), failure.getMessage());
        assertTrue(failure.getMessage().contains("coll.gpu.timeout"), failure.getMessage());
        assertTrue(failure.getMessage().contains("from rank 1"), failure.getMessage());
        assertNotNull(failures.get(1));
    }

    @Test
    void shouldSayWhatKernelsWaitForWhenNothingMoves() throws Exception {
        List<Throwable> failures = alone(configs("Simple", LONG, Duration.ofMillis(1500)));
        String message = failures.get(0).getMessage();
        assertTrue(message.contains("nothing has moved for 1500 ms"), message);
        assertTrue(message.contains("kernels: block 0 of launch"), message);
        assertTrue(message.contains("waits for tail of step 0 from rank 1"), message);
    }

    /** Rank 1 does not come. */
    private List<Throwable> alone(List<ProxyConfig> configs) throws Exception {
        return InProcessRanks.failures(configs, comm -> {
            MemorySegment buffer = comm.allocate(4L * COUNT).range();
            comm.allReduce(buffer, buffer, 1, DataType.FLOAT32, RedOp.SUM);
            comm.synchronize();
            if (comm.rank() == 1) {
                assertTrue(isOver.await(20, TimeUnit.SECONDS));
                return;
            }
            try {
                comm.allReduce(buffer, buffer, COUNT, DataType.FLOAT32, RedOp.SUM);
                comm.synchronize();
            } finally {
                isOver.countDown();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "LL", "LL128", "Simple"})
    void shouldEndKernelsWhenAnotherRankAborts(String protocol) throws Exception {
        long[] tookNs = new long[1];
        List<Throwable> failures = InProcessRanks.failures(configs(protocol, LONG, Duration.ofSeconds(20)), comm -> {
            MemorySegment buffer = comm.allocate(4L * COUNT).range();
            comm.allReduce(buffer, buffer, 1, DataType.FLOAT32, RedOp.SUM);
            comm.synchronize();
            if (comm.rank() == 1) {
                comm.abort("enough");
                return;
            }
            try {
                comm.allReduce(buffer, buffer, COUNT, DataType.FLOAT32, RedOp.SUM);
                assertThrows(ProxyException.class, comm::synchronize);
            } finally {
                long start = System.nanoTime();
                comm.close();
                tookNs[0] = System.nanoTime() - start;
            }
        });
        assertNotNull(failures.get(1));
        assertTrue(tookNs[0] < TimeUnit.SECONDS.toNanos(5), tookNs[0] + " ns for closing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "LL", "LL128", "Simple"})
    void shouldEndKernelsThatWaitForARankThatLeft(String protocol) throws Exception {
        List<Throwable> failures = InProcessRanks.failures(configs(protocol, LONG, Duration.ofSeconds(50)), comm -> {
            MemorySegment buffer = comm.allocate(4L * COUNT).range();
            comm.allReduce(buffer, buffer, 1, DataType.FLOAT32, RedOp.SUM);
            comm.synchronize();
            if (comm.rank() == 1) {
                throw new IllegalStateException("a bug of the user's");
            }
            comm.allReduce(buffer, buffer, COUNT, DataType.FLOAT32, RedOp.SUM);
            comm.synchronize();
        });
        ProxyException failure = assertInstanceOf(ProxyException.class, failures.get(0));
        assertEquals(ProxyResult.REMOTE_ERROR, failure.result(), failure.getMessage());
        assertTrue(failure.getMessage().contains("left: it closed its runtime"), failure.getMessage());
        assertTrue(failure.getMessage().contains("from rank 1"), failure.getMessage());
        assertInstanceOf(IllegalStateException.class, failures.get(1));
    }

    /** Else the first kernel that touches it costs the process its device. */
    @Test
    void shouldRefuseMemoryThatTheGpuDoesNotReach() throws Exception {
        InProcessRanks.run(2, configs("auto", LONG, LONG).get(0), comm -> {
            int peer = 1 - comm.rank();
            MemorySegment good = comm.allocate(64).range();
            MemorySegment pageable = Arena.ofAuto().allocate(64);
            String unreached = "rank " + comm.rank() + ": %s is in no memory of " + comm.proxy().device().name();
            assertRefused("sendBuffer is on the Java heap", () -> comm.allReduce(MemorySegment.ofArray(new float[4]),
                    good, 4, DataType.FLOAT32, RedOp.SUM));
            assertRefused(unreached.formatted("sendBuffer"),
                    () -> comm.allReduce(pageable, good, 4, DataType.FLOAT32, RedOp.SUM));
            assertRefused(unreached.formatted("recvBuffer"), () -> comm.allGather(good, pageable, 4, DataType.INT8));
            assertRefused(unreached.formatted("buffer"), () -> comm.send(pageable, peer));
            assertRefused(unreached.formatted("buffer"), () -> comm.recv(pageable, peer));
            assertRefused(unreached.formatted("sendBuffer"), () -> comm.sendRecv(pageable, peer, good, peer));
            comm.sendRecv(pageable.asSlice(0, 0), peer, good.asSlice(0, 0), peer);
            try (DeviceMemory registered = comm.proxy().device().register(pageable)) {
                pageable.setAtIndex(JAVA_INT, 0, 20 + comm.rank());
                comm.allReduce(registered.segment(), pageable, 1, DataType.INT32, RedOp.SUM);
                comm.synchronize();
                assertEquals(41, pageable.getAtIndex(JAVA_INT, 0));
                comm.barrier();
            }
        });
    }

    private static void assertRefused(String why, Executable launch) {
        ProxyException refused = assertThrows(ProxyException.class, launch);
        assertEquals(ProxyResult.INVALID_ARGUMENT, refused.result());
        assertTrue(refused.getMessage().contains(why), refused.getMessage());
    }

    @Test
    void shouldRefuseToMixKernelsOfTheHostWithThoseOfGpus() throws Exception {
        List<ProxyConfig> configs = List.of(configs("auto", LONG, LONG).get(0),
                InProcessRanks.config(directory, ThreadingMode.INVOKER, "SHM").set(CollectivesOptions.CHANNELS, 2)
                        .build());
        for (Throwable failure : InProcessRanks.failures(configs, comm -> { })) {
            assertTrue(failure.getMessage().contains("kernels=of "), failure.getMessage());
        }
    }

    /** Of buffers that differ one rank would take less than the other sends. */
    @ParameterizedTest
    @CsvSource({"2097152, true", "1048576, false"})
    void shouldCompareTheBuffersThatGpusGet(long bytes, boolean isAlike) throws Exception {
        List<ProxyConfig> configs = List.of(defaultBuffers(0).with(CoreOptions.BUFFER_BYTES, bytes), defaultBuffers(1));
        for (Throwable failure : InProcessRanks.failures(configs, comm -> { })) {
            assertEquals(isAlike, failure == null, () -> "failed: " + failure);
            assertTrue(isAlike || failure.getMessage().contains(CoreOptions.BUFFER_BYTES + "=2097152"),
                    () -> failure.getMessage());
        }
    }

    private ProxyConfig defaultBuffers(int rank) {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of());
        GpuRanks.config(directory, ThreadingMode.INVOKER, "SHM", rank).build().settings().stream()
                .filter(setting -> !setting.source().equals("default") && setting.option() != CoreOptions.BUFFER_BYTES)
                .forEach(setting -> config.set(setting.option().key(), setting.text()));
        return config.build();
    }

    /** Work that was launched and not waited for is done all the same. */
    @Test
    void shouldFinishWhatRunsWhenItCloses() throws Exception {
        for (Throwable failure : InProcessRanks.failures(configs("Simple", LONG, LONG), comm -> {
            MemorySegment buffer = comm.allocate(4L * COUNT).range();
            comm.allReduce(buffer, buffer, COUNT, DataType.FLOAT32, RedOp.SUM);
        })) {
            assertNull(failure, () -> String.valueOf(failure));
        }
    }
}
