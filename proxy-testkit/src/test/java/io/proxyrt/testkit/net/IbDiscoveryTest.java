/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.core.verbs.VerbsContext;
import io.proxyrt.core.verbs.VerbsDevice;
import io.proxyrt.core.verbs.VerbsPort;
import io.proxyrt.testkit.verbs.SoftDevice;
import io.proxyrt.testkit.verbs.SoftFabric;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which adapters and ports the IB network uses, and what it says of the others. */
class IbDiscoveryTest {
    private static final int LEAST_WRS = 130;

    @TempDir
    private Path root;

    private static void assertSays(NetPlugin net, String... words) {
        for (String word : words) {
            assertTrue(net.explain().stream().anyMatch(line -> line.contains(word)), () -> "no " + word + " in: "
                    + net.explain());
        }
    }

    @Test
    void shouldSayWhatIsNotUsedAndWhy() {
        IbHosts hosts = IbHosts.roce(Map.of());
        try (NetPlugin net = hosts.open(0, new SoftFabric().host())) {
            assertEquals("devices: not used, this host has no RDMA device", net.explain().getFirst());
        }
        try (NetPlugin net = IbHosts.roce(Map.of("net.ib.disable", "1")).open(0)) {
            assertEquals("devices: not used, net.ib.disable is 1", net.explain().getFirst().replace("proxyrt.", ""));
        }
    }

    @Test
    void shouldCloseAdaptersThatItTakesNoPortOf() {
        IbHosts hosts = IbHosts.roce(Map.of("net.ib.hca", "soft0"));
        WatchedVerbs watched = new WatchedVerbs(hosts.fabric.host("soft1", "soft0"));
        try (NetPlugin net = hosts.open(0, watched.verbs())) {
            assertEquals(1, net.devices());
            assertEquals(List.of("soft1"), watched.closed);
        }
        assertEquals(List.of("soft1", "soft0"), watched.closed);
    }

    @Test
    void shouldNotUseHalfOfAnAdapterThatDoesNotAnswer() {
        IbHosts hosts = IbHosts.roce(Map.of()).merge(0, 2);
        WatchedVerbs watched = new WatchedVerbs(hosts.fabric.host("soft0", "soft1"));
        watched.silentPort = 2;
        try (NetPlugin net = hosts.open(0, watched.verbs())) {
            assertEquals(1, net.devices());
            assertEquals("soft1:1", net.properties(0).name());
            assertSays(net, "soft0: not used, cannot ask for port 2");
            assertEquals(List.of("soft0"), watched.closed);
        }
    }

    /**
     * Of seven adapters two are at one switch, one is at a switch below that, one at another port of the same root. Two
     * are at other roots of the same NUMA node, with one of another node between them.
     */
    @ParameterizedTest
    @CsvSource({"LOC, a b c d e f g", "PORT, a b c d e f g", "PIX, a+b c d e f g", "PXB, a+b+c d e f g",
        "PHB, a+b+c+d e+g f", "SYS, a+b+c+d e+f+g"})
    void shouldMakeOneDeviceOfAdaptersAsNearAsTheLevelSays(String level, String devices) throws IOException {
        try (NetPlugin net = tree(Map.of("net.ib.merge.level", level))) {
            assertEquals(devices, names(net));
        }
        try (NetPlugin net = tree(Map.of("net.ib.merge.level", level, "net.ib.merge.nics", "0"))) {
            assertEquals("a b c d e f g", names(net));
        }
    }

    @Test
    void shouldMergeNothingByForceEitherIfNothingIsToBeMerged() throws IOException {
        try (NetPlugin net = tree(Map.of("net.ib.force.merge", "a,b;c,absent", "net.ib.merge.nics", "0"))) {
            assertEquals("a b c d e f g", names(net));
            assertSays(net, "net.ib.force.merge: no effect, proxyrt.net.ib.merge.nics is 0");
        }
    }

    @Test
    void shouldMakeASecondDeviceOfMorePortsThanFour() {
        IbHosts hosts = IbHosts.roce(Map.of()).merge(0, 8);
        try (NetPlugin net = hosts.open(0)) {
            assertEquals(List.of("soft0:1+soft0:2+soft0:3+soft0:4", "soft0:5+soft0:6+soft0:7+soft0:8"),
                    IntStream.range(0, net.devices()).mapToObj(device -> net.properties(device).name()).toList());
        }
    }

    /** Each connection takes queue pairs of all adapters. */
    @Test
    void shouldBearAsManyConnectionsAsTheLeastOfItsAdapters() {
        IbHosts hosts = IbHosts.roce(Map.of("net.ib.force.merge", "soft0,soft1"));
        VerbsDevice is = hosts.devices[1].attributes();
        hosts.devices[1].attributes(new VerbsDevice(is.firmware(), is.guid(), is.vendorId(), is.maxMrBytes(),
                is.maxMrs(), 77, is.maxWrs(), is.maxSges(), is.maxCqes(), is.maxReads(), is.ports()));
        try (NetPlugin net = hosts.open(0, hosts.fabric.host("soft0", "soft1"))) {
            assertEquals(77, net.properties(0).maxComms());
        }
    }

