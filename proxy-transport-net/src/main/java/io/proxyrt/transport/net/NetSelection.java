/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.external.ExternalNetProvider;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which network a transport uses.
 *
 * @param plugin   null if none can be used
 * @param findings one for each network that was looked at
 */
record NetSelection(NetPlugin plugin, List<String> findings) {
    private static final Logger LOG = LoggerFactory.getLogger("proxyrt.net.plugin");

    /** The first network, by priority, that has a device; of the name that {@code proxyrt.net} asks for, if it does. */
    static NetSelection of(ProxyConfig config, int rank) {
        return of(NetProviders.of(config), config, rank, LOG::warn);
    }

    /** The same among some, with warnings of plug-ins that are there, or were asked for, and cannot be used. */
    static NetSelection of(List<NetPluginProvider> providers, ProxyConfig config, int rank, Consumer<String> warnings) {
        String wanted = config.get(NetOptions.NET);
        Faults faults = Faults.parse(config.get(NetOptions.FAULTS));
        NetPlugin selected = null;
        List<String> findings = new ArrayList<>();
        for (NetPluginProvider provider : providers.stream()
                .sorted(Comparator.comparingInt(NetPluginProvider::priority).reversed()).toList()) {
            // What a plug-in calls itself is not known before it is initialized.
            if (!(provider instanceof ExternalNetProvider) && !isWanted(wanted, provider.name())) {
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
        return new NetSelection(selected == null || faults == null ? selected : new FaultyNet(selected, faults),
                List.copyOf(findings));
    }

    private static boolean isWanted(String wanted, String name) {
        return wanted.isEmpty() || wanted.equalsIgnoreCase(name);
    }

    private static String notWanted(String name, String wanted) {
        return name + ": not used, " + NetOptions.NET + " is " + wanted;
    }

    private static NetPlugin tried(NetPluginProvider provider, ProxyConfig config, int rank, List<String> findings,
            Consumer<String> warnings) {
        NetPlugin plugin;
        try {
            plugin = provider.create(config, rank);
        } catch (ProxyException e) {
            findings.add(provider.name() + ": not used, " + e.getMessage());
            if (provider instanceof ExternalNetProvider plugIn && (plugIn.isAskedFor() || plugIn.isThere())) {
                warnings.accept(findings.getLast());
            }
            return null;
        }
        String wanted = config.get(NetOptions.NET);
        boolean isWanted = isWanted(wanted, provider.name());
        findings.add(isWanted ? plugin.describe() : notWanted(provider.name(), wanted));
        if (isWanted && plugin.devices() > 0) {
            return plugin;
        }
        plugin.close();
        if (isWanted && provider instanceof ExternalNetProvider plugIn && plugIn.isAskedFor()) {
            warnings.accept(findings.getLast());
        }
        return null;
    }

    /** The most receives that any device groups. */
    int maxRecvs() {
        int most = 1;
        for (int dev = 0; plugin != null && dev < plugin.devices(); dev++) {
            most = Math.max(most, plugin.properties(dev).maxRecvs());
        }
        return most;
    }

    String describe() {
        return String.join(" | ", findings);
    }
}
