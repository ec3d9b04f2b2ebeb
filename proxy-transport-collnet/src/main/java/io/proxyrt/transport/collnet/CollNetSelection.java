/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.CollNetSupport;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;

/**
 * Which network carries out collectives.
 *
 * @param plugin   null if none can
 * @param findings one for each network that was looked at
 */
record CollNetSelection(CollNetPlugin plugin, List<String> findings) {
    /** The first network, by priority, that has a device; of the name that {@code proxyrt.collnet} asks for, if so. */
    static CollNetSelection of(ProxyConfig config, int rank) {
        return of(ServiceLoader.load(CollNetPluginProvider.class).stream().map(Provider::get).toList(), config, rank);
    }

    /** The same among some. */
    static CollNetSelection of(List<CollNetPluginProvider> providers, ProxyConfig config, int rank) {
        String wanted = config.get(CollNetOptions.NETWORK);
        CollNetPlugin selected = null;
        List<String> findings = new ArrayList<>();
        for (CollNetPluginProvider provider : providers.stream()
                .sorted(Comparator.comparingInt(CollNetPluginProvider::priority).reversed()).toList()) {
            if (!wanted.isEmpty() && !wanted.equalsIgnoreCase(provider.name())) {
                findings.add(provider.name() + ": not used, " + CollNetOptions.NETWORK + " is " + wanted);
            } else if (selected != null) {
                findings.add(provider.name() + ": not used, " + selected.name() + " comes first");
            } else {
                selected = tried(provider, config, rank, findings);
            }
        }
        if (findings.isEmpty()) {
            findings.add("no network is installed");
        }
        return new CollNetSelection(selected, List.copyOf(findings));
    }

    private static CollNetPlugin tried(CollNetPluginProvider provider, ProxyConfig config, int rank,
            List<String> findings) {
        CollNetPlugin plugin;
        try {
            plugin = provider.create(config, rank);
        } catch (ProxyException e) {
            findings.add(provider.name() + ": not used, " + e.getMessage());
            return null;
        }
        findings.add(plugin.describe());
        if (plugin.devices() > 0) {
            return plugin;
        }
        plugin.close();
        return null;
    }

    /** What all its devices carry out. */
    CollNetSupport support() {
        return plugin == null ? CollNetSupport.NONE : CollNetSupport.of(plugin.devices(), plugin::reduceSupport);
    }

    String describe() {
        return String.join(" | ", findings);
    }
}
