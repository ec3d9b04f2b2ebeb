/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.bootstrap.RankRuntime;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Direction;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.testkit.net.SoftRailsProvider;
import io.proxyrt.topology.TopologyOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the topology of hosts decides: of each, two PCI switches on two sockets, the first with GPUs 0 and 1 and adapter
 * 0, the second with GPUs 2 and 3 and adapters 1 and 2.
 */
class PlacementTest {
    private static final int GPUS = 4;
    private static final int CHANNELS = 4;
    private static final List<CollFunction> FUNCTIONS = List.of(CollFunction.ALL_REDUCE, CollFunction.ALL_REDUCE,
            CollFunction.REDUCE, CollFunction.BROADCAST, CollFunction.ALL_GATHER, CollFunction.REDUCE_SCATTER);

    @TempDir
    Path directory;

    /** The second GPU has two adapters to itself. */
    @Test
    void shouldTakeTheAdaptersNearestToTheGpuInTurn() throws Exception {
        Path machine = machine("0", "1");
        List<ProxyConfig> configs = IntStream.range(0, 4).mapToObj(rank -> gpu(rank, 2 * (rank % 2), 2, "NET")
                .set(TopologyOptions.TOPO_FILE, machine.toString()).build()).toList();
        run(configs, PlacementTest::reduce);
        for (int rank = 0; rank < 4; rank++) {
            requireTaken(rank, rank % 2 == 0 ? new int[] {0} : new int[] {1, 2});
        }
    }

    /** Both GPUs of a switch have one each of its two adapters. */
    @Test
    void shouldShareAdaptersAmongTheGpusOfASwitch() throws Exception {
        Path machine = machine("0", "1");
        run(IntStream.range(0, 4).mapToObj(rank -> gpu(rank, 2 + rank % 2, 2, "NET")
                .set(TopologyOptions.TOPO_FILE, machine.toString()).build()).toList(), PlacementTest::reduce);
        for (int rank = 0; rank < 4; rank++) {
            requireTaken(rank, 1 + rank % 2);
        }
    }

    @Test
    void shouldTakeTheAdaptersNearestToTheCpusOfAHostRank() throws Exception {
        run(List.of(host(machine("1", "0")), host(machine("0", "1"))), PlacementTest::reduce);
        requireTaken(0, 1, 2);
        requireTaken(1, 0);
    }

    @Test
    void shouldTakeAllAdaptersInTurnIfTheirPlacesAreUnknown() throws Exception {
        Path bare = Files.writeString(directory.resolve("bare.xml"), "<system version='1'><cpu numaid='0'/></system>");
        run(List.of(host(bare), host(null)), PlacementTest::reduce);
        requireTaken(0, 0, 1, 2);
        requireTaken(1, 0, 1, 2);
        run(List.of(gpu(0, 0, 2, "NET").build(), gpu(1, 1, 2, "NET").build()), PlacementTest::reduce);
        requireTaken(0, 0, 1, 2);
    }

    /** Only the last rank of a host sends to another one, and only the first gets something from there. */
    @Test
    void shouldComeAndGoByTheAdaptersOfTheFirstAndTheLast() throws Exception {
        Path machine = machine("0", "1");
        List<ProxyConfig> configs = IntStream.range(0, 8).mapToObj(rank -> gpu(rank, List.of(0, 2, 3, 1)
                .get(rank % GPUS), GPUS, "").set(TopologyOptions.TOPO_FILE, machine.toString())
                .set(CollectivesOptions.ALGORITHM, Allowed.only(Algorithm.RING)).build()).toList();
        List<Integer> order = Stream.of(orders(configs).getFirst().split("\\D+")).filter(number -> !number.isEmpty())
                .map(Integer::valueOf).toList();
        run(configs, PlacementTest::reduce);
        for (int rank = 0; rank < 8; rank++) {
            int place = order.indexOf(rank) % GPUS;
            List<Integer> near = Collections.nCopies(CHANNELS, List.of(0, 1, 2, 0).get(rank % GPUS));
            assertEquals(place == 0 ? near : List.of(), SoftRailsProvider.taken(rank, Direction.RECV));
            assertEquals(place == GPUS - 1 ? near : List.of(), SoftRailsProvider.taken(rank, Direction.SEND));
        }
    }

    @ParameterizedTest
    @EnumSource(value = Algorithm.class, names = {"RING", "TREE", "HIERARCHICAL"})
    void shouldComputeTheSameInAnyOrder(Algorithm algorithm) throws Exception {
        Path machine = machine("0", "1");
        Path graph = graph(3, 0, 2, 1);
        List<ProxyConfig> configs = IntStream.range(0, 8).mapToObj(rank -> gpu(rank, rank % GPUS, GPUS, "")
                .set(TopologyOptions.TOPO_FILE, machine.toString()).set(TopologyOptions.GRAPH_FILE, graph.toString())
                .set(CollectivesOptions.ALGORITHM, Allowed.only(algorithm)).build()).toList();
        for (String order : orders(configs)) {
            assertEquals("[3, 0, 2, 1, 7, 4, 6, 5]", order);
        }
        run(configs, PlacementTest::compute);
    }

