/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.collectives.TuningTable.Range;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs that go by a tuning profile: a rank's ops say with whom it exchanged data. */
class TunedJobTest {
    private static final int RANKS = 4;
    private static final int COUNT = 10;
    /** Of a ring, and of two rounds. */
    private static final int RING_OPS = 2;
    private static final int ROUNDS_OPS = 4;

    @TempDir
    private Path directory;

    private Path profile(String name, Algorithm algorithm) {
        Path file = directory.resolve(name);
        Algorithm rounds = algorithm == Algorithm.RING ? algorithm : Algorithm.PAT;
        List<TuningTable> tables = new ArrayList<>();
        for (String transport : List.of("SHM", "NET")) {
            tables.add(table(transport, CollFunction.ALL_REDUCE, algorithm));
            tables.add(table(transport, CollFunction.ALL_GATHER, rounds));
        }
        new TuningProfile(TuningProfile.thisMachine(), tables).write(file);
        return file;
    }

    private static TuningTable table(String transport, CollFunction function, Algorithm algorithm) {
        return new TuningTable(transport, function, RANKS, List.of(new Range(1 << 20, algorithm)), Map.of());
    }

    private ProxyConfig config(Path file) {
        return InProcessRanks.config(directory, ThreadingMode.INVOKER)
                .set(CollectivesOptions.TUNING_PROFILE, file.toString()).build();
    }

    private static int treeOps(int rank) {
        TreePlace place = TreePlace.of(Nodes.of(List.of(0, 0, 0, 0)), rank, 0);
        return 2 * (place.down().size() + (place.up() < 0 ? 0 : 1));
    }

    private static void requireOps(Communicator comm, int reducing, int gathering) {
        MemorySegment data = Way.memory(comm, 4096);
        assertEquals(reducing, ops(comm, () -> comm.allReduce(data, data, COUNT, DataType.FLOAT32, RedOp.SUM)));
        assertEquals(gathering, ops(comm, () -> comm.allGather(data.asSlice(2048), data.asSlice(0, 2048), COUNT,
                DataType.FLOAT32)));
    }

    private static long ops(Communicator comm, Runnable call) {
        long before = comm.proxy().counters().get(Counter.OPS_COMPLETED);
        call.run();
        comm.synchronize();
        return comm.proxy().counters().get(Counter.OPS_COMPLETED) - before;
    }

    private void requireRanks(List<ProxyConfig> configs, InProcessRanks.Body body) throws Exception {
        for (Throwable failure : InProcessRanks.failures(configs, body)) {
            if (failure != null) {
                throw new AssertionError("a rank failed", failure);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"TREE", "DOUBLING", "RING"})
    void shouldReallyGoByTheProfile(Algorithm algorithm) throws Exception {
        ProxyConfig config = config(profile("profile", algorithm));
        requireRanks(IntStream.range(0, RANKS).mapToObj(any -> config).toList(), comm -> {
            requireOps(comm, algorithm == Algorithm.TREE ? treeOps(comm.rank())
                    : algorithm == Algorithm.RING ? RING_OPS : ROUNDS_OPS,
                    algorithm == Algorithm.RING ? RING_OPS : ROUNDS_OPS);
            assertEquals(algorithm, comm.algorithm(CollFunction.ALL_REDUCE, COUNT * Float.BYTES));
            assertEquals(Algorithm.RING, comm.algorithm(CollFunction.ALL_REDUCE, 2 << 20));
        });
    }

    /** What each host measured differs, and may be damaged or absent. */
    @Test
    void shouldGoByTheProfileOfRankZeroAtAllRanks() throws Exception {
        Path damaged = Files.writeString(directory.resolve("damaged"), "proxyrt tuning profile 1\nmachine x\n\0");
        List<ProxyConfig> configs = List.of(config(profile("zero", Algorithm.TREE)),
                config(profile("one", Algorithm.RING)), config(damaged), config(directory.resolve("absent")));
        requireRanks(configs, comm -> requireOps(comm, treeOps(comm.rank()), ROUNDS_OPS));
    }

    /** If that is damaged, as without. */
    @Test
    void shouldGoWithoutTheProfilesOfOtherRanks() throws Exception {
        Path damaged = Files.writeString(directory.resolve("damaged"), "nonsense");
        List<ProxyConfig> configs = List.of(config(damaged), config(profile("one", Algorithm.TREE)),
                config(profile("two", Algorithm.RING)), config(damaged));
        requireRanks(configs, comm -> requireOps(comm, ROUNDS_OPS, ROUNDS_OPS));
    }

    @Test
    void shouldGoByTheProfileInPartsOfTheJob() throws Exception {
        ProxyConfig config = config(profile("profile", Algorithm.RING));
        requireRanks(IntStream.range(0, 2 * RANKS).mapToObj(any -> config).toList(), comm -> {
            try (Communicator part = comm.split(comm.rank() % 2, 0)) {
                MemorySegment data = Way.memory(part, 64);
                part.allReduce(data, data, COUNT, DataType.FLOAT32, RedOp.SUM);
                part.synchronize();
                assertEquals(Algorithm.RING, part.algorithm(CollFunction.ALL_REDUCE, COUNT * Float.BYTES));
                requireOps(part, RING_OPS, RING_OPS);
            }
        });
    }

    @Test
    void shouldChangeTheAlgorithmsWithinARun() throws Exception {
        ProxyConfig config = config(profile("profile", Algorithm.RING));
        requireRanks(IntStream.range(0, RANKS).mapToObj(any -> config).toList(), comm -> {
            requireOps(comm, RING_OPS, RING_OPS);
            comm.algorithms(Allowed.only(Algorithm.TREE));
            requireOps(comm, treeOps(comm.rank()), ROUNDS_OPS);
            comm.algorithms(Allowed.only(Algorithm.DOUBLING, Algorithm.PAT));
            requireOps(comm, ROUNDS_OPS, ROUNDS_OPS);
            comm.algorithms(Allowed.all(Algorithm.class));
            requireOps(comm, RING_OPS, RING_OPS);
        });
    }
}
