/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.runtime.ProxyState;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a caller does wrong is said at once, and never becomes a wrong result. */
class CommunicatorUseTest {
    private static final int ROUNDS = 100_000;

    @TempDir
    Path directory;

    /** Each thread of a rank has numbers of its own: a result of mixed threads is wrong, and an error ends them. */
    @ParameterizedTest
    @EnumSource(names = {"DEDICATED", "INVOKER"})
    void shouldNoticeASecondThread(ThreadingMode mode) throws Exception {
        List<Throwable> outcomes = InProcessRanks.outcomes(Way.SHM.configs(directory, mode), comm -> {
            MemorySegment warm = Way.memory(comm, 64);
            comm.allReduce(warm, warm, 1, DataType.INT32, RedOp.SUM);
            comm.synchronize();
            MemorySegment[] buffers = {Way.memory(comm, 64), Way.memory(comm, 64)};
            CyclicBarrier start = new CyclicBarrier(2);
            List<CompletableFuture<Void>> threads = Stream.of(0, 1).map(i -> CompletableFuture.runAsync(
                    () -> hammer(comm, buffers[i], i + 1, start),
                    task -> Thread.ofPlatform().name("hammer-" + i).start(task))).toList();
            for (CompletableFuture<Void> thread : threads) {
                ProxyException error = assertThrows(ProxyException.class, () -> unwrap(thread));
                assertTrue(error.getMessage().contains("a communicator is for one thread at a time"),
                        error.getMessage());
                assertTrue(error.getMessage().contains("hammer-0") && error.getMessage().contains("hammer-1"),
                        error.getMessage());
            }
        });
        outcomes.forEach(outcome -> assertNull(outcome, () -> String.valueOf(outcome)));
    }

