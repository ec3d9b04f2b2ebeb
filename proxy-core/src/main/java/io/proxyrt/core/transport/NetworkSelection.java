/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.Network;
import io.proxyrt.core.progress.NetworkProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Which network a transport uses.
 *
 * @param network  null if none can be used; owned by the caller
 * @param findings one for each network that was looked at
 * @param <N>      what the networks carry
 */
public record NetworkSelection<N extends Network>(N network, List<String> findings) {
    /** What users have to mend: options that a network cannot do. */
    private static final Set<ProxyResult> REFUSALS = Set.of(ProxyResult.INVALID_ARGUMENT, ProxyResult.INVALID_USAGE);

    /**
     * Takes the first network, by priority, that has a device. Loads and initializes what comes before it, too, which
     * takes as long as that does.
     *
     * @param providers of all networks
     * @param option    of the name that a network has to have; empty for any
     * @param config    effective settings
     * @param rank      of the runtime, for messages
     * @param warnings  gets the findings of plug-ins that cannot be used and are missed, and of other networks that
     *                  fail because options ask for what they cannot do
     * @param <N>       what the networks carry
     * @return the selection
     */
    public static <N extends Network> NetworkSelection<N> of(List<? extends NetworkProvider<N>> providers,
            Option<String> option, ProxyConfig config, int rank, Consumer<String> warnings) {
        Search<N> search = new Search<>(option, config, rank, warnings);
        List<NetworkProvider<N>> sorted = new ArrayList<>(providers);
        sorted.sort(Comparator.<NetworkProvider<N>>comparingInt(NetworkProvider::priority).reversed());
        sorted.forEach(search::look);
        if (search.findings.isEmpty()) {
            search.findings.add("no network is installed");
        }
        return new NetworkSelection<>(search.selected, List.copyOf(search.findings));
    }

    private static final class Search<N extends Network> {
        private final Option<String> option;
        private final String wanted;
        private final ProxyConfig config;
        private final int rank;
        private final Consumer<String> warnings;
        private final List<String> findings = new ArrayList<>();
        private N selected;

        Search(Option<String> option, ProxyConfig config, int rank, Consumer<String> warnings) {
            this.option = option;
            this.wanted = config.get(option);
            this.config = config;
            this.rank = rank;
            this.warnings = warnings;
        }

        void look(NetworkProvider<N> provider) {
            // What a plug-in calls itself is not known before it is initialized.
            if (!(provider instanceof PluginProvider) && !isWanted(provider)) {
                findings.add(notWanted(provider));
            } else if (selected != null) {
                findings.add(provider.name() + ": not used, " + selected.name() + " comes first");
            } else {
                selected = tried(provider);
            }
        }

        private boolean isWanted(NetworkProvider<N> provider) {
            return wanted.isEmpty() || wanted.equalsIgnoreCase(provider.name());
        }

        private String notWanted(NetworkProvider<N> provider) {
            return provider.name() + ": not used, " + option + " is " + wanted;
        }

        /** Null if it cannot be used, or is not wanted. */
        private N tried(NetworkProvider<N> provider) {
            N network;
            try {
                network = provider.create(config, rank);
            } catch (ProxyException e) {
                findings.add(provider.name() + ": not used, " + e.getMessage());
                warn(provider, true, REFUSALS.contains(e.result()));
                return null;
            }
            boolean isWanted = isWanted(provider);
            findings.add(isWanted ? network.describe() : notWanted(provider));
            if (isWanted && network.devices() > 0) {
                return network;
            }
            network.close();
            if (isWanted) {
                warn(provider, false, false);
            }
            return null;
        }

        private void warn(NetworkProvider<N> provider, boolean hasFailed, boolean isRefusal) {
            if (provider instanceof PluginProvider<?, ?> plugIn ? plugIn.isMissed(hasFailed) : isRefusal) {
                warnings.accept(findings.getLast());
            }
        }
    }
}
