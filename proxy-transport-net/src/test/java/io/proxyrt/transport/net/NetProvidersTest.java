/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Plug-ins come first, and what is installed remains if they are of no use. */
class NetProvidersTest {
    private static ProxyConfig config(String plugIns) {
        return ProxyConfig.builder().environment(Map.of("NCCL_NET_PLUGIN", plugIns, "NCCL_SOCKET_IFNAME", "=lo",
                "NCCL_IB_DISABLE", "1")).build();
    }

    private static List<String> names(String plugIns) {
        return NetProviders.of(config(plugIns)).stream().map(NetPluginProvider::name).toList();
    }

    @Test
    void shouldListPlugInsBeforeWhatIsInstalled() {
        List<String> installed = names("none");
        assertEquals(List.of("/no/b", "/no/a"), names("/no/b,/no/a").subList(0, 2));
        assertEquals(installed, names("/no/b,/no/a").subList(2, installed.size() + 2));
        assertEquals("Socket", installed.getLast());
    }

    @Test
    void shouldGoOnToWhatIsInstalledAndSayWhy() {
        NetSelection selection = NetSelection.of(config("/no/plug-in.so"), 0);
        selection.plugin().close();

        assertEquals("Socket", selection.plugin().name());
        assertTrue(selection.findings().getFirst().startsWith("/no/plug-in.so: not used, cannot load /no/plug-in.so: "
                + "cannot open shared object file"), selection.findings()::toString);
    }

    @Test
    void shouldGoByTheNameThatIsAskedFor() {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of("NCCL_NET_PLUGIN", "/no/plug-in.so", "NCCL_NET",
                "socket", "NCCL_SOCKET_IFNAME", "=lo")).build();
        NetSelection selection = NetSelection.of(config, 0);
        selection.plugin().close();

        assertEquals("Socket", selection.plugin().name());
        assertTrue(selection.findings().getFirst().startsWith("/no/plug-in.so: not used, cannot load /no/plug-in.so: "
                + "cannot open shared object file"), "of a name that is not known: " + selection.findings());
    }

    @Test
    void shouldTellItsFirstAdapterBeforeThereIsARuntime() {
        NetTransportProvider provider = new NetTransportProvider();
        assertEquals(Optional.of("lo"), provider.firstAdapter(config("none"), 0).map(TransportAdapter::name));
        assertEquals(Optional.empty(), provider.firstAdapter(ProxyConfig.builder().environment(Map.of("NCCL_NET",
                "nothing", "NCCL_NET_PLUGIN", "none")).build(), 0));
    }

    @Test
    void shouldRefuseAListThatIsTooLong() {
        assertEquals(ProxyResult.INVALID_ARGUMENT, assertThrows(ProxyException.class,
                () -> NetProviders.of(config("x".repeat(255)))).result());
    }
}