    /** Until it gets an error; a wrong result may come before it, but never without one. */
    private static void hammer(Communicator comm, MemorySegment buffer, int value, CyclicBarrier start) {
        try {
            start.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        for (int i = 0; i < ROUNDS; i++) {
            buffer.setAtIndex(JAVA_INT, 0, value);
            comm.allReduce(buffer, buffer, 1, DataType.INT32, RedOp.SUM);
            comm.synchronize();
        }
    }

    private static void unwrap(CompletableFuture<Void> thread) throws Throwable {
        try {
            thread.get();
        } catch (java.util.concurrent.ExecutionException e) {
            throw e.getCause();
        }
    }

    /** One after the other is fine. */
    @Test
    void shouldServeOneThreadAfterTheOther() throws Exception {
        InProcessRanks.run(2, Way.SHM.configs(directory, ThreadingMode.INVOKER).getFirst(), comm -> {
            MemorySegment buffer = Way.memory(comm, 64);
            buffer.setAtIndex(JAVA_INT, 0, 1);
            for (int i = 0; i < 4; i++) {
                Thread thread = Thread.ofPlatform().start(() -> {
                    comm.allReduce(buffer, buffer, 1, DataType.INT32, RedOp.SUM);
                    comm.synchronize();
                });
                thread.join();
            }
            assertEquals(16, buffer.getAtIndex(JAVA_INT, 0));
        });
    }

    @Test
    void shouldNameTheArgumentThatIsMissing() throws Exception {
        InProcessRanks.run(2, Way.SHM.configs(directory, ThreadingMode.DEDICATED).getFirst(), comm -> {
            MemorySegment a = Way.memory(comm, 64);
            MemorySegment b = Way.memory(comm, 64);
            int peer = 1 - comm.rank();
            ProxyState proxy = comm.proxy();
            assertInvalid("type is null", () -> comm.allReduce(a, a, 1, null, RedOp.SUM));
            assertInvalid("op is null", () -> comm.allReduce(a, a, 1, DataType.INT32, null));
            assertInvalid("type is null", () -> comm.allGather(a, b, 1, null));
            assertInvalid("type is null", () -> comm.reduceScatter(a, b, 1, null, RedOp.SUM));
            assertInvalid("op is null", () -> comm.reduceScatter(a, b, 1, DataType.INT32, null));
            assertInvalid("type is null", () -> comm.broadcast(a, b, 1, null, 0));
            assertInvalid("recvBuffer is null", () -> comm.allReduce(a, null, 1, DataType.INT32, RedOp.SUM));
            assertInvalid("buffer is null", () -> comm.send(null, peer));
            assertInvalid("memory is null", () -> comm.register(null));
            assertInvalid("timeout is null", () -> comm.close(null));
            assertInvalid("count is too large", () -> comm.allReduce(a, a, Long.MAX_VALUE / 2, DataType.INT32,
                    RedOp.SUM));
            assertInvalid("count is too large", () -> comm.allGather(a, b, Long.MAX_VALUE / 4, DataType.INT32));
            assertInvalid("request is null", () -> proxy.connector(null, null));
            assertInvalid("peer is null", () -> proxy.explain(null, null));
            assertInvalid("name is null", () -> proxy.stream(null));
            assertInvalid("name is null", () -> proxy.describe(null));
            assertInvalid("future is null", () -> proxy.await(null, null, "it"));
            assertInvalid("cause is null", () -> proxy.abort(null));
            assertInvalid("address is null", () -> proxy.client(null));
            assertInvalid("timeout is null", () -> proxy.close(null));
            assertInvalid("config is null", () -> ProxyState.builder().config(null));
            assertInvalid("device is null", () -> ProxyState.builder().device(null));
            assertInvalid("secret is null", () -> ProxyState.builder().job(null, "job"));
            assertInvalid("provider is null", () -> ProxyState.builder().transport(null));
        });
        assertInvalid("id is null", () -> Communicator.init(null, 0, 1));
    }

    @Test
    void shouldRefuseBuffersThatOverlap() throws Exception {
        InProcessRanks.run(2, Way.SHM.configs(directory, ThreadingMode.DEDICATED).getFirst(), comm -> {
            MemorySegment all = Way.memory(comm, 4096);
            MemorySegment first = all.asSlice(0, 64);
            MemorySegment second = all.asSlice(32, 64);
            MemorySegment mine = all.asSlice(32L * comm.rank(), 32);
            MemorySegment theirs = all.asSlice(32L * (1 - comm.rank()), 32);
            int peer = 1 - comm.rank();
            assertInvalid("overlap", () -> comm.allReduce(first, second, 16, DataType.INT32, RedOp.SUM));
            assertInvalid("overlap", () -> comm.allGather(theirs, first, 8, DataType.INT32));
            assertInvalid("overlap", () -> comm.reduceScatter(first, theirs, 8, DataType.INT32, RedOp.SUM));
            assertInvalid("overlap", () -> comm.sendRecv(first, peer, second, peer));
            if (comm.rank() == 0) {
                assertInvalid("overlap", () -> comm.broadcast(first, second, 16, DataType.INT32, 0));
            }
            int[] heap = new int[64];
            MemorySegment low = MemorySegment.ofArray(heap);
            assertInvalid("overlap", () -> comm.allReduce(low, low.asSlice(4), 16, DataType.INT32, RedOp.SUM));
            comm.allReduce(low, MemorySegment.ofArray(new int[64]), 16, DataType.INT32, RedOp.SUM);
            comm.allReduce(first, all.asSlice(64, 64), 16, DataType.INT32, RedOp.SUM);
            comm.allGather(mine, first, 8, DataType.INT32);
            comm.reduceScatter(first, mine, 8, DataType.INT32, RedOp.SUM);
            comm.sendRecv(first, peer, all.asSlice(64, 64), peer);
            comm.synchronize();
        });
    }

    private static void assertInvalid(String why, Executable call) {
        ProxyException refusal = assertThrows(ProxyException.class, call);
        assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
        assertTrue(refusal.getMessage().contains(why), refusal.getMessage());
    }
}
