/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.collectives.kernel.RingOrder;
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
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each algorithm of kernels of the host, with any number of ranks and nodes, alone and in groups. */
@Tag(Extent.SCALED)
class AlgorithmsTest {
    private static final int MOST_RANKS = 17;
    private static final int MOST_NODES = 4;
    private static final int CASES = 7 * MOST_RANKS;
    private static final int CALLS = 8;
    private static final int MIXED = 54;
    private static final List<CollFunction> FUNCTIONS = List.of(CollFunction.ALL_REDUCE, CollFunction.REDUCE,
            CollFunction.BROADCAST, CollFunction.ALL_GATHER, CollFunction.REDUCE_SCATTER, CollFunction.ALL_TO_ALL);

    @TempDir
    Path directory;

    /** What is drawn for a seed. */
    private record Case(int seed, Algorithm algorithm, Protocol protocol, String transport, int nRanks, int nodes,
            ThreadingMode mode, boolean isInTurn) {
        static Case of(int seed) {
            Random random = new Random(seed);
            int nRanks = 1 + seed % MOST_RANKS;
            int nodes = 1 + random.nextInt(Math.min(nRanks, MOST_NODES));
            Algorithm algorithm = List.of(Algorithm.TREE, Algorithm.DOUBLING, Algorithm.PAT).get(random.nextInt(3));
            Protocol protocol = random.nextInt(3) > 0 ? Protocol.SIMPLE
                    : random.nextBoolean() ? Protocol.LL : Protocol.LL128;
            String transport = nodes > 1 ? random.nextBoolean() ? "" : "NET" : random.nextBoolean() ? "SHM" : "NET";
            ThreadingMode mode = nRanks <= MOST_NODES && random.nextBoolean() ? ThreadingMode.DEDICATED
                    : ThreadingMode.INVOKER;
            boolean isInTurn = random.nextBoolean();
            return new Case(seed, random.nextInt(2) > 0 ? algorithm
                    : random.nextBoolean() ? Algorithm.HIERARCHICAL : Algorithm.RING, protocol, transport, nRanks,
                    nodes, mode, isInTurn);
        }

        /** Nodes have ranks that follow each other, or get them in turn. */
        int node(int rank) {
            return isInTurn ? rank % nodes : rank * nodes / nRanks;
        }
    }

    /** The first: rounds with ranks of the same node and of others, whose connections differ in what they speak. */
    static Stream<Case> cases() {
        return Stream.concat(Stream.of(Case.of(MIXED)),
                Extent.sample(12, IntStream.range(0, CASES).filter(seed -> seed != MIXED).mapToObj(Case::of)));
    }

