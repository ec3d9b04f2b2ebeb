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
import io.proxyrt.testkit.verbs.SoftFabric;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
