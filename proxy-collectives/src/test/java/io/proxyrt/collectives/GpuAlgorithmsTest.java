/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.testkit.Extent;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What GPUs have beside rings, with any number of ranks and nodes, of any type and operator, between those. */
@Tag(Extent.SCALED)
class GpuAlgorithmsTest {
    private static final int FEWEST_RANKS = 2;
    private static final int MOST_RANKS = 8;
    private static final int MOST_NODES = 3;
    private static final int CASES = 96;
    private static final int CALLS = 10;
    private static final int LARGE = 300_000;
    /** All but the user's own, which GPUs refuse. */
    private static final int MOST_OPS = 6;
    /** By trees more often than by rings. */
    private static final List<CollFunction> FUNCTIONS = List.of(CollFunction.ALL_REDUCE, CollFunction.ALL_REDUCE,
            CollFunction.REDUCE, CollFunction.BROADCAST, CollFunction.BROADCAST, CollFunction.REDUCE_SCATTER);

    @TempDir
    Path directory;

    /** What is drawn for a seed. */
    private record Case(int seed, Algorithm algorithm, Protocol protocol, String transport, int nRanks, int nodes,
            int channels, DataType type, List<Integer> ops, ThreadingMode mode, boolean isInTurn) {
        static Case of(int seed) {
            Random random = new Random(seed);
            int nRanks = FEWEST_RANKS + seed % (MOST_RANKS - FEWEST_RANKS + 1);
            int nodes = 1 + random.nextInt(Math.min(nRanks, MOST_NODES));
            Protocol protocol = Protocol.values()[random.nextInt(Protocol.values().length)];
            String transport = nodes > 1 ? random.nextBoolean() ? "" : "NET"
                    : List.of("P2P", "SHM", "NET").get(random.nextInt(3));
            DataType type = DataType.values()[random.nextInt(DataType.values().length)];
            ThreadingMode mode = nRanks <= 3 && random.nextBoolean() ? ThreadingMode.DEDICATED : ThreadingMode.INVOKER;
            // Each is compiled.
            List<Integer> ops = List.of(random.nextInt(MOST_OPS), random.nextInt(MOST_OPS));
            Algorithm algorithm = nodes > 1 && random.nextInt(3) == 0 ? Algorithm.HIERARCHICAL : Algorithm.TREE;
            return new Case(seed, algorithm, protocol, transport, nRanks, nodes, 1 + random.nextInt(3), type,
                    ops, mode, random.nextBoolean());
        }

        static Case of(String transport, int nRanks, int nodes) {
            return new Case(0, Algorithm.TREE, Protocol.SIMPLE, transport, nRanks, nodes, 2, DataType.FLOAT32,
                    List.of(), ThreadingMode.INVOKER, false);
        }

        static Case of(Algorithm algorithm, int nRanks, int nodes) {
            return new Case(0, algorithm, Protocol.SIMPLE, "", nRanks, nodes, 2, DataType.FLOAT32, List.of(),
                    ThreadingMode.INVOKER, true);
        }

        /** Nodes have ranks that follow each other, or get them in turn. */
        int node(int rank) {
            return isInTurn ? rank % nodes : rank * nodes / nRanks;
        }

        List<Integer> hosts() {
            return IntStream.range(0, nRanks).mapToObj(this::node).toList();
        }
    }

    static Stream<Case> cases() {
        return Extent.sample(8, IntStream.range(0, CASES).mapToObj(Case::of));
    }

