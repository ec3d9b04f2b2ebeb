/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.CollNetSupport;
import io.proxyrt.transport.collnet.external.ExternalCollNetProvider;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which network carries out collectives.
 *
 * @param plugin   null if none can
 * @param findings one for each network that was looked at
 */
record CollNetSelection(CollNetPlugin plugin, List<String> findings) {
    private static final Logger LOG = LoggerFactory.getLogger("proxyrt.net.plugin");

    /** The first network, by priority, that has a device; of the name that {@code proxyrt.collnet} asks for, if so. */
    static CollNetSelection of(ProxyConfig config, int rank) {
        return of(CollNetProviders.of(config), config, rank, LOG::warn);
    }

    /** The same among some, with warnings of plug-ins that have collectives and cannot be used. */
    static CollNetSelection of(List<CollNetPluginProvider> providers, ProxyConfig config, int rank,
            Consumer<String> warnings) {
        String wanted = config.get(CollNetOptions.NETWORK);
        CollNetPlugin selected = null;
        List<String> findings = new ArrayList<>();
        for (CollNetPluginProvider provider : providers.stream()
                .sorted(Comparator.comparingInt(CollNetPluginProvider::priority).reversed()).toList()) {
            // What a plug-in calls itself is not known before it is initialized.
            if (!(provider instanceof ExternalCollNetProvider) && !isWanted(wanted, provider.name())) {
                findings.add(notWanted(provider.name(), wanted));
            } else if (selected != null) {
                findings.add(provider.name() + ": not used, " + selected.name() + " comes first");
            } else {
                selected = tried(provider, config, rank, findings, warnings);
            }
        }
        if (findings.isEmpty()) {
            findings.add("no network is installed");
        }
        return new CollNetSelection(selected, List.copyOf(findings));
    }

    private static boolean isWanted(String wanted, String name) {
        return wanted.isEmpty() || wanted.equalsIgnoreCase(name);
    }

    private static String notWanted(String name, String wanted) {
        return name + ": not used, " + CollNetOptions.NETWORK + " is " + wanted;
    }

    private static CollNetPlugin tried(CollNetPluginProvider provider, ProxyConfig config, int rank,
            List<String> findings, Consumer<String> warnings) {
        CollNetPlugin plugin;
        try {
            plugin = provider.create(config, rank);
        } catch (ProxyException e) {
            findings.add(provider.name() + ": not used, " + e.getMessage());
            if (provider instanceof ExternalCollNetProvider plugIn && plugIn.isThere()) {
                warnings.accept(findings.getLast());
            }
            return null;
        }
        String wanted = config.get(CollNetOptions.NETWORK);
        boolean isWanted = isWanted(wanted, provider.name());
        findings.add(isWanted ? plugin.describe() : notWanted(provider.name(), wanted));
        if (isWanted && plugin.devices() > 0) {
            return plugin;
        }
        plugin.close();
        return null;
    }

    /** What all its devices carry out. */
    CollNetSupport support() {
        if (plugin == null) {
            return CollNetSupport.NONE;
        }
        CollNetSupport support = CollNetSupport.of(plugin.devices(), plugin::reduceSupport);
        return plugin.hasWindows() ? support : support.allReduceAlone();
    }

    String describe() {
        return String.join(" | ", findings);
    }
}
