/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counts what the threads of the data path allocate: nothing, once everything is compiled and every pool is filled. */
class AllocationTest {
    private static final int COLLECTIVES = 25_000;
    private static final int MAX_ROUNDS = 12;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"DEDICATED, NET, 2, 4", "INVOKER, NET, 2, 4", "DEDICATED, SHM, 0, 4", "INVOKER, SHM, 0, 4",
        "INVOKER, SHM, 0, 100000"})
    @Timeout(180)
    void shouldAllocateNothingPerOp(ThreadingMode mode, String transport, int opsOfCall, int count)
            throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, mode, transport).build();
        InProcessRanks.run(2, config, comm -> {
            MemorySegment data = comm.allocate(4L * count).segment();
            int calls = COLLECTIVES / Math.max(1, count / 4000);
            driveControl(comm);
            Map<String, Long> allocated = Map.of();
            for (int round = 0; round < MAX_ROUNDS && !agreeOnNone(comm, data, allocated); round++) {
                Map<String, Long> before = allocatedBytes(comm.rank());
                long opsBefore = comm.proxy().counters().get(Counter.OPS_COMPLETED);
                allReduce(comm, data, count, calls);
                long ops = comm.proxy().counters().get(Counter.OPS_COMPLETED) - opsBefore;
                allocated = difference(before, allocatedBytes(comm.rank()));
                assertEquals(opsOfCall * calls, ops);
            }
            assertEquals(0, total(allocated), allocated.toString());
        });
    }

    /** The last round's sum over both ranks, whose rounds have to end together; false before the first. */
    private static boolean agreeOnNone(Communicator comm, MemorySegment data, Map<String, Long> allocated) {
        data.set(JAVA_LONG, 0, allocated.isEmpty() ? 1 : total(allocated));
        comm.allReduce(data, data, 1, DataType.INT64, RedOp.SUM);
        comm.synchronize();
        return data.get(JAVA_LONG, 0) == 0;
    }

    private static long total(Map<String, Long> allocated) {
        return allocated.values().stream().mapToLong(Long::longValue).sum();
    }

    /** What waits drive seldom would take long to be compiled. */
    private static void driveControl(Communicator comm) {
        for (int i = 0; i < COLLECTIVES && comm.proxy().isInvoker(); i++) {
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

    /** Of this rank's progress and stream thread, if there are any, and of the posting thread, which is the caller. */
    private Map<String, Long> allocatedBytes(int rank) {
        Map<String, Long> bytes = new TreeMap<>();
        Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds())).filter(info -> info != null)
                .filter(info -> info.getThreadName().equals("proxy-progress-" + rank)
                        || info.getThreadName().equals("proxy-stream-" + rank))
                .forEach(info -> bytes.put(info.getThreadName(), threads.getThreadAllocatedBytes(info.getThreadId())));
        bytes.put("caller", threads.getCurrentThreadAllocatedBytes());
        return bytes;
    }

    /** Less what the measuring itself allocates on the calling thread, which is measured in the same way. */
    private Map<String, Long> difference(Map<String, Long> before, Map<String, Long> after) {
        long self = threads.getCurrentThreadAllocatedBytes();
        allocatedBytes(0);
        long measuring = threads.getCurrentThreadAllocatedBytes() - self;
        Map<String, Long> difference = new TreeMap<>();
        after.forEach((name, bytes) -> difference.put(name, bytes - before.get(name)));
        difference.computeIfPresent("caller", (name, bytes) -> Math.max(0, bytes - 2 * measuring));
        return difference;
    }
}
