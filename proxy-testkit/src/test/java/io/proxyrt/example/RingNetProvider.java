/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetPluginProvider;

/** Makes ring networks; {@code ServiceLoader} finds it by its name in META-INF/services. */
public final class RingNetProvider implements NetPluginProvider {
    @Override
    public String name() {
        return "Ring";
    }

    /** After the socket network: used where {@code proxyrt.net=Ring} asks for it. */
    @Override
    public int priority() {
        return -1;
    }

    @Override
    public NetPlugin create(ProxyConfig config, int rank) {
        return new RingNet(rank);
    }
}
