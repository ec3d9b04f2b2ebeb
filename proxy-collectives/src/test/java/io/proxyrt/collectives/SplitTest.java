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
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Extent;
import io.proxyrt.testkit.Holdings;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Communicators of some of the ranks, beside that of all and beside each other. */
@Tag(Extent.SCALED)
class SplitTest {
    private static final int LARGE = 1 << 18;

    @TempDir
    Path directory;

    private static ProxyConfig config(Path directory, ThreadingMode mode) {
        return InProcessRanks.config(directory, mode, "SHM").build();
    }

    private static void sum(Communicator comm, int count) {
        assertEquals(comm.nRanks() * (comm.nRanks() - 1) / 2, sum(comm, comm.rank(), count));
    }

    /** The sum of what each rank of a communicator gives; small by doubling where that can be, large by rings. */
    private static int sum(Communicator comm, int mine, int count) {
        MemorySegment buffer = Way.memory(comm, 4L * count);
        for (int i = 0; i < count; i++) {
            buffer.setAtIndex(JAVA_INT, i, mine);
        }
        comm.allReduce(buffer, buffer, count, DataType.INT32, RedOp.SUM);
        comm.synchronize();
        for (int i = 0; i < count; i++) {
            assertEquals(buffer.getAtIndex(JAVA_INT, 0), buffer.getAtIndex(JAVA_INT, i));
        }
        return buffer.getAtIndex(JAVA_INT, 0);
    }

    @ParameterizedTest
    @EnumSource(value = ThreadingMode.class, names = {"DEDICATED", "INVOKER"})
    void shouldNumberRanksOfAColorByTheirKeysAndThenByTheirRanks(ThreadingMode mode) throws Exception {
        InProcessRanks.run(8, config(directory, mode), comm -> {
            int color = comm.rank() % 2;
            // Ranks 0 and 4 come last among those of color 0, 1 and 5 among those of color 1.
            int key = comm.rank() % 4 < 2 ? 7 : -1;
            try (Communicator half = comm.split(color, key)) {
                int[] expected = {2, 2, 0, 0, 3, 3, 1, 1};
                assertEquals(expected[comm.rank()], half.rank());
                assertEquals(4, half.nRanks());
                assertEquals(color == 0 ? 2 + 6 + 0 + 4 : 3 + 7 + 1 + 5, sum(half, comm.rank(), 2));
                assertEquals(color == 0 ? 12 : 16, sum(half, comm.rank(), LARGE));
                MemorySegment all = comm.proxy().device().allocate(16).segment();
                MemorySegment own = all.asSlice(4L * half.rank(), 4);
                own.set(JAVA_INT, 0, comm.rank());
                half.allGather(own, all, 1, DataType.INT32);
                half.synchronize();
                assertEquals(List.of(2 + color, 6 + color, color, 4 + color),
                        IntStream.range(0, 4).mapToObj(i -> all.getAtIndex(JAVA_INT, i)).toList());
            }
        });
    }

    @Test
    void shouldGiveNothingToARankWithoutColor() throws Exception {
        InProcessRanks.run(4, config(directory, ThreadingMode.DEDICATED), comm -> {
            try (Communicator some = comm.split(comm.rank() == 2 ? Communicator.NO_COLOR : 5, 0)) {
                if (comm.rank() == 2) {
                    assertNull(some);
                } else {
                    assertEquals(3, some.nRanks());
                    assertEquals(comm.rank() < 2 ? comm.rank() : 2, some.rank());
                    assertTrue(some.name().startsWith("split 1 (color 5) of job "), some.name());
                    assertEquals(0 + 1 + 3, sum(some, comm.rank(), 1));
                }
            }
        });
    }

    @Test
    void shouldRefuseAnyOtherNegativeColor() throws Exception {
        InProcessRanks.run(2, config(directory, ThreadingMode.DEDICATED), comm -> {
            ProxyException refusal = assertThrows(ProxyException.class, () -> comm.split(-2, 0));
            assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
        });
    }

