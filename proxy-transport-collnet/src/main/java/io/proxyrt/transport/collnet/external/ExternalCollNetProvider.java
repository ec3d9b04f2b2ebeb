/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.plugin.CollNetLibrary;
import io.proxyrt.core.plugin.NetLibraries;
import io.proxyrt.core.plugin.PluginEntry;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
import java.util.List;

/** Makes the network of a plug-in, which it loads then: what the network is called, only the library knows. */
public final class ExternalCollNetProvider implements CollNetPluginProvider {
    private final PluginEntry<CollNetLibrary> entry;

    ExternalCollNetProvider(NetLibraries libraries, String entry) {
        this.entry = new PluginEntry<>(libraries, NetLibraries::openCollNet, CoreOptions.NET_PLUGIN, entry);
    }

    /**
     * One for each plug-in that a configuration names, in that order; loads nothing.
     *
     * @param config effective settings, of which {@link CoreOptions#NET_PLUGIN} counts
     * @return of the plug-in without a name of its own if there is no list
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the list is too long
     */
    public static List<CollNetPluginProvider> of(ProxyConfig config) {
        NetLibraries libraries = NetLibraries.find();
        return PluginEntry.of(config, CoreOptions.NET_PLUGIN).stream()
                .<CollNetPluginProvider>map(entry -> new ExternalCollNetProvider(libraries, entry)).toList();
    }

    /**
     * Whether a library that has collectives was found; most plug-ins have messages alone.
     *
     * @return false before {@link #create}
     */
    public boolean isThere() {
        return entry.isLoaded();
    }

    /** {@inheritDoc} The file's, as long as it is not loaded; it may change once more when it is initialized. */
    @Override
    public String name() {
        return entry.name();
    }

    /** {@inheritDoc} Before all that are installed. */
    @Override
    public int priority() {
        return Integer.MAX_VALUE;
    }

    @Override
    public CollNetPlugin create(ProxyConfig config, int rank) {
        return entry.open(config, ExternalCollNet::open, ExternalCollNet::close);
    }
}