    @Test
    void shouldGoByRankIfOneRankHasAnotherFile() throws Exception {
        Path machine = machine("0", "1");
        Path graph = graph(3, 0, 2, 1);
        Path other = graph(0, 3, 2, 1);
        List<ProxyConfig> configs = IntStream.range(0, 8).mapToObj(rank -> gpu(rank, rank % GPUS, GPUS, "")
                .set(TopologyOptions.TOPO_FILE, machine.toString())
                .set(TopologyOptions.GRAPH_FILE, (rank == 6 ? other : graph).toString()).build()).toList();
        for (String order : orders(configs)) {
            assertEquals("[0, 1, 2, 3, 4, 5, 6, 7]", order);
        }
        run(configs, PlacementTest::compute);
    }

    /** It has three GPUs. */
    @Test
    void shouldSearchIfTheGraphDoesNotSuit() throws Exception {
        String machine = machine("0", "1").toString();
        String graph = graph(2, 0, 1).toString();
        IntFunction<ProxyConfig.Builder> rank = number -> gpu(number, List.of(0, 2, 3, 1).get(number), GPUS, "")
                .set(TopologyOptions.TOPO_FILE, machine);
        List<String> searched = orders(IntStream.range(0, 4).mapToObj(rank).map(ProxyConfig.Builder::build).toList());
        assertNotEquals("[0, 1, 2, 3]", searched.getFirst());
        assertEquals(searched, orders(IntStream.range(0, 4).mapToObj(rank)
                .map(config -> config.set(TopologyOptions.GRAPH_FILE, graph).build()).toList()));
    }

    @Test
    void shouldEndIfAFileIsNotThere() throws Exception {
        List<ProxyConfig> configs = List.of(host(directory.resolve("absent.xml")), host(null));
        List<Throwable> outcomes = InProcessRanks.outcomes(configs, PlacementTest::reduce);
        for (Throwable outcome : outcomes) {
            assertTrue(outcome.getMessage().contains("absent.xml"), outcome::toString);
        }
    }

    @Test
    void shouldWriteWhatItHasFound() throws Exception {
        Path machine = machine("0", "1");
        Path dumped = directory.resolve("dump.xml");
        Path graph = directory.resolve("graphs.xml");
        List<ProxyConfig> configs = IntStream.range(0, 4).mapToObj(rank -> gpu(rank, rank, GPUS, "")
                .set(TopologyOptions.TOPO_FILE, machine.toString())
                .set(TopologyOptions.TOPO_DUMP_FILE, dumped.toString())
                .set(TopologyOptions.GRAPH_DUMP_FILE, graph.toString()).build()).toList();
        List<String> searched = orders(configs);
        String text = Files.readString(dumped);
        assertTrue(text.contains("name=\"rank1rail2:1\" dev=\"2\""), text);
        assertEquals(searched, orders(IntStream.range(0, 4).mapToObj(rank -> gpu(rank, rank, GPUS, "")
                .set(TopologyOptions.TOPO_FILE, dumped.toString()).set(TopologyOptions.GRAPH_FILE, graph.toString())
                .build()).toList()));
    }

    private ProxyConfig.Builder gpu(int rank, int gpu, int ranksOfHost, String transport) {
        return GpuRanks.config(directory, ThreadingMode.INVOKER, transport, rank)
                .set(CoreOptions.DEVICE, "cuda:" + gpu).set("net", "SoftRails")
                .set(CoreOptions.HOST_ID, "host " + rank / ranksOfHost).set(CollectivesOptions.CHANNELS, CHANNELS);
    }

    /** On the first CPU, which is on node 0 of a host that says so. */
    private ProxyConfig host(Path machine) {
        String cpu = Integer.toString(Platform.find().processCpus().nextSetBit(0));
        return InProcessRanks.config(directory, ThreadingMode.INVOKER).set("net", "SoftRails")
                .set(CoreOptions.CPUSET, cpu).set(CollectivesOptions.CHANNELS, CHANNELS)
                .set(TopologyOptions.TOPO_FILE, machine == null ? "" : machine.toString()).build();
    }