    @Test
    void shouldKeepLinkLayersApart() throws IOException {
        IbHosts hosts = IbHosts.roce(Map.of("net.ib.merge.level", "SYS"));
        at(hosts.devices[0], "10/0000:10:01.0", 0);
        at(hosts.fabric.addInfiniBand("ib", 7), "10/0000:10:02.0", 0);
        at(hosts.devices[1], "10/0000:10:03.0", 0);
        try (NetPlugin net = hosts.open(0, hosts.fabric.host("soft0", "ib", "soft1"), () -> Topology.of(root))) {
            assertEquals("soft0+soft1 ib", names(net));
        }
    }

    @Test
    void shouldRefuseToMakeOneDeviceOfPortsThatDoNotGoTogether() {
        IbHosts unlike = IbHosts.roce(Map.of("net.ib.force.merge", "soft0,ib"));
        unlike.fabric.addInfiniBand("ib", 7);
        assertRefused(ProxyResult.INVALID_USAGE, "ib:1 does not go with soft0:1",
                () -> unlike.open(0, unlike.fabric.host("soft0", "ib")));
        IbHosts many = IbHosts.roce(Map.of("net.ib.force.merge", "soft0,soft1")).merge(0, 4);
        assertRefused(ProxyResult.INVALID_USAGE, "soft1:1 does not go with soft0:1: 4 ports of one link layer",
                () -> many.open(0, many.fabric.host("soft0", "soft1")));
    }

    private static void assertRefused(ProxyResult result, String why, Executable opening) {
        ProxyException failure = assertThrows(ProxyException.class, opening);
        assertEquals(result, failure.result());
        assertTrue(failure.getMessage().contains(why), failure.getMessage());
    }

    @Test
    void shouldMakeOneDeviceOfThePortsThatAreNamedTogether() throws IOException {
        try (NetPlugin net = tree(Map.of("net.ib.force.merge", "e:1,b; c:1,d:1", "net.ib.merge.level", "SYS"))) {
            assertEquals("a+f+g b+e c+d", names(net), "the others go by their level");
        }
    }

    @ParameterizedTest
    @CsvSource({"'a:1,x:1', INVALID_USAGE, 'makes one device of [a:1, x:1], and x:1 is not there'",
        "'a,b;c,b', INVALID_ARGUMENT, '''b'' is named again, after ''b''; a port is part of one device'",
        "'a:1,a', INVALID_ARGUMENT, is named again", "'a:1', INVALID_ARGUMENT, names 1 ports",
        "'a,b,c,d,e', INVALID_ARGUMENT, names 5 ports", "'a:x,b', INVALID_ARGUMENT, no port behind the colon"})
    void shouldRefuseToMakeOneDeviceOfWhatIsNotThere(String forced, ProxyResult result, String why) {
        assertRefused(result, why, () -> tree(Map.of("net.ib.force.merge", forced)));
    }

    @Test
    void shouldNotHoldAFastAdapterUpByASlowOne() throws IOException {
        IbHosts hosts = IbHosts.roce(Map.of("net.ib.merge.level", "SYS"));
        at(hosts.devices[0], "10/0000:13:00.0", 0);
        at(hosts.devices[1], "10/0000:14:00.0", 0);
        try (NetPlugin net = hosts.open(0, hosts.fabric.host("soft0", "soft1"), () -> Topology.of(root))) {
            assertEquals("soft0+soft1", names(net), "as long as they are alike");
        }
        VerbsPort is = hosts.devices[1].port(1).attributes();
        hosts.devices[1].port(1).attributes(new VerbsPort(is.state(), is.mtu(), is.gids(), is.maxMessageBytes(),
                is.lid(), is.linkLayer(), is.width() == 1 ? 2 : 1, is.speed()));
        try (NetPlugin net = hosts.open(0, hosts.fabric.host("soft0", "soft1"), () -> Topology.of(root))) {
            assertEquals(2, net.devices());
        }
    }

    @Test
    void shouldSpreadMessagesOverAdaptersThatAreOneDevice() throws IOException {
        IbHosts hosts = IbHosts.roce(Map.of("net.ib.merge.level", "SYS", "net.ib.split.data.on.qps", "1"));
        for (int rank = 0; rank < 2; rank++) {
            at(hosts.devices[rank], "10/0000:1" + rank + ":00.0", 0);
            at(hosts.fabric.addRoce("other" + rank, "10.0.1." + (rank + 1)), "20/0000:2" + rank + ":00.0", 1);
        }
        WatchedVerbs first = new WatchedVerbs(hosts.verbs[0]);
        WatchedVerbs second = new WatchedVerbs(hosts.fabric.host("other0"));
        try (NetPlugin sender = hosts.open(0, new BothVerbs(first.verbs(), second.verbs()),
                        () -> Topology.of(root));
                NetPlugin receiver = hosts.open(1, hosts.fabric.host("soft1", "other1"), () -> Topology.of(root));
                Arena arena = Arena.ofShared(); NetPair pair = NetPair.connect(sender, receiver,
                        arena.allocate(1 << 16), arena.allocate(1 << 16))) {
            assertEquals("soft0:1+other0:1", sender.properties(0).name());
            for (int i = 0; i < 100; i++) {
                pair.exchange(0, 0, 1 << 16);
            }
            assertEquals(List.of(100L << 15, 100L << 15), List.of(first.posted.get(), second.posted.get()));
        }
    }

