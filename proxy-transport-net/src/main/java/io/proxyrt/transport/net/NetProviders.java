/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.external.ExternalNetProvider;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;
import java.util.stream.Stream;

/** The networks from which the NET transport takes one. */
public final class NetProviders {
    private NetProviders() {
    }

    /**
     * Finds them, and loads none.
     *
     * @param config effective settings, of which {@link CoreOptions#NET_PLUGIN} counts
     * @return in the order in which they are tried: plug-ins, as they are listed, then what is installed, by priority
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the list of plug-ins is too long
     */
    public static List<NetPluginProvider> of(ProxyConfig config) {
        Stream<NetPluginProvider> installed = ServiceLoader.load(NetPluginProvider.class).stream().map(Provider::get)
                .sorted(Comparator.comparingInt(NetPluginProvider::priority).reversed());
        return Stream.concat(ExternalNetProvider.of(config, CoreOptions.NET_PLUGIN).stream(), installed).toList();
    }
}