    private ProxyConfig config(Case of, int rank) {
        return InProcessRanks.config(directory, of.mode, of.transport)
                .set(CoreOptions.HOST_ID, "node " + of.node(rank))
                .set(CollectivesOptions.ALGORITHM, Allowed.only(of.algorithm))
                .set(CollectivesOptions.PROTOCOL, Allowed.only(of.protocol))
                .set(CollectivesOptions.CHANNELS, 1 + of.seed % 2).build();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldComputeTheSame(Case of) throws Exception {
        List<ProxyConfig> configs = IntStream.range(0, of.nRanks).mapToObj(rank -> config(of, rank)).toList();
        for (Throwable failure : InProcessRanks.failures(configs, comm -> {
            Random random = new Random(of.seed);
            for (int call = 0; call < CALLS; call++) {
                CheckedCollective alone = new CheckedCollective(comm, random, FUNCTIONS);
                alone.call(comm);
                comm.synchronize();
                alone.check();
            }
            group(comm, random);
        })) {
            if (failure != null) {
                throw new AssertionError(of + ": a rank failed", failure);
            }
        }
    }

    /** Small ones of one type are carried out as one, and messages go beside all. */
    private static void group(Communicator comm, Random random) {
        List<CheckedCollective> together = Stream.generate(() -> new CheckedCollective(comm, random, FUNCTIONS))
                .limit(CALLS).toList();
        int n = comm.nRanks();
        MemorySegment out = Way.memory(comm, 64);
        MemorySegment in = Way.memory(comm, 64);
        out.fill((byte) comm.rank());
        comm.group(calls -> {
            together.forEach(each -> each.call(calls));
            calls.sendRecv(out, (comm.rank() + 1) % n, in, (comm.rank() + n - 1) % n);
            Random again = new Random(n);
            for (int i = 0; i < CALLS; i++) {
                new CheckedCollective(comm, again, List.of(CollFunction.ALL_REDUCE)).call(calls);
            }
        });
        comm.synchronize();
        together.forEach(CheckedCollective::check);
        assertEquals(-1, in.mismatch(in.asSlice(0).fill((byte) ((comm.rank() + n - 1) % n))));
    }

    /** A rank's ops say with whom it exchanged data. */
    @ParameterizedTest
    @CsvSource({"6, 1, 40", "7, 3, 40", "9, 4, 100000"})
    void shouldReallyGoByTrees(int nRanks, int nodes, int count) throws Exception {
        List<Integer> hosts = hosts(nRanks, nodes);
        int trees = count < 1000 ? 1 : TreePlace.TREES;
        requireOps(of(Algorithm.TREE, nRanks, nodes), rank -> 2 * IntStream.range(0, trees)
                .map(tree -> neighbours(TreePlace.of(Nodes.of(hosts), rank, tree))).sum(),
                (comm, data) -> comm.allReduce(data, data, count, DataType.FLOAT32, RedOp.SUM));
    }

    @ParameterizedTest
    @CsvSource({"6, 1, 0", "7, 3, 5"})
    void shouldReallyGoByTheTreeOfTheRoot(int nRanks, int nodes, int root) throws Exception {
        List<Integer> hosts = hosts(nRanks, nodes);
        IntUnaryOperator neighbours = rank -> neighbours(TreePlace.rooted(Nodes.of(hosts), rank, root));
        requireOps(of(Algorithm.TREE, nRanks, nodes), neighbours,
                (comm, data) -> comm.broadcast(data, data, 40, DataType.FLOAT32, root));
        requireOps(of(Algorithm.TREE, nRanks, nodes), neighbours,
                (comm, data) -> comm.reduce(data, data, 40, DataType.FLOAT32, RedOp.SUM, root));
    }

    private static List<Integer> hosts(int nRanks, int nodes) {
        return IntStream.range(0, nRanks).mapToObj(rank -> rank * nodes / nRanks).toList();
    }

    private static int neighbours(TreePlace place) {
        return place.down().size() + (place.up() < 0 ? 0 : 1);
    }

    @ParameterizedTest
    @CsvSource({"3", "6", "8", "11"})
    void shouldReallyTakeFewRounds(int nRanks) throws Exception {
        int rounds = Integer.SIZE - Integer.numberOfLeadingZeros(nRanks - 1);
        requireOps(of(Algorithm.PAT, nRanks, 1), rank -> 2 * rounds,
                (comm, data) -> comm.allGather(data.asSlice(200_000), data.asSlice(0, 200_000), 10, DataType.FLOAT32));
        requireOps(of(Algorithm.PAT, nRanks, 1), rank -> 2 * rounds, (comm, data) -> comm.reduceScatter(
                data.asSlice(0, 200_000), data.asSlice(200_000), 10, DataType.FLOAT32, RedOp.SUM));
        requireOps(of(Algorithm.DOUBLING, nRanks, 1), rank -> 2 * Doubling.partners(rank, nRanks).length,
                (comm, data) -> comm.allReduce(data, data, 10, DataType.FLOAT32, RedOp.SUM));
    }

    /** Of each ring, as many connections as there are nodes go from one to another: the others need no proxy. */
    @ParameterizedTest
    @CsvSource({"6, 2", "7, 3", "5, 4"})
    void shouldHaveRanksOfANodeFollowEachOther(int nRanks, int nodes) throws Exception {
        Case of = new Case(0, Algorithm.RING, Protocol.SIMPLE, "", nRanks, nodes, ThreadingMode.INVOKER, true);
        RingOrder order = Nodes.of(IntStream.range(0, nRanks).mapToObj(of::node).toList()).ring();
        IntUnaryOperator afar = rank -> (of.node(order.prev(rank)) != of.node(rank) ? 1 : 0)
                + (of.node(order.next(rank)) != of.node(rank) ? 1 : 0);
        assertEquals(2 * nodes, IntStream.range(0, nRanks).map(afar).sum());
        requireOps(of, afar, (comm, data) -> comm.allReduce(data, data, 1000, DataType.FLOAT32, RedOp.SUM));
        requireOps(of, afar, (comm, data) -> comm.allGather(data.asSlice(200_000), data.asSlice(0, 200_000), 1000,
                DataType.FLOAT32));
        requireOps(of, afar, (comm, data) -> comm.reduceScatter(data.asSlice(0, 200_000), data.asSlice(200_000), 1000,
                DataType.FLOAT32, RedOp.SUM));
    }

    /** Within the node a ring needs no proxy; over the nodes there is one both ways. */
    @ParameterizedTest
    @CsvSource({"4, 2, 40", "8, 4, 100000", "6, 2, 3"})
    void shouldReallyGoByNodes(int nRanks, int nodes, int count) throws Exception {
        Case of = new Case(0, Algorithm.HIERARCHICAL, Protocol.SIMPLE, "", nRanks, nodes, ThreadingMode.INVOKER, true);
        int parts = nRanks / nodes;
        requireOps(of, rank -> rank / nodes * 4 < count && rank / nodes < parts ? 2 : 0,
                (comm, data) -> comm.allReduce(data, data, count, DataType.FLOAT32, RedOp.AVG));
    }

    private static Case of(Algorithm algorithm, int nRanks, int nodes) {
        return new Case(0, algorithm, Protocol.SIMPLE, "NET", nRanks, nodes, ThreadingMode.INVOKER, false);
    }

    private void requireOps(Case of, IntUnaryOperator opsOfRank, BiConsumer<Communicator, MemorySegment> call)
            throws Exception {
        List<ProxyConfig> configs = IntStream.range(0, of.nRanks).mapToObj(rank -> config(of, rank)).toList();
        for (Throwable failure : InProcessRanks.failures(configs, comm -> {
            MemorySegment data = Way.memory(comm, 400_000);
            long before = comm.proxy().counters().get(Counter.OPS_COMPLETED);
            call.accept(comm, data);
            comm.synchronize();
            assertEquals(opsOfRank.applyAsInt(comm.rank()),
                    comm.proxy().counters().get(Counter.OPS_COMPLETED) - before, () -> "rank " + comm.rank());
        })) {
            if (failure != null) {
                throw new AssertionError(of + ": a rank failed", failure);
            }
        }
    }

    /** A rank with a parent and children, one that is a leaf of all, one that is folded, and one of a round. */
    @ParameterizedTest
    @CsvSource({"TREE, 4, 2, 100000", "TREE, 5, 1, 100000", "DOUBLING, 0, 1, 1000", "PAT, 3, 2, 1000",
        "HIERARCHICAL, 4, 2, 100000"})
    void shouldNameARankThatLeaves(Algorithm algorithm, int leaving, int nodes, int count) throws Exception {
        int nRanks = 6;
        Case of = new Case(0, algorithm, Protocol.SIMPLE, nodes == 1 ? "SHM" : "", nRanks, nodes,
                ThreadingMode.INVOKER, false);
        List<Throwable> outcomes = InProcessRanks.outcomes(IntStream.range(0, nRanks)
                .mapToObj(rank -> config(of, rank)).toList(), comm -> {
            MemorySegment data = Way.memory(comm, 400_000);
            for (int i = 0; i < 50 && (comm.rank() != leaving || i < 3); i++) {
                if (algorithm == Algorithm.PAT) {
                    comm.allGather(data.asSlice(200_000), data.asSlice(0, 200_000), count, DataType.FLOAT32);
                } else {
                    comm.allReduce(data, data, count, DataType.FLOAT32, RedOp.SUM);
                }
                comm.synchronize();
            }
        });
        for (int rank = 0; rank < nRanks; rank++) {
            if (rank != leaving) {
                Throwable failure = outcomes.get(rank);
                assertNotNull(failure, "rank " + rank + " went on");
                assertTrue(failure.getMessage().contains("rank " + leaving), failure::toString);
            }
        }
    }
}
