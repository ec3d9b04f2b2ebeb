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
import io.proxyrt.core.transport.PluginProvider;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import java.util.List;

/** Makes the network of a plug-in. */
public final class ExternalNetProvider extends PluginProvider<NetLibrary, NetPlugin> implements NetPluginProvider {
    private final Option<String> option;

    ExternalNetProvider(NetLibraries libraries, Option<String> option, String entry) {
        super(new PluginEntry<>(libraries, NetLibraries::open, option, entry));
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

    @Override
    protected NetPlugin open(NetLibrary library) {
        return ExternalNet.open(library, option);
    }

    /** {@inheritDoc} It is missed if it was asked for, and if a library is there that cannot be used. */
    @Override
    protected boolean isMissed(boolean hasFailed) {
        return entry().isAskedFor() || hasFailed && entry().isThere();
    }
}
