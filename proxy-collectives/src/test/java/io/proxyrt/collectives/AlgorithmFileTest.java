/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.collectives.msccl.AlgorithmText;
import io.proxyrt.collectives.msccl.PlanText;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Extent;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Collectives by algorithms of files, over connections, with any number of ranks, beside what they do not take. */
@Tag(Extent.SCALED)
class AlgorithmFileTest {
    /** A slot of 8 KiB holds chunks of the first two; those of the last one go in five pieces, or more. */
    private static final int[] CHUNK_ELEMENTS = {1, 300, 9_001};

    @TempDir
    Path directory;

    /** What files of the tests do. */
    private enum Kind {
        RING(CollFunction.ALL_REDUCE, true), RINGS(CollFunction.ALL_REDUCE, true),
        ALL_PAIRS(CollFunction.ALL_REDUCE, true), DOUBLING(CollFunction.ALL_REDUCE, false),
        HIERARCHICAL(CollFunction.ALL_REDUCE, true), TWO_STEPS(CollFunction.ALL_TO_ALL, false),
        ALL_GATHER(CollFunction.ALL_GATHER, true), REDUCE_SCATTER(CollFunction.REDUCE_SCATTER, true),
        PLAN_ALL_REDUCE(CollFunction.ALL_REDUCE, true), PLAN_OUT_OF_PLACE(CollFunction.ALL_REDUCE, false),
        PLAN_GROUPS(CollFunction.ALL_REDUCE, true), PLAN_PACKETS(CollFunction.ALL_REDUCE, true),
        PLAN_ALL_GATHER(CollFunction.ALL_GATHER, true), PLAN_RING(CollFunction.ALL_GATHER, true),
        PLAN_REDUCE_SCATTER(CollFunction.REDUCE_SCATTER, false), PLAN_ALL_TO_ALL(CollFunction.ALL_TO_ALL, false);

        private final CollFunction function;
        private final boolean isInPlace;

        Kind(CollFunction function, boolean isInPlace) {
            this.function = function;
            this.isInPlace = isInPlace;
        }

        boolean isFor(int nRanks) {
            return switch (this) {
                case DOUBLING -> Integer.bitCount(nRanks) == 1;
                case HIERARCHICAL -> Integer.bitCount(nRanks) == 1 && nRanks > 2;
                case TWO_STEPS -> nRanks % 2 == 0 && nRanks > 2;
                default -> true;
            };
        }

        String text(int n) {
            return switch (this) {
                case RING -> AlgorithmText.ring(n, 1);
                case RINGS -> AlgorithmText.ring(n, 3);
                case ALL_PAIRS -> AlgorithmText.allPairs(n);
                case DOUBLING -> AlgorithmText.doubling(n);
                case HIERARCHICAL -> AlgorithmText.hierarchical(n);
                case TWO_STEPS -> AlgorithmText.allToAllInTwoSteps(n);
                case ALL_GATHER -> AlgorithmText.allGather(n);
                case REDUCE_SCATTER -> AlgorithmText.reduceScatter(n);
                case PLAN_ALL_REDUCE -> PlanText.allReduce(n, true);
                case PLAN_OUT_OF_PLACE -> PlanText.allReduce(n, false);
                case PLAN_GROUPS -> PlanText.allReduceByGroups(n);
                case PLAN_PACKETS -> PlanText.packets(n);
                case PLAN_ALL_GATHER -> PlanText.allGather(n);
                case PLAN_RING -> PlanText.ring(n);
                case PLAN_REDUCE_SCATTER -> PlanText.reduceScatter(n);
                case PLAN_ALL_TO_ALL -> PlanText.allToAll(n);
            };
        }

        /** Of a rank's part, or of the whole buffer. */
        int chunks(int n) {
            return switch (this) {
                case RING, ALL_PAIRS, PLAN_ALL_REDUCE, PLAN_OUT_OF_PLACE, PLAN_PACKETS -> n;
                case PLAN_GROUPS -> 2 * n;
                case PLAN_ALL_TO_ALL -> 12;
                case RINGS -> 3 * n;
                case DOUBLING -> 4;
                case HIERARCHICAL, ALL_GATHER, PLAN_ALL_GATHER -> 2;
                case TWO_STEPS, REDUCE_SCATTER, PLAN_RING, PLAN_REDUCE_SCATTER -> 1;
            };
        }
    }