    /** Of a host each of whose adapters is watched by itself. */
    private record BothVerbs(Verbs first, Verbs second) implements Verbs {
        @Override
        public String name() {
            return first.name();
        }

        @Override
        public String whyNot() {
            return first.whyNot();
        }

        @Override
        public List<String> devices() {
            return Stream.of(first, second).flatMap(verbs -> verbs.devices().stream()).toList();
        }

        @Override
        public VerbsContext open(String device) {
            return (first.devices().contains(device) ? first : second).open(device);
        }
    }

    private NetPlugin tree(Map<String, String> options) throws IOException {
        IbHosts hosts = IbHosts.roce(options);
        Map<String, String> places = new TreeMap<>(Map.of(
                "a", "10/0000:10:01.0/0000:11:00.0/0000:12:00.0/0000:13:00.0",
                "b", "10/0000:10:01.0/0000:11:00.0/0000:12:01.0/0000:14:00.0",
                "c", "10/0000:10:01.0/0000:11:00.0/0000:12:02.0/0000:15:00.0/0000:16:00.0/0000:17:00.0",
                "d", "10/0000:10:02.0/0000:18:00.0", "e", "20/0000:20:01.0/0000:21:00.0",
                "f", "30/0000:30:01.0/0000:31:00.0", "g", "40/0000:40:01.0/0000:41:00.0"));
        for (String name : places.keySet()) {
            at(hosts.fabric.addRoce(name, "10.0.9." + name.charAt(0) % 32), places.get(name), name.equals("f") ? 1 : 0);
        }
        return hosts.open(0, hosts.fabric.host(places.keySet().toArray(String[]::new)), () -> Topology.of(root));
    }

    /** Puts an adapter where the host's files have it. */
    private void at(SoftDevice adapter, String place, int numaNode) throws IOException {
        Path folder = Files.createDirectories(root.resolve("sys/devices/pci0000:" + place));
        Files.writeString(folder.resolve("numa_node"), numaNode + "\n");
        Path link = Files.createDirectories(root.resolve("sys/bus/pci/devices")).resolve(folder.getFileName());
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, folder);
        adapter.pciPath("/sys/devices/pci0000:" + place);
    }

    private static String names(NetPlugin net) {
        return IntStream.range(0, net.devices()).mapToObj(device -> net.properties(device).name().replace(":1", ""))
                .collect(Collectors.joining(" "));
    }

    @Test
    void shouldSayWhichDevicesAreOneTooMany() {
        IbHosts hosts = IbHosts.roce(Map.of());
        for (int i = 2; i <= 33; i++) {
            hosts.devices[0].addRocePort("10.1.0." + i);
        }
        try (NetPlugin net = hosts.open(0)) {
            assertEquals(32, net.devices());
            assertSays(net, "soft0:33: not used, 32 devices come before it");
        }
    }

    @Test
    void shouldUseNoDeviceWhoseQueuesAreTooShort() {
        try (NetPlugin net = IbHosts.roce(Map.of()).limits(LEAST_WRS - 1, 1 << 20).open(0)) {
            assertEquals(0, net.devices());
            assertSays(net, "soft0: not used, a queue of its queue pairs holds 129 work requests", "takes up to 130");
        }
    }

    @Test
    void shouldMakeQueuesThatTheDeviceHasRoomFor() {
        IbHosts hosts = IbHosts.roce(Map.of("net.ib.qps.per.connection", "2")).limits(400, 500);
        try (NetPlugin sender = hosts.open(0); NetPlugin receiver = hosts.open(1); Arena arena = Arena.ofShared();
                NetPair pair = NetPair.connect(sender, receiver, arena.allocate(1 << 16), arena.allocate(1 << 16))) {
            for (int i = 0; i < 1000; i++) {
                pair.exchange(0, 0, 1 << 16);
            }
        }
        IbHosts many = IbHosts.roce(Map.of("net.ib.qps.per.connection", "4")).limits(400, 500);
        try (NetPlugin sender = many.open(0); NetPlugin receiver = many.open(1); Arena arena = Arena.ofShared()) {
            ProxyException failure = assertThrows(ProxyException.class, () -> NetPair.connect(sender, receiver,
                    arena.allocate(8), arena.allocate(8)));
            assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
            assertTrue(failure.getMessage().contains("net.ib.qps.per.connection"), failure.getMessage());
        }
    }
}