    private static void requireTaken(int rank, int... inTurn) {
        List<Integer> expected = IntStream.range(0, CHANNELS).mapToObj(channel -> inTurn[channel % inTurn.length])
                .toList();
        assertEquals(expected, SoftRailsProvider.taken(rank, Direction.RECV), () -> "rank " + rank + " receives");
        assertEquals(expected, SoftRailsProvider.taken(rank, Direction.SEND), () -> "rank " + rank + " sends");
    }

    private static void run(List<ProxyConfig> configs, InProcessRanks.Body body) throws Exception {
        for (Throwable failure : InProcessRanks.failures(configs, body)) {
            if (failure != null) {
                throw new AssertionError("a rank failed", failure);
            }
        }
    }

    private static void reduce(Communicator comm) {
        new Checked(comm, new Random(1), 1).run();
    }

    private static void compute(Communicator comm) {
        new Checked(comm, new Random(comm.nRanks()), 12).run();
    }

    /** Collectives whose results are looked at. */
    private record Checked(Communicator comm, Random random, int calls) {
        void run() {
            for (int call = 0; call < calls; call++) {
                CheckedCollective one = new CheckedCollective(comm, random, FUNCTIONS, List.of(DataType.FLOAT32),
                        List.of(0));
                one.call(comm);
                comm.synchronize();
                one.check();
            }
        }
    }

    /** In which order each rank takes all ranks to follow each other. */
    private static List<String> orders(List<ProxyConfig> configs) throws Exception {
        try (BootstrapRoot root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                configs.size())) {
            List<CompletableFuture<String>> ranks = new ArrayList<>();
            for (int rank = 0; rank < configs.size(); rank++) {
                int own = rank;
                CompletableFuture<String> order = new CompletableFuture<>();
                ranks.add(order);
                Thread.ofPlatform().daemon().name("rank-" + rank).start(() -> order.completeAsync(
                        () -> order(root, own, configs), Runnable::run));
            }
            List<String> orders = new ArrayList<>();
            for (CompletableFuture<String> rank : ranks) {
                orders.add(rank.get(60, TimeUnit.SECONDS));
            }
            return orders;
        }
    }

    private static String order(BootstrapRoot root, int rank, List<ProxyConfig> configs) {
        try (RankRuntime runtime = RankRuntime.join(root.id(), rank, configs.size(), configs.get(rank))) {
            Launches launches = Launches.of(runtime, new Lanes(runtime.proxy()), JobTuning.NONE);
            return launches.parts.setup.order().toString();
        }
    }

    /** The sockets have these numbers. */
    private Path machine(String first, String second) throws IOException {
        return Files.writeString(directory.resolve("machine " + first + ".xml"), """
                <system version="1">
                  <cpu numaid="%s" arch="x86_64" vendor="AuthenticAMD" familyid="143" modelid="49">
                    <pci busid="0000:c0:00.0" class="0x060400">
                      <pci busid="0000:c1:00.0" class="0x030200"><gpu dev="0" sm="80" gdr="1"/></pci>
                      <pci busid="0000:c2:00.0" class="0x030200"><gpu dev="1" sm="80" gdr="1"/></pci>
                      <pci busid="%s" class="0x020700"/>
                    </pci>
                  </cpu>
                  <cpu numaid="%s" arch="x86_64" vendor="AuthenticAMD" familyid="143" modelid="49">
                    <pci busid="0000:d0:00.0" class="0x060400">
                      <pci busid="0000:c3:00.0" class="0x030200"><gpu dev="2" sm="80" gdr="1"/></pci>
                      <pci busid="0000:c4:00.0" class="0x030200"><gpu dev="3" sm="80" gdr="1"/></pci>
                      <pci busid="%s" class="0x020700"/>
                      <pci busid="%s" class="0x020700"/>
                    </pci>
                  </cpu>
                </system>
                """.formatted(first, SoftRailsProvider.address(0), second, SoftRailsProvider.address(1),
                SoftRailsProvider.address(2)));
    }

    /** A ring and a tree of these GPUs. */
    private Path graph(int... gpus) throws IOException {
        StringBuilder channel = new StringBuilder("<channel><net dev=\"0\"/>");
        IntStream.of(gpus).forEach(gpu -> channel.append("<gpu dev=\"").append(gpu).append("\"/>"));
        channel.append("<net dev=\"0\"/></channel>");
        String graph = "<graph id=\"%d\" pattern=\"%d\" crossnic=\"0\" nchannels=\"1\" speedintra=\"10\""
                + " speedinter=\"10\" latencyinter=\"0\" typeintra=\"SYS\" typeinter=\"SYS\" samechannels=\"1\">"
                + channel + "</graph>";
        return Files.writeString(directory.resolve("graph " + gpus[0] + ".xml"), "<graphs version=\"1\">"
                + graph.formatted(0, 4) + graph.formatted(1, 1) + "</graphs>");
    }
}