    /** Each is split again; every communicator is used between uses of all others. */
    @ParameterizedTest
    @EnumSource(value = ThreadingMode.class, names = {"DEDICATED", "INVOKER"})
    void shouldWorkBesideItsParentAndItsOwnParts(ThreadingMode mode) throws Exception {
        InProcessRanks.run(4, config(directory, mode), comm -> {
            try (Communicator half = comm.split(comm.rank() / 2, 0);
                    Communicator alone = half.split(half.rank(), 0);
                    Communicator turned = half.split(0, -half.rank())) {
                assertEquals(1, alone.nRanks());
                assertEquals(1 - half.rank(), turned.rank());
                for (int count = 1; count <= LARGE; count *= 64) {
                    assertEquals(6, sum(comm, comm.rank(), count));
                    assertEquals(comm.rank() < 2 ? 1 : 5, sum(half, comm.rank(), count));
                    assertEquals(comm.rank(), sum(alone, comm.rank(), count));
                    assertEquals(comm.rank() < 2 ? 1 : 5, sum(turned, comm.rank(), count));
                }
            }
        });
    }

    /** The ranks launch on two communicators in different orders, and wait in different orders, once connected. */
    @ParameterizedTest
    @MethodSource("io.proxyrt.collectives.Way#extremes")
    void shouldFinishWhateverOrderRanksUseThemIn(Way way, ThreadingMode mode) throws Exception {
        List<Throwable> outcomes = InProcessRanks.failures(way.configs(directory, mode), comm -> {
            try (Communicator twin = comm.split(0, 0)) {
                for (int count : new int[] {1, LARGE}) {
                    sum(comm, count);
                    sum(twin, count);
                }
                List<Communicator> order = comm.rank() == 0 ? List.of(comm, twin) : List.of(twin, comm);
                for (int turn = 0; turn < 4; turn++) {
                    List<MemorySegment> buffers = new ArrayList<>();
                    for (Communicator one : order) {
                        MemorySegment buffer = Way.memory(one, 4L * LARGE);
                        buffer.setAtIndex(JAVA_INT, 0, 5);
                        buffers.add(buffer);
                        one.allReduce(buffer, buffer, turn % 2 == 0 ? LARGE : 1, DataType.INT32, RedOp.SUM);
                    }
                    order.get(turn / 2).synchronize();
                    order.get(1 - turn / 2).synchronize();
                    buffers.forEach(buffer -> assertEquals(10, buffer.getAtIndex(JAVA_INT, 0)));
                }
            }
        });
        outcomes.forEach(outcome -> assertNull(outcome, () -> String.valueOf(outcome)));
    }

    @ParameterizedTest
    @MethodSource("io.proxyrt.collectives.Way#extremes")
    void shouldCarryMessagesOfSomeRanksAlone(Way way, ThreadingMode mode) throws Exception {
        List<Throwable> outcomes = InProcessRanks.failures(way.configs(directory, mode, 3, config -> config), comm -> {
            try (Communicator turned = comm.split(0, -comm.rank())) {
                MemorySegment buffer = Way.memory(comm, 4L * LARGE);
                buffer.setAtIndex(JAVA_INT, LARGE - 1, comm.rank());
                // The last of the ranks takes no part.
                if (turned.rank() == 0) {
                    turned.send(buffer, 1);
                } else if (turned.rank() == 1) {
                    turned.recv(buffer, 0);
                }
                turned.synchronize();
                assertEquals(new int[] {0, 2, 2}[comm.rank()], buffer.getAtIndex(JAVA_INT, LARGE - 1));
            }
        });
        outcomes.forEach(outcome -> assertNull(outcome, () -> String.valueOf(outcome)));
    }

