/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.proxyrt.collectives.msccl.AlgorithmText;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.device.DeviceMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counts what the threads of the data path allocate: nothing, once everything is compiled and every pool is filled. */
class AllocationTest {
    private static final int COLLECTIVES = 5_000;
    private static final int CONTROL_PASSES = 25_000;
    private static final int LAUNCHES = 500;
    private static final int MAX_ROUNDS = 1_000;
    /** In a row, without a byte. */
    private static final int STILL_ROUNDS = 5;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"auto, DEDICATED, NET, 2, 4", "auto, INVOKER, NET, 2, 4", "auto, DEDICATED, SHM, 0, 4",
        "auto, INVOKER, SHM, 0, 4", "auto, INVOKER, SHM, 0, 100000", "tree, INVOKER, NET, 2, 4",
        "tree, INVOKER, SHM, 0, 100000", "msccl, INVOKER, NET, 2, 4", "msccl, INVOKER, SHM, 0, 100000"})
    void shouldAllocateNothingPerOp(String algorithm, ThreadingMode mode, String transport, int opsOfCall, int count)
            throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, mode, transport)
                .set(CollectivesOptions.ALGORITHM.key(), algorithm).set(CollectivesOptions.MSCCL_FILES, file(algorithm))
                .build();
        int calls = COLLECTIVES / Math.max(1, count / 4000);
        InProcessRanks.run(2, config, comm ->
                assertNoneAllocated(comm, comm.allocate(4L * count).segment(), count, calls, opsOfCall));
    }

    private String file(String algorithm) throws IOException {
        return !algorithm.equals("msccl") ? ""
                : Files.writeString(directory.resolve("ring.xml"), AlgorithmText.ring(2, 1)).toString();
    }

    /** Each call is a launch: arguments for the kernel, and the driver's functions called. */
    @ParameterizedTest
    @CsvSource({"DEDICATED, NET, 2", "INVOKER, SHM, 0"})
    void shouldAllocateNothingPerLaunch(ThreadingMode mode, String transport, int opsOfCall) throws Exception {
        List<ProxyConfig> configs = IntStream.range(0, 2).mapToObj(rank -> GpuRanks.config(directory, mode, transport,
                rank).set(CollectivesOptions.CHANNELS, 1).set(CollectivesOptions.GPU_THREADS, 1).build()).toList();
        assertEquals(Arrays.asList(null, null), InProcessRanks.failures(configs, comm -> {
            try (DeviceMemory data = comm.proxy().device().allocateHost(Long.BYTES)) {
                assertNoneAllocated(comm, data.segment(), 2, LAUNCHES, opsOfCall);
            }
        }));
    }

    private void assertNoneAllocated(Communicator comm, MemorySegment data, int count, int calls, int opsOfCall) {
        driveControl(comm);
        Map<String, Long> allocated = Map.of();
        int still = 0;
        for (int round = 0; round < MAX_ROUNDS && still < STILL_ROUNDS; round++) {
            Map<String, Long> before = allocatedByThreads(comm.rank());
            long opsBefore = comm.proxy().counters().get(Counter.OPS_COMPLETED);
            long callerBefore = threads.getCurrentThreadAllocatedBytes();
            allReduce(comm, data, count, calls);
            long caller = threads.getCurrentThreadAllocatedBytes() - callerBefore;
            long ops = comm.proxy().counters().get(Counter.OPS_COMPLETED) - opsBefore;
            allocated = allocatedByThreads(comm.rank());
            allocated.replaceAll((name, bytes) -> bytes - before.get(name));
            allocated.put("caller", caller);
            assertEquals(opsOfCall * calls, ops);
            still = agreeOnNone(comm, data, allocated) ? still + 1 : 0;
        }
        assertEquals(STILL_ROUNDS, still, allocated.toString());
    }

    /** The last round's sum over both ranks, whose rounds have to end together. */
    private static boolean agreeOnNone(Communicator comm, MemorySegment data, Map<String, Long> allocated) {
        data.set(JAVA_LONG, 0, total(allocated));
        comm.allReduce(data, data, 1, DataType.INT64, RedOp.SUM);
        comm.synchronize();
        return data.get(JAVA_LONG, 0) == 0;
    }

    private static long total(Map<String, Long> allocated) {
        return allocated.values().stream().mapToLong(Long::longValue).sum();
    }

    /** What waits drive seldom would take long to be compiled. */
    private static void driveControl(Communicator comm) {
        for (int i = 0; i < CONTROL_PASSES && comm.proxy().isInvoker(); i++) {
            comm.proxy().invokeAll();
        }
    }

    private static void allReduce(Communicator comm, MemorySegment data, int count, int calls) {
        for (int i = 0; i < calls; i++) {
            comm.allReduce(data, data, count, DataType.FLOAT32, RedOp.SUM);
            if (i % 16 == 15) {
                comm.synchronize();
            }
        }
        comm.synchronize();
    }

    /** Of this rank's progress and stream thread, if there are any. */
    private Map<String, Long> allocatedByThreads(int rank) {
        Map<String, Long> bytes = new TreeMap<>();
        Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds())).filter(info -> info != null)
                .filter(info -> info.getThreadName().equals("proxy-progress-" + rank)
                        || info.getThreadName().equals("proxy-stream-" + rank))
                .forEach(info -> bytes.put(info.getThreadName(), threads.getThreadAllocatedBytes(info.getThreadId())));
        return bytes;
    }
}