    /** A job. */
    private record Case(Kind kind, int nRanks, String transport, ThreadingMode mode) {
    }

    static Stream<Case> cases() {
        Stream<Case> all = Stream.of("SHM", "NET").flatMap(transport -> IntStream.rangeClosed(2, 8).boxed()
                .flatMap(n -> Stream.of(Kind.values()).filter(kind -> kind.isFor(n)).map(kind -> new Case(kind, n,
                        transport, n > 3 || transport.equals("SHM") ? ThreadingMode.INVOKER
                                : ThreadingMode.DEDICATED))));
        return Extent.sample(16, all);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldComputeTheSameAsTheOracle(Case of) throws Exception {
        ProxyConfig config = config(of.transport, of.mode, file("a.xml", of.kind.text(of.nRanks))).build();
        InProcessRanks.run(of.nRanks, config, comm -> {
            for (int elements : CHUNK_ELEMENTS) {
                for (DataType type : List.of(DataType.INT32, DataType.FLOAT32)) {
                    for (boolean isInPlace : new boolean[] {false, true}) {
                        new Call(comm, of.kind.function, elements * of.kind.chunks(of.nRanks), type, isInPlace)
                                .check(RedOp.SUM, of.kind);
                    }
                }
            }
            new Call(comm, of.kind.function, 7 * of.kind.chunks(of.nRanks), DataType.INT32, of.kind.isInPlace)
                    .check(RedOp.MAX, of.kind);
            new Call(comm, of.kind.function, 7 * of.kind.chunks(of.nRanks) + 1, DataType.INT32, of.kind.isInPlace)
                    .check(RedOp.SUM, of.kind);
        });
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    private ProxyConfig.Builder config(String transport, ThreadingMode mode, String files) {
        return InProcessRanks.config(directory, mode, transport).set(CoreOptions.BUFFER_BYTES, 64L << 10)
                .set(CollectivesOptions.MSCCL_FILES, files);
    }

    /** A call of small numbers, whose sums are exact in either type. */
    private static final class Call {
        private final Communicator comm;
        private final CollFunction function;
        private final int count;
        private final DataType type;
        private final boolean isInPlace;
        private final MemorySegment send;
        private final MemorySegment recv;

        Call(Communicator comm, CollFunction function, int count, DataType type, boolean isInPlace) {
            this.comm = comm;
            this.function = function;
            this.count = count;
            this.type = type;
            this.isInPlace = isInPlace;
            long bytes = 4L * count * (function == CollFunction.ALL_REDUCE ? 1 : comm.nRanks());
            MemorySegment large = Arena.ofAuto().allocate(bytes, Long.BYTES);
            MemorySegment other = isInPlace ? large : Arena.ofAuto().allocate(bytes, Long.BYTES);
            long own = 4L * count * comm.rank();
            this.send = isInPlace && function == CollFunction.ALL_GATHER ? large.asSlice(own) : large;
            this.recv = isInPlace && function == CollFunction.REDUCE_SCATTER ? large.asSlice(own) : other;
            for (int i = 0; i < inputs(); i++) {
                put(send, i, value(comm.rank(), i));
            }
        }

        private int inputs() {
            return function == CollFunction.ALL_REDUCE || function == CollFunction.ALL_GATHER ? count
                    : count * comm.nRanks();
        }

        private static int value(int rank, int index) {
            return (index * 7 + rank * 13) % 101;
        }

        private void put(MemorySegment memory, int index, int value) {
            if (type == DataType.INT32) {
                memory.set(JAVA_INT_UNALIGNED, 4L * index, value);
            } else {
                memory.set(JAVA_FLOAT_UNALIGNED, 4L * index, value);
            }
        }

        private int get(MemorySegment memory, int index) {
            return type == DataType.INT32 ? memory.get(JAVA_INT_UNALIGNED, 4L * index)
                    : (int) memory.get(JAVA_FLOAT_UNALIGNED, 4L * index);
        }

        void check(ReduceOp op, Kind kind) {
            if (count % kind.chunks(comm.nRanks()) == 0) {
                assertEquals(Algorithm.MSCCL, comm.algorithm(function, 4L * count));
            }
            switch (function) {
                case ALL_REDUCE -> comm.allReduce(send, recv, count, type, op);
                case ALL_GATHER -> comm.allGather(send, recv, count, type);
                case REDUCE_SCATTER -> comm.reduceScatter(send, recv, count, type, op);
                default -> comm.allToAll(send, recv, count, type);
            }
            comm.synchronize();
            int outputs = function == CollFunction.ALL_REDUCE || function == CollFunction.REDUCE_SCATTER ? count
                    : count * comm.nRanks();
            for (int i = 0; i < outputs; i++) {
                int index = i;
                assertEquals(expected(i, op), get(recv, i), () -> "rank " + comm.rank() + ": element " + index + " of "
                        + count + " " + type + (isInPlace ? " in place" : ""));
            }
            for (int i = 0; !isInPlace && i < inputs(); i++) {
                assertEquals(value(comm.rank(), i), get(send, i), "the input is the user's");
            }
        }

        private int expected(int index, ReduceOp op) {
            int at = function == CollFunction.REDUCE_SCATTER ? comm.rank() * count + index : index;
            IntStream all = IntStream.range(0, comm.nRanks()).map(rank -> value(rank, at));
            return switch (function) {
                case ALL_GATHER -> value(index / count, index % count);
                case ALL_TO_ALL -> value(index / count, comm.rank() * count + index % count);
                default -> op == RedOp.MAX ? all.max().orElseThrow() : all.sum();
            };
        }
    }

    /** Several files, of which each takes its calls; in a group too, beside what none takes. */
    @ParameterizedTest
    @EnumSource(value = ThreadingMode.class, names = {"INVOKER", "DEDICATED"})
    void shouldCarryOutGroupsBySeveralFiles(ThreadingMode mode) throws Exception {
        String files = file("sum.xml", AlgorithmText.allPairs(4)) + ":" + file("ring.xml", AlgorithmText.ring(4, 2))
                + ":" + file("gather.xml", AlgorithmText.allGather(4));
        InProcessRanks.run(4, config("SHM", mode, files).build(), comm -> {
            int count = 32;
            MemorySegment sum = filled(comm, count);
            MemorySegment other = filled(comm, count);
            MemorySegment average = filled(comm, count);
            MemorySegment out = Way.memory(comm, 4L * count);
            MemorySegment gathered = Way.memory(comm, 16L * count);
            for (int i = 0; i < 3; i++) {
                comm.group(calls -> {
                    calls.allReduce(sum, sum, count, DataType.INT32, RedOp.SUM);
                    calls.allReduce(other, out, count, DataType.INT32, RedOp.SUM);
                    calls.allReduce(average, average, count, DataType.INT32, RedOp.AVG);
                    calls.allGather(other, gathered, count, DataType.INT32);
                });
            }
            comm.synchronize();
            assertEquals(4 * 4 * 10, sum.get(JAVA_INT_UNALIGNED, 4L * (count - 1)), "10, and twice four times that");
            assertEquals(10, out.get(JAVA_INT_UNALIGNED, 0));
            assertEquals(2, average.get(JAVA_INT_UNALIGNED, 0), "of 1 to 4, rounded down");
            assertEquals(4, gathered.get(JAVA_INT_UNALIGNED, 16L * count - 4));
        });
    }

    private static MemorySegment filled(Communicator comm, int count) {
        MemorySegment memory = Way.memory(comm, 4L * count);
        for (int i = 0; i < count; i++) {
            memory.set(JAVA_INT_UNALIGNED, 4L * i, comm.rank() + 1);
        }
        return memory;
    }

    @Test
    void shouldGoBySomeRanksFileInASplit() throws Exception {
        ProxyConfig config = config("SHM", ThreadingMode.INVOKER, file("two.xml", AlgorithmText.ring(2, 1))).build();
        InProcessRanks.run(4, config, comm -> {
            assertTrue(comm.algorithm(CollFunction.ALL_REDUCE, 64) != Algorithm.MSCCL, "it is for two ranks");
            try (Communicator half = comm.split(comm.rank() % 2, comm.rank())) {
                new Call(half, CollFunction.ALL_REDUCE, 16, DataType.INT32, true).check(RedOp.SUM, Kind.RING);
            }
        });
    }

    @Test
    void shouldLeaveFilesOutIfTheUserSaysSo() throws Exception {
        ProxyConfig config = config("SHM", ThreadingMode.INVOKER, file("two.xml", AlgorithmText.ring(2, 1)))
                .set(CollectivesOptions.ALGORITHM, Allowed.only(Algorithm.RING)).build();
        InProcessRanks.run(2, config, comm -> {
            assertEquals(Algorithm.RING, comm.algorithm(CollFunction.ALL_REDUCE, 64));
            comm.algorithms(Allowed.all(Algorithm.class));
            assertEquals(Algorithm.MSCCL, comm.algorithm(CollFunction.ALL_REDUCE, 64));
        });
    }

    @Test
    void shouldRefuseFilesThatDiffer() throws Exception {
        List<ProxyConfig> configs = List.of(
                config("SHM", ThreadingMode.INVOKER, file("a.xml", AlgorithmText.ring(2, 1))).build(),
                config("SHM", ThreadingMode.INVOKER, file("b.xml", AlgorithmText.ring(2, 2))).build());
        for (Throwable failure : InProcessRanks.outcomes(configs, comm -> { })) {
            String message = failure.getMessage();
            assertTrue(message.contains("rank 0") && message.contains("rank 1") && message.contains("MSCCL files=")
                    && message.contains("a.xml") && message.contains("b.xml"), message);
        }
    }

    @Test
    void shouldRefuseABadFileAtAllRanks() throws Exception {
        String good = file("a.xml", AlgorithmText.ring(2, 1));
        String bad = file("b.xml", AlgorithmText.ring(2, 1).replaceFirst("type=\"r\"", "type=\"nop\""));
        List<ProxyConfig> configs = List.of(config("SHM", ThreadingMode.INVOKER, good).build(),
                config("SHM", ThreadingMode.INVOKER, bad).build());
        for (Throwable failure : InProcessRanks.outcomes(configs, comm -> { })) {
            assertTrue(failure.getMessage().contains("b.xml, line "), failure::getMessage);
        }
    }

    /** A file for calls in place alone: one rank goes by it, and another does not. */
    @Test
    void shouldTellRanksThatDifferInPlace() throws Exception {
        ProxyConfig config = config("SHM", ThreadingMode.INVOKER, file("a.xml", AlgorithmText.allPairs(2))).build();
        for (Throwable failure : InProcessRanks.outcomes(List.of(config, config), comm ->
                new Call(comm, CollFunction.ALL_REDUCE, 64, DataType.INT32, comm.rank() == 0)
                        .check(RedOp.SUM, Kind.ALL_PAIRS))) {
            assertTrue(failure instanceof ProxyException && failure.getMessage()
                    .contains("all_reduce of 64 INT32 SUM by MSCCL file 1 at rank 0"), failure::toString);
        }
    }

    /** Nothing hangs, and what waits says what for. */
    @Test
    void shouldSayWhatABlockWaitsFor() throws Exception {
        ProxyConfig config = config("SHM", ThreadingMode.INVOKER, file("a.xml", AlgorithmText.ring(2, 1)))
                .set(CollectivesOptions.TIMEOUT, Duration.ofSeconds(2)).build();
        List<Throwable> failures = InProcessRanks.outcomes(List.of(config, config), comm -> {
            new Call(comm, CollFunction.ALL_REDUCE, 64, DataType.INT32, true).check(RedOp.SUM, Kind.RING);
            if (comm.rank() == 0) {
                new Call(comm, CollFunction.ALL_REDUCE, 64, DataType.INT32, true).check(RedOp.SUM, Kind.RING);
            } else {
                Thread.sleep(4_000);
                comm.synchronize();
            }
        });
        String message = failures.getFirst().getMessage();
        assertTrue(message.contains("a.xml: block 0 at step 1 waits for step"), message);
    }
}