    private ProxyConfig.Builder config(Case of, int rank) {
        return GpuRanks.config(directory, of.mode, of.transport, rank)
                .set(CoreOptions.HOST_ID, "node " + of.node(rank))
                .set(CollectivesOptions.ALGORITHM, Allowed.only(of.algorithm))
                .set(CollectivesOptions.PROTOCOL, Allowed.only(of.protocol))
                .set(CollectivesOptions.CHANNELS, of.channels);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldComputeTheSame(Case of) throws Exception {
        run(of, comm -> {
            Random random = new Random(of.seed);
            for (int call = 0; call < CALLS; call++) {
                CheckedCollective alone = checked(comm, random, of);
                alone.call(comm);
                comm.synchronize();
                alone.check();
            }
            List<CheckedCollective> together = Stream.generate(() -> checked(comm, random, of)).limit(CALLS).toList();
            comm.group(calls -> together.forEach(each -> each.call(calls)));
            comm.synchronize();
            together.forEach(CheckedCollective::check);
        });
    }

    private static CheckedCollective checked(Communicator comm, Random random, Case of) {
        return new CheckedCollective(comm, random, FUNCTIONS, List.of(of.type), of.ops);
    }

    private void run(Case of, InProcessRanks.Body body) throws Exception {
        run(of, IntStream.range(0, of.nRanks).mapToObj(rank -> config(of, rank).build()).toList(), body);
    }

    private static void run(Case of, List<ProxyConfig> configs, InProcessRanks.Body body) throws Exception {
        GpuRanks.assumeRoomFor(of.nRanks);
        AssertionError error = new AssertionError(of + ": a rank failed");
        InProcessRanks.failures(configs, body).stream().filter(Objects::nonNull).forEach(error::addSuppressed);
        if (error.getSuppressed().length > 0) {
            throw error;
        }
    }

    /** A rank's ops say with whom it exchanged data: by two channels, one for each tree. */
    @ParameterizedTest
    @CsvSource({"2, 1, 40", "6, 1, 40", "7, 3, 40", "5, 2, 100000"})
    void shouldReallyGoByTrees(int nRanks, int nodes, int count) throws Exception {
        Case of = Case.of("NET", nRanks, nodes);
        int trees = count < 1000 ? 1 : TreePlace.TREES;
        requireOps(of, rank -> 2 * IntStream.range(0, trees).map(tree -> neighbours(TreePlace.of(Nodes.of(of.hosts()),
                rank, tree))).sum(), (comm, data) -> comm.allReduce(data, data, count, DataType.FLOAT32, RedOp.SUM));
    }

    @ParameterizedTest
    @CsvSource({"6, 1, 0", "7, 3, 5"})
    void shouldReallyGoByTheTreeOfTheRoot(int nRanks, int nodes, int root) throws Exception {
        Case of = Case.of("NET", nRanks, nodes);
        IntUnaryOperator neighbours = rank -> neighbours(TreePlace.rooted(Nodes.of(of.hosts()), rank, root));
        requireOps(of, neighbours, (comm, data) -> comm.broadcast(data, data, 40, DataType.FLOAT32, root));
        requireOps(of, neighbours, (comm, data) -> comm.reduce(data, data, 40, DataType.FLOAT32, RedOp.SUM, root));
    }

    private static int neighbours(TreePlace place) {
        return place.down().size() + (place.up() < 0 ? 0 : 1);
    }

    /** Slots that are larger than a chunk: kernel and proxy cut alike, or one waits for the other. */
    @ParameterizedTest
    @CsvSource({"SIMPLE, 2", "LL128, 3"})
    void shouldCutAsTheProxyIsTold(Protocol protocol, int nRanks) throws Exception {
        Case of = Case.of("NET", nRanks, 1);
        List<ProxyConfig> configs = IntStream.range(0, nRanks).mapToObj(rank -> config(of, rank)
                .set(CollectivesOptions.PROTOCOL, Allowed.only(protocol)).set(CoreOptions.BUFFER_BYTES, 4L << 20)
                .set(CoreOptions.LL128_BUFFER_BYTES, 4L << 20).build()).toList();
        run(of, configs, comm -> {
            MemorySegment data = Way.memory(comm, 4L * LARGE);
            for (int i = 0; i < LARGE; i++) {
                data.setAtIndex(ValueLayout.JAVA_FLOAT, i, i % 7 + comm.rank());
            }
            comm.allReduce(data, data, LARGE, DataType.FLOAT32, RedOp.SUM);
            comm.synchronize();
            int ranks = nRanks * (nRanks - 1) / 2;
            for (int i = 0; i < LARGE; i++) {
                assertEquals(i % 7 * nRanks + ranks, data.getAtIndex(ValueLayout.JAVA_FLOAT, i));
            }
        });
    }

    /** Within the node a ring needs no proxy; over the nodes there is one both ways, of ranks that have a part. */
    @ParameterizedTest
    @CsvSource({"4, 2, 40, SUM, 1", "8, 4, 3001, AVG, 1", "6, 2, 3, SUM, 1", "6, 3, 100000, AVG, 2"})
    void shouldReallyGoByNodes(int nRanks, int nodes, int count, RedOp op, int channels) throws Exception {
        Case of = Case.of(Algorithm.HIERARCHICAL, nRanks, nodes);
        int parts = nRanks / nodes;
        requireOps(of, rank -> rank / nodes * 4 < count && rank / nodes < parts ? 2 * channels : 0,
                (comm, data) -> comm.allReduce(data, data, count, DataType.FLOAT32, op));
    }

    private void requireOps(Case of, IntUnaryOperator opsOfRank, BiConsumer<Communicator, MemorySegment> call)
            throws Exception {
        run(of, comm -> {
            MemorySegment data = Way.memory(comm, 400_000);
            long before = comm.proxy().counters().get(Counter.OPS_COMPLETED);
            call.accept(comm, data);
            comm.synchronize();
            assertEquals(opsOfRank.applyAsInt(comm.rank()),
                    comm.proxy().counters().get(Counter.OPS_COMPLETED) - before, () -> "rank " + comm.rank());
        });
    }

    /** Within a node there are no ops: two ranks have one with the other node's, each way. */
    @Tag("installed-gpu")
    @Test
    void shouldTakeTreesBetweenNodesUnlessAskedNotTo() throws Exception {
        Case of = Case.of("", 4, 2);
        List<ProxyConfig> configs = IntStream.range(0, of.nRanks).mapToObj(rank -> config(of, rank)
                .set(CollectivesOptions.ALGORITHM, Allowed.all(Algorithm.class)).build()).toList();
        run(of, configs, comm -> {
            assertEquals(Algorithm.TREE, comm.algorithm(CollFunction.ALL_REDUCE, 4000));
            assertEquals(Algorithm.RING, comm.algorithm(CollFunction.BROADCAST, 4000));
            MemorySegment data = Way.memory(comm, 4000);
            long before = comm.proxy().counters().get(Counter.OPS_COMPLETED);
            comm.allReduce(data, data, 1000, DataType.FLOAT32, RedOp.SUM);
            comm.synchronize();
            assertEquals(comm.rank() % 2 == 0 ? 2 : 0, comm.proxy().counters().get(Counter.OPS_COMPLETED) - before);
        });
    }

    /** A rank with a parent and children, one that is a leaf of a tree, and the root. */
    @ParameterizedTest
    @CsvSource({"SHM, 4, LL, 1", "P2P, 5, SIMPLE, 1", "NET, 0, LL128, 1", "HIERARCHICAL, 4, SIMPLE, 2"})
    void shouldNameARankThatLeaves(String way, int leaving, Protocol protocol, int nodes) throws Exception {
        Case of = nodes > 1 ? Case.of(Algorithm.valueOf(way), 6, nodes) : Case.of(way, 6, nodes);
        GpuRanks.assumeRoomFor(of.nRanks);
        List<Throwable> outcomes = InProcessRanks.outcomes(IntStream.range(0, of.nRanks).mapToObj(rank ->
                config(of, rank).set(CollectivesOptions.PROTOCOL, Allowed.only(protocol)).build()).toList(), comm -> {
            MemorySegment data = Way.memory(comm, 400_000);
            for (int i = 0; i < 50 && (comm.rank() != leaving || i < 3); i++) {
                comm.allReduce(data, data, 100_000, DataType.FLOAT32, RedOp.SUM);
                comm.synchronize();
            }
        });
        for (int rank = 0; rank < of.nRanks; rank++) {
            if (rank != leaving) {
                Throwable failure = outcomes.get(rank);
                assertNotNull(failure, "rank " + rank + " went on");
                assertTrue(failure.getMessage().contains("rank " + leaving), failure::toString);
            }
        }
    }
}
