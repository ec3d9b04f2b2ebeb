/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static io.proxyrt.collectives.Ints.assertInts;
import static io.proxyrt.collectives.Ints.ints;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.testkit.Extent;
import io.proxyrt.testkit.collnet.CollNetValues;
import io.proxyrt.testkit.plugin.ShmCollNetPlugin;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Collectives that the switch in software carries out, for ranks on nodes that are simulated by host ids. */
@Tag(Extent.SCALED)
class CollNetTest {
    private static final int[] COUNTS = {1, 3, 5, 31, 4095, 8193, 65_536, 300_007};

    @TempDir
    Path directory;

    /** By the number of ranks of each node. */
    private List<ProxyConfig> configs(String algorithm, ThreadingMode mode, int channels, int... nodes) {
        return IntStream.range(0, nodes.length).boxed().flatMap(node -> IntStream.range(0, nodes[node])
                .mapToObj(any -> config(algorithm, mode, channels).set(CoreOptions.HOST_ID, "node " + node).build()))
                .toList();
    }

    private ProxyConfig.Builder config(String algorithm, ThreadingMode mode, int channels) {
        return InProcessRanks.config(directory, mode, "").set("coll.algo", algorithm)
                .set(CollectivesOptions.COLLNET_ENABLE, true).set(CollectivesOptions.CHANNELS, channels);
    }

    private static int[] nodes(String text) {
        return Arrays.stream(text.split("\\+")).mapToInt(Integer::parseInt).toArray();
    }

