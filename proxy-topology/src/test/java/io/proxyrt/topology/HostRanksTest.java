/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.TransportAdapter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What 4 GPUs are told, whose NVLinks make a ring 0-2-1-3, at one switch with adapter 0, and one with 1 and 2. */
class HostRanksTest {
    private static final String MODEL = "ring-4-nics-3";
    private static final List<TransportAdapter> BY_ADDRESS = Stream.of("ca", "cb", "cc")
            .map(bus -> new TransportAdapter("rail " + bus, "/sys/devices/pci0000:c0/0000:" + bus + ":00.0", 100_000,
                    true)).toList();

    @TempDir
    Path directory;

    @Test
    void shouldGiveEachGpuTheAdaptersOfItsSwitch() {
        HostRanks all = Models.own(MODEL).with(BY_ADDRESS).ranks(gpus(1, 2, 3, 4));
        assertEquals(List.of(List.of(0), List.of(0), List.of(1), List.of(2)), adapters(all, 4));
        assertEquals("PIX", all.distance(2, 1));
        assertEquals("SYS", all.distance(2, 0));
    }

    /** All GPUs reach both adapters over one another, but no rank sends by another's. */
    @Test
    void shouldGiveGpusTheAdapterOfTheirSocket() {
        HostMachine machine = Models.own("nvswitch-4-nics-2").with(List.of(new TransportAdapter("mlx5_0", ""),
                new TransportAdapter("mlx5_1", "")));
        HostRanks ranks = machine.ranks(Stream.of("11", "21", "91", "a1")
                .map(bus -> RankPlace.ofGpu(0, "0000:" + bus + ":00.0")).toList());
        assertEquals(List.of(List.of(0), List.of(0), List.of(1), List.of(1)), adapters(ranks, 4));
    }

    @Test
    void shouldGiveAGpuTwoAdaptersInTurnThatNoOtherOneUses() {
        assertEquals(List.of(List.of(0), List.of(1, 2)), adapters(Models.own(MODEL).with(BY_ADDRESS)
                .ranks(gpus(1, 3)), 2));
    }

    /** GPUs 2 and 3 are equally near to adapters 1 and 2. */
    @ParameterizedTest
    @CsvSource({"AUTO, 1, 2", "ALL, 1 2, 2 1", "all, 1 2, 2 1", "MAX:1, 1, 2", "max:2, 1 2, 2 1", "MAX:9, 1 2, 2 1"})
    void shouldTakeAsManyAdaptersAsThePolicySays(String policy, String third, String fourth) throws IOException {
        Path file = directory.resolve("machine.xml");
        Models.own(MODEL).write(file);
        ProxyConfig config = ProxyConfig.builder().environment(Map.of("NCCL_TOPO_FILE", file.toString(),
                "NCCL_NETDEVS_POLICY", policy)).build();
        HostRanks all = HostMachine.find(config, BY_ADDRESS).ranks(gpus(1, 2, 3, 4));
        assertEquals(List.of("[0]", "[0]", "[" + third.replace(" ", ", ") + "]", "[" + fourth.replace(" ", ", ") + "]"),
                adapters(all, 4).stream().map(List::toString).toList());
        assertEquals(config.get(TopologyOptions.NETDEVS_POLICY), NetDevsPolicy.parse(
                config.get(TopologyOptions.NETDEVS_POLICY).toString()));
    }

    /** A GPU that has two adapters to itself, and a NUMA node. */
    @Test
    void shouldTakeFewerAdaptersThanARanksShare() {
        HostMachine machine = Models.own(MODEL).with(BY_ADDRESS).with(NetDevsPolicy.parse("MAX:1"));
        assertEquals(List.of(1), machine.ranks(gpus(3)).adapters(0));
        assertEquals(List.of(1), machine.ranks(List.of(RankPlace.ofHostDevice(0, 1))).adapters(0));
        assertEquals(4, machine.ranks(gpus(1, 2, 3, 4)).order(false, false).ring().size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "SOME", "MAX", "MAX:", "MAX:0", "MAX:-1", "MAX:x", "MAX:2147483648"})
    void shouldRefuseAPolicyThatIsNone(String policy) {
        assertThrows(IllegalArgumentException.class, () -> NetDevsPolicy.parse(policy));
        assertThrows(IllegalArgumentException.class, () -> new NetDevsPolicy(true, 0));
        assertEquals(new NetDevsPolicy(false, 1_234_567), NetDevsPolicy.parse("MAX:1234567"));
    }

