/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetPluginProvider;

/** Makes the socket network. */
public final class SocketNetProvider implements NetPluginProvider {
    /** For {@link java.util.ServiceLoader}. */
    public SocketNetProvider() {
    }

    @Override
    public String name() {
        return SocketNet.NAME;
    }

    @Override
    public int priority() {
        return 0;
    }

    @Override
    public NetPlugin create(ProxyConfig config, int rank) {
        return new SocketNet(SocketSettings.of(config, rank), SocketEngine.of(config, Platform.find()),
                InterfaceChoice.onThisHost(config));
    }
}
