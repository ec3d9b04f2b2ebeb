/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.CollNetSupport;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.core.transport.NetworkSelection;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.slf4j.Logger;

/**
 * Which network carries out collectives.
 *
 * @param plugin   null if none can
 * @param findings one for each network that was looked at
 */
record CollNetSelection(CollNetPlugin plugin, List<String> findings) {
    private static final Logger LOG = Subsystem.NET.logger("plugin");

    /** The first network, by priority, that has a device; of the name that {@code proxyrt.collnet} asks for, if so. */
    static CollNetSelection of(ProxyConfig config, int rank) {
        return of(CollNetProviders.of(config), config, rank, warning -> LOG.warn("rank {}: {}", rank, warning));
    }

    /** The same among some, with warnings of plug-ins that have collectives, and of networks that refuse options. */
    static CollNetSelection of(List<CollNetPluginProvider> providers, ProxyConfig config, int rank,
            Consumer<String> warnings) {
        NetworkSelection<CollNetPlugin> selection = NetworkSelection.of(providers, CollNetOptions.NETWORK, config, rank,
                warnings);
        return new CollNetSelection(selection.network(), selection.findings());
    }

    /** What all its devices carry out. */
    CollNetSupport support() {
        if (plugin == null) {
            return CollNetSupport.NONE;
        }
        CollNetSupport support = CollNetSupport.of(plugin.name(), plugin.devices(), plugin::reduceSupport);
        return plugin.hasWindows() ? support : support.allReduceAlone();
    }

    /** The network's devices, by number. */
    List<TransportAdapter> adapters() {
        return plugin == null ? List.of() : IntStream.range(0, plugin.devices()).mapToObj(plugin::properties)
                .map(device -> new TransportAdapter(device.name(), device.pciPath(), device.speedMbps(), false))
                .toList();
    }

    String describe() {
        return String.join(" | ", findings);
    }
}
