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
import io.proxyrt.core.verbs.VerbsPort;
import io.proxyrt.testkit.verbs.SoftFabric;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which adapters and ports the IB network uses, and what it says of the others. */
class IbDiscoveryTest {
    private static final int LEAST_WRS = 130;

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

    /** Of five adapters two are at one switch, one is at a switch below that, one at another port of the same root. */
    @ParameterizedTest
    @CsvSource({"LOC, a b c d e", "PORT, a b c d e", "PIX, a+b c d e", "PXB, a+b+c d e", "PHB, a+b+c+d e",
        "SYS, a+b+c+d e"})
    void shouldMakeOneDeviceOfAdaptersAsNearAsTheLevelSays(String level, String devices) {
        try (NetPlugin net = tree(Map.of("net.ib.merge.level", level))) {
            assertEquals(devices, names(net));
        }
        try (NetPlugin net = tree(Map.of("net.ib.merge.level", level, "net.ib.merge.nics", "0"))) {
            assertEquals("a b c d e", names(net));
        }
    }

    @Test
    void shouldMakeOneDeviceOfThePortsThatAreNamedTogether() {
        try (NetPlugin net = tree(Map.of("net.ib.force.merge", "e:1,b; c:1,d:1", "net.ib.merge.level", "SYS"))) {
            assertEquals("a b+e c+d", names(net), "a is beside them, and goes with none");
        }
    }

    @ParameterizedTest
    @CsvSource({"'a:1,x:1', INVALID_USAGE, 'makes one device of [a:1, x:1], and x:1 is not there'",
        "'a,b;b,c', INVALID_USAGE, and b is not there", "'a:1', INVALID_ARGUMENT, names 1 ports",
        "'a,b,c,d,e', INVALID_ARGUMENT, names 5 ports", "'a:x,b', INVALID_ARGUMENT, no port behind the colon"})
    void shouldRefuseToMakeOneDeviceOfWhatIsNotThere(String forced, ProxyResult result, String why) {
        ProxyException failure = assertThrows(ProxyException.class, () -> tree(Map.of("net.ib.force.merge", forced)));
        assertEquals(result, failure.result());
        assertTrue(failure.getMessage().contains(why), failure.getMessage());
    }

    @Test
    void shouldNotHoldAFastAdapterUpByASlowOne() {
        IbHosts hosts = IbHosts.roce(Map.of("net.ib.merge.level", "SYS"));
        hosts.devices[0].pciPath("/sys/devices/pci0000:10/0000:13:00.0");
        hosts.devices[1].pciPath("/sys/devices/pci0000:10/0000:14:00.0");
        VerbsPort is = hosts.devices[1].port(1).attributes();
        hosts.devices[1].port(1).attributes(new VerbsPort(is.state(), is.mtu(), is.gids(), is.maxMessageBytes(),
                is.lid(), is.linkLayer(), is.width() == 1 ? 2 : 1, is.speed()));
        try (NetPlugin net = hosts.open(0, hosts.fabric.host("soft0", "soft1"))) {
            assertEquals(2, net.devices());
        }
    }

    @Test
    void shouldSpreadMessagesOverAdaptersThatAreOneDevice() {
        IbHosts hosts = IbHosts.roce(Map.of("net.ib.merge.level", "SYS", "net.ib.split.data.on.qps", "1"));
        for (int rank = 0; rank < 2; rank++) {
            hosts.devices[rank].pciPath("/sys/devices/pci0000:10/0000:13:00.0");
            hosts.fabric.addRoce("other" + rank, "10.0.1." + (rank + 1))
                    .pciPath("/sys/devices/pci0000:20/0000:23:00.0");
        }
        try (NetPlugin sender = hosts.open(0, hosts.fabric.host("soft0", "other0"));
                NetPlugin receiver = hosts.open(1, hosts.fabric.host("soft1", "other1"));
                Arena arena = Arena.ofShared(); NetPair pair = NetPair.connect(sender, receiver,
                        arena.allocate(1 << 16), arena.allocate(1 << 16))) {
            assertEquals("soft0:1+other0:1", sender.properties(0).name());
            for (int i = 0; i < 100; i++) {
                pair.exchange(0, 0, 1 << 16);
            }
        }
    }

    private static NetPlugin tree(Map<String, String> options) {
        IbHosts hosts = IbHosts.roce(options);
        Map<String, String> places = new TreeMap<>(Map.of(
                "a", "10/0000:10:01.0/0000:11:00.0/0000:12:00.0/0000:13:00.0",
                "b", "10/0000:10:01.0/0000:11:00.0/0000:12:01.0/0000:14:00.0",
                "c", "10/0000:10:01.0/0000:11:00.0/0000:12:02.0/0000:15:00.0/0000:16:00.0/0000:17:00.0",
                "d", "10/0000:10:02.0/0000:18:00.0", "e", "20/0000:20:01.0/0000:21:00.0"));
        places.forEach((name, place) -> hosts.fabric.addRoce(name, "10.0.9." + name.charAt(0) % 32)
                .pciPath("/sys/devices/pci0000:" + place));
        return hosts.open(0, hosts.fabric.host(places.keySet().toArray(String[]::new)));
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
