/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static io.proxyrt.collectives.Ints.assertInts;
import static io.proxyrt.collectives.Ints.ints;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.UserRedOp;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class UserRedOpTest {
    private static final int[] COUNTS = {1, 5, 2047, 2049, 40_001};
    private static final UserRedOp XOR = UserRedOp.of("xor", UserRedOpTest::xor);

    @TempDir
    Path directory;

    private static void xor(MemorySegment in, MemorySegment inout, long count, DataType type) {
        assertEquals(DataType.INT32, type);
        assertEquals(4 * count, in.byteSize());
        assertEquals(4 * count, inout.byteSize());
        assertTrue(count > 0 && in.isNative() && (in.address() | inout.address()) % 64 == 0, in::toString);
        for (long i = 0; i < count; i++) {
            inout.setAtIndex(JAVA_INT, i, inout.getAtIndex(JAVA_INT, i) ^ in.getAtIndex(JAVA_INT, i));
        }
    }

    @ParameterizedTest
    @CsvSource({"SHM, 1", "SHM, 2", "SHM, 3", "SHM, 4", "NET, 2", "NET, 3"})
    void shouldReduceByAFunctionOfTheUsers(String transport, int nRanks) throws Exception {
        InProcessRanks.run(nRanks, InProcessRanks.config(directory, ThreadingMode.DEDICATED, transport).build(),
                comm -> all(comm, XOR));
    }

    private static void all(Communicator comm, UserRedOp op) {
        int n = comm.nRanks();
        for (int count : COUNTS) {
            int root = count % n;
            MemorySegment in = ints(count * n, i -> value(comm.rank(), i));
            MemorySegment reduced = ints(count, i -> -1);
            MemorySegment part = ints(count, i -> -1);
            MemorySegment atRoot = ints(count, i -> -1);
            comm.allReduce(in, reduced, count, DataType.INT32, op);
            comm.reduceScatter(in, part, count, DataType.INT32, op);
            comm.reduce(in, atRoot, count, DataType.INT32, op, root);
            comm.synchronize();
            assertInts(reduced, count, i -> xored(n, i));
            assertInts(part, count, i -> xored(n, count * comm.rank() + i));
            assertInts(atRoot, count, i -> comm.rank() == root ? xored(n, i) : -1);
        }
    }

    /** One function may be in a launch, and another one in the next. */
    @Test
    void shouldNotTakeOneFunctionForAnother() throws Exception {
        UserRedOp and = UserRedOp.of("and", (in, inout, count, type) -> {
            for (long i = 0; i < count; i++) {
                inout.setAtIndex(JAVA_INT, i, inout.getAtIndex(JAVA_INT, i) & in.getAtIndex(JAVA_INT, i));
            }
        });
        InProcessRanks.run(2, InProcessRanks.config(directory, ThreadingMode.DEDICATED, "SHM").build(), comm -> {
            int count = 3000;
            MemorySegment in = ints(count, i -> value(comm.rank(), i));
            MemorySegment[] out = IntStream.range(0, 6).mapToObj(i -> ints(count, k -> -1))
                    .toArray(MemorySegment[]::new);
            comm.group(calls -> {
                calls.allReduce(in, out[0], count, DataType.INT32, XOR);
                calls.allReduce(in, out[1], count, DataType.INT32, and);
                calls.allReduce(in, out[2], 7, DataType.INT32, and);
                calls.allReduce(in, out[3], 7, DataType.INT32, XOR);
            });
            comm.allReduce(in, out[4], count, DataType.INT32, and);
            comm.allReduce(in, out[5], count, DataType.INT32, XOR);
            comm.synchronize();
            for (int i : new int[] {0, 5}) {
                assertInts(out[i], count, k -> value(0, k) ^ value(1, k));
            }
            for (int i : new int[] {1, 4}) {
                assertInts(out[i], count, k -> value(0, k) & value(1, k));
            }
            assertInts(out[2], 7, k -> value(0, k) & value(1, k));
            assertInts(out[3], 7, k -> value(0, k) ^ value(1, k));
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"INVOKER", "DEDICATED"})
    void shouldEndAllRanksWhenAFunctionThrows(ThreadingMode mode) throws Exception {
        UserRedOp bad = UserRedOp.of("broken", (in, inout, count, type) -> {
            throw new ArithmeticException("no such number");
        });
        List<ProxyConfig> configs = IntStream.range(0, 3)
                .mapToObj(rank -> InProcessRanks.config(directory, mode, "SHM").build()).toList();
        List<Throwable> failures = InProcessRanks.outcomes(configs, comm -> {
            MemorySegment data = ints(3000, i -> i);
            comm.allReduce(data, data, 3000, DataType.INT32, comm.rank() == 1 ? bad : XOR);
            comm.synchronize();
            comm.barrier();
        });
        ProxyException own = (ProxyException) failures.get(1);
        assertEquals(ProxyResult.INVALID_ARGUMENT, own.result());
        assertEquals("rank 1: the function of reduction broken threw java.lang.ArithmeticException: no such number",
                own.getMessage());
        ProxyException other = (ProxyException) failures.get(0);
        assertEquals(ProxyResult.REMOTE_ERROR, other.result());
        assertTrue(other.getMessage().contains("rank 1 ")
                && other.getMessage().contains("broken threw java.lang.ArithmeticException"), other.getMessage());
    }

    @Test
    void shouldFindRanksThatReduceOtherwise() throws Exception {
        List<ProxyConfig> configs = IntStream.range(0, 2)
                .mapToObj(rank -> InProcessRanks.config(directory, ThreadingMode.DEDICATED, "SHM").build()).toList();
        List<Throwable> failures = InProcessRanks.outcomes(configs, comm -> {
            MemorySegment data = ints(3000, i -> i);
            comm.allReduce(data, data, 3000, DataType.INT32, comm.rank() == 1 ? XOR : RedOp.SUM);
            comm.synchronize();
        });
        for (Throwable failure : failures) {
            assertEquals(ProxyResult.INVALID_USAGE, ((ProxyException) failure).result());
            assertTrue(failure.getMessage().contains("3000 INT32 SUM")
                    && failure.getMessage().contains("3000 INT32 USER"), failure.getMessage());
        }
    }

    @Test
    void shouldLeaveItToTheRanksWhereTheNetworkReduces() throws Exception {
        List<ProxyConfig> configs = IntStream.range(0, 2).mapToObj(rank -> InProcessRanks.config(directory,
                ThreadingMode.DEDICATED, "").set(CollectivesOptions.COLLNET_ENABLE, true)
                .set(CoreOptions.HOST_ID, "node " + rank).build()).toList();
        for (Throwable failure : InProcessRanks.failures(configs, comm -> {
            assertTrue(comm.explainCollNet().startsWith("used"), comm::explainCollNet);
            all(comm, XOR);
        })) {
            assertEquals(null, failure);
        }
    }

    @Test
    void shouldRefuseItOnAGpu() throws Exception {
        List<ProxyConfig> configs = List.of(GpuRanks.config(directory, ThreadingMode.INVOKER, "SHM", 0).build());
        for (Throwable failure : InProcessRanks.failures(configs, comm -> {
            try (RankBuffer data = new RankBuffer(comm, 64)) {
                ProxyException refusal = assertThrows(ProxyException.class,
                        () -> comm.allReduce(data.range(), data.range(), 4, DataType.INT32, XOR));
                assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
                assertTrue(refusal.getMessage().startsWith("rank 0: op is xor, a function that kernels of "),
                        refusal.getMessage());
            }
        })) {
            assertEquals(null, failure);
        }
    }

    @Test
    void shouldRefuseAFunctionThatIsNotThere() {
        assertEquals("function is null",
                assertThrows(ProxyException.class, () -> UserRedOp.of("nothing", null)).getMessage());
    }

    private static int value(int rank, int index) {
        return index * 0x9E3779B9 + (rank << 28) + rank;
    }

    private static int xored(int nRanks, int index) {
        return IntStream.range(0, nRanks).map(rank -> value(rank, index)).reduce(0, (a, b) -> a ^ b);
    }
}
