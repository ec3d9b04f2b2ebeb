/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.progress.CollNetSupport;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.progress.TransportContext;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which network carries collectives out, and what is said of the others. */
class CollNetSelectionTest {
    @TempDir
    Path folder;

    private final List<String> warnings = new ArrayList<>();

    /** Of a network with so many devices; fails if they are less than none. */
    private record Provider(String name, int priority, int devices) implements CollNetPluginProvider {
        @Override
        public CollNetPlugin create(ProxyConfig config, int rank) {
            if (devices < 0) {
                throw new ProxyException(ProxyResult.SYSTEM_ERROR, "its library is broken");
            }
            SimulatedCollNet net = new SimulatedCollNet(1);
            net.devices = devices;
            return net.plugin();
        }
    }

    private CollNetSelection select(String wanted, Provider... providers) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CollNetOptions.NETWORK, wanted).build();
        return CollNetSelection.of(List.of(providers), config, 0, warnings::add);
    }

    @Test
    void shouldTakeTheFirstByPriorityThatHasADevice() {
        CollNetSelection selection = select("", new Provider("Low", 0, 4), new Provider("None", 9, 0),
                new Provider("High", 5, 2));

        assertEquals(2, selection.plugin().devices());
        assertEquals(2, selection.support().devices());
        assertEquals("Simulated: 0 devices | Simulated: 2 devices | Low: not used, Simulated comes first",
                selection.describe());
    }

    @Test
    void shouldTakeTheOneThatWasAskedFor() {
        CollNetSelection selection = select("lOw", new Provider("Low", 0, 4), new Provider("High", 5, 2));

        assertEquals(4, selection.plugin().devices());
        assertEquals("High: not used, proxyrt.collnet is lOw | Simulated: 4 devices", selection.describe());
    }

    @Test
    void shouldGiveAReasonForANetworkThatFails() {
        CollNetSelection selection = select("", new Provider("Broken", 9, -1));

        assertNull(selection.plugin());
        assertEquals(CollNetSupport.NONE, selection.support());
        assertEquals("Broken: not used, its library is broken", selection.describe());
        assertEquals("no network is installed", select("").describe());
        assertEquals(List.of(), warnings, "only of plug-ins that are there");
    }

    @Test
    void shouldSayWhyItCannotCarryCollectivesWithoutANetwork() {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).build();
        try (Counters counters = Counters.create(folder.resolve("counters"), "test", 0, 2);
                HostDevice device = new HostDevice(0);
                ProxyTransport transport = new CollNetTransport(new TransportContext(config, 0, device, counters, null),
                        select("", new Provider("Broken", 9, -1)))) {
            String why = transport.whyNot(TestHead.info(0), TestHead.NETWORK);
            assertTrue(why.contains("Broken: not used"), why);
            assertEquals(CollNetSupport.NONE, transport.collNet());
            ProxyConnection connection = new ProxyConnection(1, transport, Direction.SEND, TestHead.RANKS);
            ByteBuffer request = transport.setupRequest(new ConnectorRequest(Direction.SEND, TestHead.info(0),
                    TestHead.NETWORK, 0, 0));
            ProxyException e = assertThrows(ProxyException.class, () -> transport.proxySetup(connection, request,
                    ByteBuffer.allocate(4096)));
            assertEquals(ProxyResult.INVALID_USAGE, e.result());
        }
    }

    @Test
    void shouldBeRcclsFourthTransport() {
        ProxyTransportProvider provider = new CollNetTransportProvider();
        assertEquals(3, provider.id());
        assertEquals("COLLNET", provider.name());
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).build();
        try (Counters counters = Counters.create(folder.resolve("counters"), "test", 0, 2);
                HostDevice device = new HostDevice(0);
                ProxyTransport transport = provider.create(new TransportContext(config, 0, device, counters, null))) {
            assertFalse(transport.describe().isEmpty());
            assertTrue(transport.isWaitable());
        }
    }
}
