/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("installed-gpu")
class FutureTest {
    private static final DataType TYPE = DataType.INT32;

    @TempDir
    Path directory;

    private List<ProxyConfig> configs(String device, String transport, int nRanks, ThreadingMode mode,
            Duration timeout) {
        if (!device.equals("host")) {
            GpuRanks.assumeRoomFor(nRanks);
        }
        return IntStream.range(0, nRanks).mapToObj(rank -> (device.equals("host")
                ? InProcessRanks.config(directory, mode, transport)
                : GpuRanks.config(directory, mode, transport, rank)).set(CollectivesOptions.TIMEOUT, timeout).build())
                .toList();
    }

    private void run(String device, String transport, int nRanks, InProcessRanks.Body body) throws Exception {
        for (Throwable failure : InProcessRanks.failures(configs(device, transport, nRanks, ThreadingMode.DEDICATED,
                Duration.ofSeconds(60)), body)) {
            if (failure != null) {
                throw new AssertionError("a rank failed", failure);
            }
        }
    }

    /** The communicators fail, and are meant to: what is asserted is what counts. */
    private void runFailing(String device, String transport, Duration timeout, InProcessRanks.Body body)
            throws Exception {
        Queue<AssertionError> wrong = new ConcurrentLinkedQueue<>();
        InProcessRanks.failures(configs(device, transport, 2, ThreadingMode.DEDICATED, timeout), comm -> {
            try {
                body.run(comm);
            } catch (AssertionError e) {
                wrong.add(e);
            }
        });
        if (!wrong.isEmpty()) {
            throw wrong.peek();
        }
    }

    private static ProxyException failure(CompletableFuture<Void> future) {
        return assertInstanceOf(ProxyException.class,
                assertThrows(ExecutionException.class, () -> future.get(60, TimeUnit.SECONDS)).getCause());
    }

    private static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @CsvSource({"host, SHM", "host, NET", "cuda, SHM", "cuda, NET"})
    void shouldCompleteOnceTheDataAreThere(String device, String transport) throws Exception {
        run(device, transport, 2, comm -> {
            try (RankBuffer data = new RankBuffer(comm, 400_000)) {
                MemorySegment ones = Arena.ofAuto().allocate(400_000, 8);
                IntStream.range(0, 100_000).forEach(i -> ones.setAtIndex(JAVA_INT, i, 1));
                data.write(ones);
                List<CompletableFuture<Void>> futures = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    futures.add(comm.groupAsync(calls -> calls.allReduce(data.range(), data.range(), 100_000, TYPE,
                            RedOp.SUM)));
                }
                get(futures.getLast());
                assertEquals(1 << 8, data.read(400_000).getAtIndex(JAVA_INT, 99_999));
                comm.barrier();
            }
        });
    }

    @Test
    void shouldLetWhatDependsOnItBlockAndCall() throws Exception {
        run("host", "SHM", 2, comm -> {
            MemorySegment data = comm.allocate(4).segment();
            data.set(JAVA_INT, 0, 1);
            AtomicReference<Thread> completer = new AtomicReference<>();
            CompletableFuture<Void> twice = comm.groupAsync(calls -> calls.allReduce(data, data, 1, TYPE, RedOp.SUM))
                    .thenRun(() -> {
                        completer.set(Thread.currentThread());
                        comm.allReduce(data, data, 1, TYPE, RedOp.SUM);
                        comm.synchronize();
                    });
            get(twice);
            assertEquals(4, data.get(JAVA_INT, 0));
            assertTrue(completer.get() == Thread.currentThread() || completer.get().isVirtual(),
                    () -> "it ran on " + completer.get());
        });
    }

    @ParameterizedTest
    @CsvSource({"host, SHM", "host, NET", "cuda, SHM"})
    void shouldFailWithTheRankThatGaveUpThoughNobodyWaits(String device, String transport) throws Exception {
        runFailing(device, transport, Duration.ofSeconds(60), comm -> {
            try (RankBuffer data = new RankBuffer(comm, 4)) {
                comm.allReduce(data.range(), data.range(), 1, TYPE, RedOp.SUM);
                comm.synchronize();
                if (comm.rank() == 0) {
                    ProxyException failure = failure(comm.groupAsync(calls -> calls.allReduce(data.range(),
                            data.range(), 1, TYPE, RedOp.SUM)));
                    assertTrue(failure.getMessage().contains("rank 1"), failure.getMessage());
                } else {
                    Thread.sleep(200);
                    comm.abort("enough");
                }
            }
        });
    }

    @Test
    void shouldEndInATimeoutThoughNobodyWaits() throws Exception {
        runFailing("host", "SHM", Duration.ofMillis(300), comm -> {
            MemorySegment data = comm.allocate(4).segment();
            comm.allReduce(data, data, 1, TYPE, RedOp.SUM);
            comm.synchronize();
            if (comm.rank() == 0) {
                ProxyException failure = failure(comm.groupAsync(calls -> calls.allReduce(data, data, 1, TYPE,
                        RedOp.SUM)));
                assertEquals(ProxyResult.TIMEOUT, failure.result(), failure::toString);
                assertTrue(failure.getMessage().contains("nothing has moved for 300 ms"), failure.getMessage());
            } else {
                Thread.sleep(5000);
            }
        });
    }

    @Test
    void shouldFailWhenTheCommunicatorIsClosedBefore() throws Exception {
        runFailing("host", "SHM", Duration.ofSeconds(60), comm -> {
            MemorySegment data = comm.allocate(4).segment();
            comm.allReduce(data, data, 1, TYPE, RedOp.SUM);
            comm.synchronize();
            if (comm.rank() == 0) {
                CompletableFuture<Void> future = comm.groupAsync(calls -> calls.allReduce(data, data, 1, TYPE,
                        RedOp.SUM));
                comm.close(Duration.ofMillis(100));
                failure(future);
            } else {
                Thread.sleep(500);
            }
        });
    }

    @Test
    void shouldTakeNoThreadForEachFuture() throws Exception {
        run("host", "SHM", 2, comm -> {
            MemorySegment data = comm.allocate(4).segment();
            comm.allReduce(data, data, 1, TYPE, RedOp.SUM);
            comm.synchronize();
            comm.barrier();
            int before = Thread.activeCount();
            List<CompletableFuture<Void>> futures = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                futures.add(comm.groupAsync(calls -> calls.allReduce(data, data, 1, TYPE, RedOp.SUM)));
            }
            int during = Thread.activeCount();
            get(CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)));
            assertTrue(during <= before + 8, "threads: " + before + ", then " + during);
        });
    }

    /** More blocked virtual threads than carriers: a call that kept its carrier would keep all others from running. */
    @Test
    void shouldNotPinTheCarrierOfAVirtualThread() throws Exception {
        int nRanks = 2 + Runtime.getRuntime().availableProcessors();
        assumeTrue(nRanks <= 34, () -> nRanks + " ranks are many for a test");
        run("host", "SHM", nRanks, comm -> {
            CompletableFuture<Integer> result = new CompletableFuture<>();
            Thread.startVirtualThread(() -> {
                MemorySegment data = comm.allocate(4).segment();
                for (int i = 0; i < 20; i++) {
                    data.set(JAVA_INT, 0, 1);
                    comm.allReduce(data, data, 1, TYPE, RedOp.SUM);
                    comm.synchronize();
                }
                result.complete(data.get(JAVA_INT, 0));
            });
            assertEquals(nRanks, get(result));
        });
    }
}
