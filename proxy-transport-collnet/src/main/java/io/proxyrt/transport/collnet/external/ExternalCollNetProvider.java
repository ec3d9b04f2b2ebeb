/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.plugin.CollNetLibrary;
import io.proxyrt.core.plugin.NetLibraries;
import io.proxyrt.core.plugin.PluginEntry;
import io.proxyrt.core.transport.PluginProvider;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
import java.util.List;

/** Makes the network of a plug-in. */
public final class ExternalCollNetProvider extends PluginProvider<CollNetLibrary, CollNetPlugin>
        implements CollNetPluginProvider {
    private final Option<String> option;

    ExternalCollNetProvider(NetLibraries libraries, Option<String> option, String entry) {
        super(new PluginEntry<>(libraries, NetLibraries::openCollNet, option, entry));
        this.option = option;
    }

    /**
     * One for each plug-in that a configuration names, in that order; loads nothing. NCCL looks for a plug-in's
     * collectives in the library that has its messages, so there is one list for both.
     *
     * @param config effective settings
     * @param option of the list of plug-ins: {@code NCCL_NET_PLUGIN}
     * @return of the plug-in without a name of its own if there is no list
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the list is too long
     */
    public static List<CollNetPluginProvider> of(ProxyConfig config, Option<String> option) {
        NetLibraries libraries = NetLibraries.find();
        return PluginEntry.of(config, option).stream()
                .<CollNetPluginProvider>map(entry -> new ExternalCollNetProvider(libraries, option, entry)).toList();
    }

    @Override
    protected CollNetPlugin open(CollNetLibrary library) {
        return ExternalCollNet.open(library, option);
    }

    /** {@inheritDoc} Most plug-ins have messages alone: one is missed if it has collectives and fails. */
    @Override
    protected boolean isMissed(boolean hasFailed) {
        return hasFailed && entry().isLoaded();
    }
}
