/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import java.util.function.Supplier;

/** Makes the InfiniBand and RoCE network. */
public final class IbNetProvider implements NetPluginProvider {
    private static final int PRIORITY = 10;

    private final Supplier<Verbs> verbs;
    private final Supplier<Topology> host;

    /** For {@link java.util.ServiceLoader}: with the verbs of this host. */
    public IbNetProvider() {
        this(Verbs::find);
    }

    /**
     * With other verbs.
     *
     * @param verbs looked at when a network is made
     */
    public IbNetProvider(Supplier<Verbs> verbs) {
        this(verbs, Topology::ofHost);
    }

    /**
     * With other verbs, of adapters that are elsewhere.
     *
     * @param verbs looked at when a network is made
     * @param host  where they are; looked at then, if it matters
     */
    public IbNetProvider(Supplier<Verbs> verbs, Supplier<Topology> host) {
        this.verbs = verbs;
        this.host = host;
    }

    @Override
    public String name() {
        return IbNet.NAME;
    }

    @Override
    public int priority() {
        return PRIORITY;
    }

    @Override
    public NetPlugin create(ProxyConfig config, int rank) {
        return new IbNet(config, rank, verbs.get(), host);
    }
}