    /** A file's adapters may have other numbers than the network's. */
    @Test
    void shouldFindAdaptersByNameAndNumberThemAsTheNetworkDoes() {
        List<TransportAdapter> named = Stream.of("mlx5_2:1", "mlx5_0").map(name -> new TransportAdapter(name, ""))
                .toList();
        HostMachine machine = Models.own(MODEL).with(named);
        assertTrue(machine.knowsAdapters());
        assertEquals(List.of(List.of(1), List.of(1), List.of(0), List.of(0)), adapters(machine.ranks(gpus(1, 2, 3, 4)),
                4));
        assertFalse(machine.xml().text().contains("mlx5_1"), "it is no adapter of the network");
        assertTrue(machine.xml().text().contains("speed=\"100000\""), "what the file says of an adapter stays");
    }

    @Test
    void shouldPutAnAdapterWithoutAPlaceAtTheFirstCpu() {
        List<TransportAdapter> adapters = List.of(new TransportAdapter("virtual", "/sys/devices/virtual/net/v0"),
                new TransportAdapter("mlx5_1", ""));
        HostRanks ranks = Models.own(MODEL).with(adapters).ranks(gpus(1, 3));
        assertEquals(List.of(1), ranks.adapters(1));
        assertEquals("PHB", ranks.distance(0, 0));
    }

    /** A GPU's address, a switch's and one that is not there are no places of adapters. */
    @Test
    void shouldKnowNothingOfAdaptersThatAreNotThere() {
        List<TransportAdapter> adapters = Stream.of("0000:c1:00.0", "0000:c0:00.0", "0000:77:00.0", "", "mlx5_0")
                .map(path -> new TransportAdapter("eth0", "/sys/devices/" + path)).toList();
        HostMachine machine = Models.own(MODEL).with(adapters);
        assertFalse(machine.knowsAdapters());
        HostRanks ranks = machine.ranks(gpus(1, 2));
        assertEquals(List.of(), ranks.adapters(0));
        assertEquals(5, Paths.of(TopologyGraph.of(machine.xml())).graph().nodes(NodeType.NET).size());
        assertThrows(ProxyException.class, () -> ranks.adapters(2));
    }

    @Test
    void shouldGiveAHostRankTheAdaptersOfItsNumaNode() {
        HostMachine machine = Models.own(MODEL).with(BY_ADDRESS);
        assertEquals(List.of(0), machine.ranks(List.of(RankPlace.ofHostDevice(0, 0))).adapters(0));
        assertEquals(List.of(1, 2), machine.ranks(List.of(RankPlace.ofHostDevice(0, 1))).adapters(0));
        assertThrows(ProxyException.class, () -> machine.ranks(List.of(RankPlace.ofHostDevice(0, 2))));
    }

    /** Rank 1 is on GPU 2, rank 2 on GPU 1. */
    @Test
    void shouldFollowTheLinksOfGpus() {
        List<Integer> ring = Models.own(MODEL).with(BY_ADDRESS).ranks(gpus(1, 3, 2, 4)).order(true, false).ring();
        assertEquals(2, ring.get((ring.indexOf(0) + 2) % 4), () -> "across the ring of links: " + ring);
    }

    /** GPUs 0 and 1, which are not linked, are near adapter 0. */
    @Test
    void shouldComeAndGoByTheSameAdapter() {
        HostRanks.Order order = Models.own(MODEL).with(BY_ADDRESS).ranks(gpus(1, 3, 2, 4)).order(false, false);
        assertEquals(Set.of(0, 2), Set.of(order.ring().getFirst(), order.ring().getLast()), order::toString);
        assertEquals(4, Set.copyOf(order.tree()).size());
    }