    @ParameterizedTest
    @EnumSource(value = ThreadingMode.class, names = {"DEDICATED", "INVOKER"})
    void shouldServeTwoThreadsAtOnce(ThreadingMode mode) throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, mode, "NET").build();
        InProcessRanks.run(2, config, comm -> {
            try (Communicator twin = comm.split(0, 0)) {
                CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
                    for (int turn = 0; turn < 50; turn++) {
                        assertEquals(3, sum(twin, comm.rank() + 1, 1 + turn * 100));
                    }
                }, task -> Thread.ofPlatform().name("other").start(task));
                for (int turn = 0; turn < 50; turn++) {
                    assertEquals(1, sum(comm, comm.rank(), 1 + turn * 100));
                }
                other.get(60, TimeUnit.SECONDS);
            }
        });
    }

    /** One thread takes idle lanes of communicators that another one uses, and of such as come and go. */
    @ParameterizedTest
    @EnumSource(names = {"INVOKER", "DEDICATED"})
    void shouldLendLanesFromThreadToThread(ThreadingMode mode) throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, mode, "NET").set(CoreOptions.LANES, 2).build();
        InProcessRanks.run(2, config, comm -> {
            try (Communicator twin = comm.split(0, 0)) {
                CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
                    for (int turn = 0; turn < 15; turn++) {
                        try (Communicator third = twin.split(0, 0)) {
                            assertEquals(3, sum(third, comm.rank() + 1, 1 + turn * 100));
                        }
                        assertEquals(3, sum(twin, comm.rank() + 1, 1 + turn * 100));
                    }
                }, task -> Thread.ofPlatform().name("other").start(task));
                for (int turn = 0; turn < 300; turn++) {
                    assertEquals(1, sum(comm, comm.rank(), 100));
                }
                other.get(60, TimeUnit.SECONDS);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(value = ThreadingMode.class, names = {"DEDICATED", "INVOKER"})
    void shouldOutliveItsParent(ThreadingMode mode) throws Exception {
        List<ProxyConfig> configs = Collections.nCopies(4, config(directory, mode));
        List<Throwable> outcomes = InProcessRanks.outcomes(configs, comm -> {
            try (Communicator half = comm.split(comm.rank() % 2, 0)) {
                assertEquals(6, sum(comm, comm.rank(), 1));
                assertTrue(comm.close(Duration.ofSeconds(5)).isClean());
                assertEquals(comm.rank() % 2 == 0 ? 2 : 4, sum(half, comm.rank(), 1));
                assertEquals(comm.rank() % 2 == 0 ? 2 : 4, sum(half, comm.rank(), LARGE));
                half.barrier();
                assertTrue(half.close(Duration.ofSeconds(5)).isClean());
            }
            assertThrows(ProxyException.class, () -> comm.proxy().client());
        });
        outcomes.forEach(outcome -> assertNull(outcome, () -> String.valueOf(outcome)));
    }

    /** Whether they are used or not, and whether they are closed in the order of their making or not. */
    @Test
    void shouldHoldNoThreadAndNoDescriptorForEach() throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.DEDICATED, "SHM")
                .set(CoreOptions.BUFFER_BYTES, 64L << 10).build();
        Holdings[] before = new Holdings[1];
        CyclicBarrier all = new CyclicBarrier(2);
        InProcessRanks.run(2, config, comm -> {
            sum(comm, 1);
            comm.split(0, 0).close();
            all.await(30, TimeUnit.SECONDS);
            before[0] = comm.rank() == 0 ? Holdings.now() : before[0];
            all.await(30, TimeUnit.SECONDS);
            List<Communicator> twins = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                twins.add(comm.split(0, i));
                if (i % 20 == 0) {
                    sum(twins.getLast(), 1);
                    sum(twins.getLast(), 4096);
                }
            }
            all.await(30, TimeUnit.SECONDS);
            if (comm.rank() == 0) {
                Holdings now = Holdings.now();
                assertEquals(before[0].threads(), now.threads());
                assertEquals(before[0].descriptors(), now.descriptors());
            }
            all.await(30, TimeUnit.SECONDS);
            twins.reversed().forEach(Communicator::close);
            all.await(30, TimeUnit.SECONDS);
            if (comm.rank() == 0) {
                assertEquals(before[0], Holdings.now());
            }
            all.await(30, TimeUnit.SECONDS);
        });
    }

    /** Though there are fewer lanes of the ops pool. */
    @Test
    void shouldPostForMoreCommunicatorsThanThereAreLanes() throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.DEDICATED, "NET")
                .set(CoreOptions.LANES, 2).build();
        InProcessRanks.run(2, config, comm -> {
            List<Communicator> twins = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                twins.add(comm.split(0, i));
            }
            for (int turn = 0; turn < 3; turn++) {
                twins.forEach(twin -> assertEquals(3, sum(twin, comm.rank() + 1, 1000)));
            }
            twins.forEach(Communicator::close);
        });
    }
}
