/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.ServiceLoader.Provider;

/** The networks from which the COLLNET transport takes one. */
public final class CollNetProviders {
    private CollNetProviders() {
    }

    /**
     * Finds them, and loads none.
     *
     * @param config effective settings
     * @return in the order in which they are tried: what is installed, by priority
     */
    public static List<CollNetPluginProvider> of(ProxyConfig config) {
        return ServiceLoader.load(CollNetPluginProvider.class).stream().map(Provider::get)
                .sorted(Comparator.comparingInt(CollNetPluginProvider::priority).reversed()).toList();
    }
}