    @Test
    void shouldTakeTheRingOfADocument() throws IOException {
        HostRanks ranks = Models.own(MODEL).with(BY_ADDRESS).ranks(gpus(1, 2, 3, 4));
        HostRanks.Order order = ranks.order(graphs(3, 0, 1, 2), false, false);
        assertEquals(List.of(3, 0, 1, 2), order.ring());
        assertEquals(ranks.order(false, false).tree(), order.tree(), "the document has no tree");
        assertThrows(ProxyException.class, () -> ranks.order(graphs(3, 0, 1), false, false));
    }

    private static GraphXml graphs(int... gpus) {
        StringBuilder channel = new StringBuilder("<net dev='0'/>");
        IntStream.of(gpus).forEach(gpu -> channel.append("<gpu dev='").append(gpu).append("'/>"));
        return GraphXml.parse("given", "<graphs version='1'><graph id='0' pattern='4' crossnic='0' nchannels='1'"
                + " speedintra='10' speedinter='10' latencyinter='0' typeintra='SYS' typeinter='SYS' samechannels='1'>"
                + "<channel>" + channel + "<net dev='0'/></channel></graph></graphs>");
    }

    @Test
    void shouldSwapChannelsOfOddHostsWhereAdaptersAreUsedCrosswise() {
        List<TransportAdapter> adapters = IntStream.range(0, 8).mapToObj(nic -> new TransportAdapter("mlx5_" + nic, ""))
                .toList();
        HostMachine machine = Models.own("nvswitch-8-nics-8").with(adapters);
        List<RankPlace> places = Models.places(TopologyGraph.of(machine.xml()), 0);
        HostRanks ranks = machine.ranks(places);
        JobTopology job = JobTopology.of(machine.xml(), Stream.of(0, 1).flatMap(host -> places.stream()
                .map(place -> RankPlace.ofGpu(host, place.gpu()))).toList());
        assertEquals(job.ring(0).subList(0, 8), ranks.order(false, false).ring());
        assertEquals(job.ring(0).subList(8, 16).stream().map(rank -> rank - 8).toList(),
                ranks.order(false, true).ring());
    }

    @Test
    void shouldLookOnce() throws IOException {
        Path file = directory.resolve("machine.xml");
        Models.own(MODEL).write(file);
        ProxyConfig config = config(file);
        HostMachine machine = HostMachine.find(config, BY_ADDRESS);
        assertSame(machine, HostMachine.find(config(file), List.copyOf(BY_ADDRESS)));
        assertSame(machine.ranks(gpus(1, 2)), machine.ranks(gpus(1, 2)));
        assertNotSame(machine.ranks(gpus(1, 2)), machine.ranks(gpus(2, 1)));
        Files.writeString(file, Files.readString(file).replace("100000", "200000"));
        assertNotSame(machine, HostMachine.find(config, BY_ADDRESS), "the file says something else");
        assertSame(HostMachine.find(config(""), BY_ADDRESS), HostMachine.find(config(""), BY_ADDRESS));
    }

    @Test
    void shouldRefuseAFileThatIsNone() {
        Path absent = directory.resolve("absent.xml");
        assertEquals(ProxyResult.SYSTEM_ERROR, assertThrows(ProxyException.class,
                () -> HostMachine.find(config(absent), List.of())).result());
        assertThrows(ProxyException.class, () -> Models.own(MODEL).with(BY_ADDRESS).ranks(gpus(9)));
        assertThrows(ProxyException.class, () -> Models.own(MODEL).with(BY_ADDRESS).ranks(gpus(1, 1)));
    }

    private static ProxyConfig config(Object file) {
        return ProxyConfig.builder().environment(Map.of("NCCL_TOPO_FILE", file.toString())).build();
    }

    private static List<RankPlace> gpus(int... numbers) {
        return IntStream.of(numbers).mapToObj(gpu -> RankPlace.ofGpu(0, "0000:c" + gpu + ":00.0")).toList();
    }

    private static List<List<Integer>> adapters(HostRanks ranks, int count) {
        return IntStream.range(0, count).mapToObj(ranks::adapters).toList();
    }
}
