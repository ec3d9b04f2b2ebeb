/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.collnet.external.ExternalCollNetProvider;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;
import java.util.stream.Stream;

/** The networks from which the COLLNET transport takes one. */
public final class CollNetProviders {
    private CollNetProviders() {
    }

    /**
     * Finds them, and loads none.
     *
     * @param config effective settings, of which {@link CoreOptions#NET_PLUGIN} counts
     * @return in the order in which they are tried: plug-ins, as they are listed, then what is installed, by priority
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the list of plug-ins is too long
     */
    public static List<CollNetPluginProvider> of(ProxyConfig config) {
        Stream<CollNetPluginProvider> installed = ServiceLoader.load(CollNetPluginProvider.class).stream()
                .map(Provider::get).sorted(Comparator.comparingInt(CollNetPluginProvider::priority).reversed());
        return Stream.concat(ExternalCollNetProvider.of(config, CoreOptions.NET_PLUGIN).stream(), installed).toList();
    }
}
