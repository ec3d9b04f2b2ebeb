/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.plugin.PluginEntry;
import io.proxyrt.core.plugin.PluginLibrary;
import io.proxyrt.core.progress.Network;
import io.proxyrt.core.progress.NetworkProvider;

/**
 * Makes the network of a plug-in, which it loads then: what the network is called, only the library knows.
 *
 * @param <L> the table of the plug-in
 * @param <N> what is made of it
 */
public abstract class PluginProvider<L extends PluginLibrary, N extends Network> implements NetworkProvider<N> {
    private final PluginEntry<L> entry;

    /**
     * Of an entry of the list of plug-ins; loads nothing.
     *
     * @param entry of the list
     */
    protected PluginProvider(PluginEntry<L> entry) {
        this.entry = entry;
    }

    /**
     * Initializes the plug-in. On a thread of its own.
     *
     * @param library that was loaded
     * @return owned by the caller
     */
    protected abstract N open(L library);

    /**
     * Whether users are to be warned that there is no such network, be it that the plug-in fails or that it has no
     * device. After {@link #create}.
     *
     * @param hasFailed or else has no device
     * @return false for a plug-in that happens to be there, or not, and is not missed
     */
    protected abstract boolean isMissed(boolean hasFailed);

    /**
     * Where it comes from.
     *
     * @return the entry of the list of plug-ins
     */
    protected final PluginEntry<L> entry() {
        return entry;
    }

    /** {@inheritDoc} The file's, as long as it is not loaded; it may change once more when it is initialized. */
    @Override
    public final String name() {
        return entry.name();
    }

    /** {@inheritDoc} Before all that are installed. */
    @Override
    public final int priority() {
        return Integer.MAX_VALUE;
    }

    @Override
    public final N create(ProxyConfig config, int rank) {
        return entry.open(config, this::open, Network::close);
    }
}
