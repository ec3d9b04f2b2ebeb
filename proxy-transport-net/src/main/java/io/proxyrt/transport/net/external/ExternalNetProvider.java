/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.plugin.NetLibraries;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.PluginEntry;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import java.util.List;

/**
 * Makes the network of a plug-in, which it loads then: what the network is called, only the library knows.
 */
public final class ExternalNetProvider implements NetPluginProvider {
    private final PluginEntry<NetLibrary> entry;
    private final Option<String> option;

    ExternalNetProvider(NetLibraries libraries, Option<String> option, String entry) {
        this.entry = new PluginEntry<>(libraries, NetLibraries::open, option, entry);
        this.option = option;
    }

    /**
     * One for each plug-in that a configuration names, in that order; loads nothing.
     *
     * @param config effective settings
     * @param option of the list of plug-ins: {@code NCCL_NET_PLUGIN}
     * @return of the plug-in without a name of its own if there is no list
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the list is too long
     */
    public static List<NetPluginProvider> of(ProxyConfig config, Option<String> option) {
        NetLibraries libraries = NetLibraries.find();
        return PluginEntry.of(config, option).stream()
                .<NetPluginProvider>map(entry -> new ExternalNetProvider(libraries, option, entry)).toList();
    }

    /**
     * Whether the configuration names it.
     *
     * @return false for the plug-in that is used if it happens to be there
     */
    public boolean isAskedFor() {
        return entry.isAskedFor();
    }

    /**
     * Whether a library was found, be it of use or not.
     *
     * @return false before {@link #create}
     */
    public boolean isThere() {
        return entry.isThere();
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
    public NetPlugin create(ProxyConfig config, int rank) {
        return entry.open(config, library -> ExternalNet.open(library, option), ExternalNet::close);
    }
}
