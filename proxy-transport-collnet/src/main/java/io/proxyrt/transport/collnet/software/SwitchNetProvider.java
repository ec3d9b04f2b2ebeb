/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;

/** Makes the network of switches in software. */
public final class SwitchNetProvider implements CollNetPluginProvider {
    /** For {@link java.util.ServiceLoader}. */
    public SwitchNetProvider() {
    }

    @Override
    public String name() {
        return SwitchNet.NAME;
    }

    @Override
    public int priority() {
        return 0;
    }

    @Override
    public CollNetPlugin create(ProxyConfig config, int rank) {
        return new SwitchNet(SwitchSettings.of(config, rank, Platform.find()));
    }
}