    private static void run(List<ProxyConfig> configs, InProcessRanks.Body body) throws Exception {
        for (Throwable failure : InProcessRanks.failures(configs, body)) {
            if (failure != null) {
                throw new AssertionError("a rank failed", failure);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"COLLNET, DEDICATED, 1, 1+1", "COLLNET, INVOKER, 3, 1+1+1", "COLLNETDIRECT, DEDICATED, 2, 2+2",
        "COLLNETCHAIN, DEDICATED, 2, 3+3", "COLLNETDIRECT, INVOKER, 1, 1+3", "COLLNETCHAIN, DEDICATED, 9, 1+2"})
    void shouldAllReduce(String algorithm, ThreadingMode mode, int channels, String nodes) throws Exception {
        List<ProxyConfig> configs = configs(algorithm, mode, channels, nodes(nodes));
        int nRanks = configs.size();
        run(configs, comm -> {
            requireUsed(comm);
            int ranks = nRanks * (nRanks - 1) / 2;
            for (int count : COUNTS) {
                MemorySegment send = ints(count, i -> i + comm.rank());
                MemorySegment recv = ints(count, i -> -1);
                comm.allReduce(send, recv, count, DataType.INT32, RedOp.SUM);
                comm.allReduce(send, send, count, DataType.INT32, RedOp.SUM);
                comm.synchronize();
                assertInts(recv, count, i -> nRanks * i + ranks);
                assertInts(send, count, i -> nRanks * i + ranks);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"DEDICATED, 1, 1+1", "INVOKER, 2, 1+1+1", "DEDICATED, 3, 2+2", "DEDICATED, 9, 3+3"})
    void shouldAllGatherAndReduceScatter(ThreadingMode mode, int channels, String nodes) throws Exception {
        List<ProxyConfig> configs = configs("collnetdirect", mode, channels, nodes(nodes));
        int nRanks = configs.size();
        run(configs, comm -> {
            requireUsed(comm);
            for (int count : COUNTS) {
                MemorySegment mine = ints(count, i -> i ^ comm.rank() << 24);
                MemorySegment all = ints(count * nRanks, i -> -1);
                MemorySegment send = ints(count * nRanks, i -> i + comm.rank());
                MemorySegment recv = ints(count, i -> -1);
                comm.allGather(mine, all, count, DataType.INT32);
                comm.reduceScatter(send, recv, count, DataType.INT32, RedOp.MAX);
                comm.synchronize();
                assertInts(all, count * nRanks, i -> i % count ^ i / count << 24);
                assertInts(recv, count, i -> i + count * comm.rank() + nRanks - 1);
                MemorySegment inPlace = send.asSlice(4L * count * comm.rank(), 4L * count);
                comm.reduceScatter(send, inPlace, count, DataType.INT32, RedOp.MAX);
                comm.allGather(all.asSlice(4L * count * comm.rank(), 4L * count), all, count, DataType.INT32);
                comm.synchronize();
                assertInts(inPlace, count, i -> i + count * comm.rank() + nRanks - 1);
                assertInts(all, count * nRanks, i -> i % count ^ i / count << 24);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(DataType.class)
    void shouldReduceAllTypesByAllOperators(DataType type) throws Exception {
        run(configs("collnet", ThreadingMode.DEDICATED, 2, 2, 2), comm -> {
            requireUsed(comm);
            int count = 1003;
            for (RedOp op : RedOp.values()) {
                MemorySegment send = Arena.ofAuto().allocate((long) count * type.sizeBytes(), 8);
                MemorySegment recv = Arena.ofAuto().allocate(send.byteSize(), 8);
                CollNetValues.fill(send, type, comm.rank(), 0);
                comm.allReduce(send, recv, count, type, op);
                comm.synchronize();
                CollNetValues.assertReduced(recv, type, op, comm.nRanks(), 0);
            }
        });
    }

    /** Of registered memory, too, which the network would take as it is. */
    @ParameterizedTest
    @CsvSource({"COLLNET, 1+1", "COLLNETDIRECT, 2+2", "COLLNETCHAIN, 3+3"})
    void shouldSumWhatEachRankHasMultiplied(String algorithm, String nodes) throws Exception {
        List<ProxyConfig> configs = configs(algorithm, ThreadingMode.DEDICATED, 2, nodes(nodes));
        int nRanks = configs.size();
        run(configs, comm -> {
            requireUsed(comm);
            PreMulSum op = PreMulSum.of(DataType.INT32, 1 + comm.rank());
            IntUnaryOperator sum = i -> IntStream.range(0, nRanks).map(rank -> (1 + rank) * (i + rank)).sum();
            for (int count : COUNTS) {
                MemorySegment send = comm.allocate(4L * count).segment().copyFrom(ints(count, i -> i + comm.rank()));
                MemorySegment recv = comm.allocate(4L * count).segment();
                MemorySegment all = ints(count * nRanks, i -> i + comm.rank());
                MemorySegment part = ints(count, i -> -1);
                comm.allReduce(send, recv, count, DataType.INT32, op);
                comm.reduceScatter(all, part, count, DataType.INT32, op);
                comm.synchronize();
                assertInts(recv, count, sum);
                assertInts(part, count, i -> sum.applyAsInt(i + count * comm.rank()));
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldDivideTheSumOnce(boolean isRegistered) throws Exception {
        run(configs("collnet", ThreadingMode.DEDICATED, 1, 1, 1, 1), comm -> {
            requireUsed(comm);
            int count = 100_003;
            MemorySegment data = isRegistered ? comm.allocate(4L * count).segment()
                    : Arena.ofAuto().allocate(4L * count, 8);
            for (int i = 0; i < count; i++) {
                data.setAtIndex(JAVA_FLOAT, i, i + comm.rank() * 0.75f);
            }
            comm.allReduce(data, data, count, DataType.FLOAT32, RedOp.AVG);
            comm.synchronize();
            for (int i = 0; i < count; i++) {
                assertEquals(((float) i + (i + 0.75f) + (i + 1.5f)) / 3, data.getAtIndex(JAVA_FLOAT, i), "at " + i);
            }
        });
    }

    /** Rank 0's memory goes to the network as it is, the others' by slots: the calls are the same. */
    @ParameterizedTest
    @CsvSource({"1, false", "1, true", "3, false", "8, true", "9, false"})
    void shouldReduceRegisteredMemoryBesideOther(int channels, boolean isInPlace) throws Exception {
        run(configs("collnet", ThreadingMode.DEDICATED, channels, 1, 1, 1), comm -> {
            requireUsed(comm);
            for (int count : new int[] {20_000, 65_536, 1_000_003}) {
                MemorySegment send = room(comm, count);
                MemorySegment recv = isInPlace ? send : room(comm, count);
                for (int i = 0; i < count; i++) {
                    send.setAtIndex(JAVA_INT, i, i * 3 + comm.rank());
                }
                comm.allReduce(send, recv, count, DataType.INT32, RedOp.SUM);
                comm.synchronize();
                assertInts(recv, count, i -> 9 * i + 3);
            }
        });
    }

    private static MemorySegment room(Communicator comm, int count) {
        return comm.rank() == 0 ? comm.allocate(4L * count).segment() : Arena.ofAuto().allocate(4L * count, 8);
    }

    @Test
    void shouldMixWithOtherCollectives() throws Exception {
        List<ProxyConfig> configs = configs("auto", ThreadingMode.DEDICATED, 2, 2, 2);
        run(configs, comm -> {
            requireUsed(comm);
            int nRanks = comm.nRanks();
            for (int round = 0; round < 20; round++) {
                // Small ones go by the network, large ones by the ring.
                int count = round % 2 == 0 ? 1000 + round : 400_000 + round;
                int root = round % nRanks;
                MemorySegment data = ints(count, i -> i + comm.rank());
                MemorySegment told = ints(count, i -> i * 3 + comm.rank());
                comm.allReduce(data, data, count, DataType.INT32, RedOp.MAX);
                comm.broadcast(told, told, count, DataType.INT32, root);
                comm.synchronize();
                assertInts(data, count, i -> i + nRanks - 1);
                assertInts(told, count, i -> i * 3 + root);
            }
        });
    }

    /** The table of docs/collnet.md, in parts of which an all-reduce has as many as there are nodes. */
    @ParameterizedTest
    @CsvSource({"COLLNET, 2, 2, 2, 1, 2, 2, 1", "COLLNET, 4, 4, 4, 1, 4, 4, 1", "COLLNET, 8, 8, 8, 1, 8, 8, 1",
        "RING, 2, 2, 2, 1, 1, 1, 1", "RING, 4, 6, 6, 3, 3, 3, 3", "RING, 8, 14, 14, 7, 7, 7, 7"})
    void shouldCarryAsManyBytes(String algorithm, int nRanks, int reduceOut, int reduceIn, int gatherOut,
            int gatherIn, int scatterOut, int scatterIn) throws Exception {
        int[] nodes = IntStream.generate(() -> 1).limit(nRanks).toArray();
        int part = 64 << 10;
        run(configs(algorithm, ThreadingMode.INVOKER, 1, nodes), comm -> {
            MemorySegment whole = ints(nRanks * part / Integer.BYTES, i -> i);
            MemorySegment mine = ints(part / Integer.BYTES, i -> i);
            int count = part / Integer.BYTES;
            requireBytes(comm, part, reduceOut, reduceIn,
                    () -> comm.allReduce(whole, whole, (long) nRanks * count, DataType.INT32, RedOp.SUM));
            requireBytes(comm, part, gatherOut, gatherIn, () -> comm.allGather(mine, whole, count, DataType.INT32));
            requireBytes(comm, part, scatterOut, scatterIn,
                    () -> comm.reduceScatter(whole, mine, count, DataType.INT32, RedOp.SUM));
        });
    }

    private static void requireBytes(Communicator comm, long part, int out, int in, Runnable collective) {
        Counters counters = comm.proxy().counters();
        long sent = counters.get(Counter.NET_BYTES_SENT);
        long received = counters.get(Counter.NET_BYTES_RECEIVED);
        collective.run();
        comm.synchronize();
        assertEquals(out * part, counters.get(Counter.NET_BYTES_SENT) - sent);
        assertEquals(in * part, counters.get(Counter.NET_BYTES_RECEIVED) - received);
    }

    @Test
    void shouldSayWhyTheNetworkIsNotUsed() throws Exception {
        run(configs("auto", ThreadingMode.DEDICATED, 1, 2), comm ->
                assertTrue(comm.explainCollNet().contains("are on 1 node"), comm::explainCollNet));
        run(configs("ring", ThreadingMode.DEDICATED, 1, 1, 1), comm ->
                assertTrue(comm.explainCollNet().contains("coll.algo is ring"), comm::explainCollNet));
    }

    @Test
    void shouldNotConnectNetworksOfDifferentNames() throws Exception {
        assumeTrue(ShmCollNetPlugin.whyNot().isEmpty(), ShmCollNetPlugin::whyNot);
        ProxyConfig plugIn = config("auto", ThreadingMode.DEDICATED, 1).set(CoreOptions.HOST_ID, "node 0")
                .set(CoreOptions.NET_PLUGIN, ShmCollNetPlugin.library(12).toString()).set("net", "Socket").build();
        ProxyConfig other = configs("auto", ThreadingMode.DEDICATED, 1, 1, 1).getLast();
        run(List.of(plugIn, other), comm -> {
            assertTrue(comm.explainCollNet().startsWith("not used: rank 0 has the network " + ShmCollNetPlugin.NAME
                    + ", and rank 1 has Switch"), comm::explainCollNet);
            CheckedTalk.allReduce(comm, 1000);
        });
    }

    private static void requireUsed(Communicator comm) {
        assertTrue(comm.explainCollNet().startsWith("used"), comm::explainCollNet);
    }
}
