/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.core.transport.NetworkSelection;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import io.proxyrt.transport.net.spi.NetProperties;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.slf4j.Logger;

/**
 * Which network the transport uses.
 *
 * @param plugin   null if none can be used
 * @param findings one for each network that was looked at
 */
record NetSelection(NetPlugin plugin, List<String> findings) {
    private static final Logger LOG = Subsystem.NET.logger("plugin");

    /** The first network, by priority, that has a device; of the name that {@code proxyrt.net} asks for, if it does. */
    static NetSelection of(ProxyConfig config, int rank) {
        return of(NetProviders.of(config), config, rank, warning -> LOG.warn("rank {}: {}", rank, warning));
    }

    /** The same among some, with warnings of plug-ins that are missed, and of networks that refuse options. */
    static NetSelection of(List<NetPluginProvider> providers, ProxyConfig config, int rank, Consumer<String> warnings) {
        Faults faults = Faults.parse(config.get(NetOptions.FAULTS));
        NetworkSelection<NetPlugin> selection = NetworkSelection.of(providers, NetOptions.NET, config, rank, warnings);
        NetPlugin selected = selection.network();
        return new NetSelection(selected == null || faults == null ? selected : new FaultyNet(selected, faults),
                selection.findings());
    }

    /** The most receives that any device groups. */
    int maxRecvs() {
        int most = 1;
        for (int dev = 0; plugin != null && dev < plugin.devices(); dev++) {
            most = Math.max(most, plugin.properties(dev).maxRecvs());
        }
        return most;
    }

    /** The network's devices, by number. */
    List<TransportAdapter> adapters() {
        return plugin == null ? List.of() : IntStream.range(0, plugin.devices()).mapToObj(this::adapter).toList();
    }

    private TransportAdapter adapter(int dev) {
        NetProperties device = plugin.properties(dev);
        return new TransportAdapter(device.name(), device.pciPath(), device.speedMbps(), device.takesDmaBuf());
    }

    /** What NCCL tells at INFO: the network, and why. */
    void tell(int rank) {
        Subsystem.INIT.loggerOr(Subsystem.NET.logger()).info("rank {} {}: {}", rank,
                plugin == null ? "has no network" : "uses network " + plugin.name(), describe());
    }

    String describe() {
        return String.join(" | ", findings);
    }
}
