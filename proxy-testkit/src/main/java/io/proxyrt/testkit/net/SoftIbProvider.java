/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.testkit.verbs.SoftFabric;
import io.proxyrt.transport.net.ib.IbNetProvider;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import java.util.ArrayList;
import java.util.List;

/**
 * The IB network among the ranks of one process, over adapters of software: each rank has two, which its channels share
 * out. For tests of modules that name it as a provider, and ask for it by {@code net=SoftIB}.
 */
public final class SoftIbProvider implements NetPluginProvider {
    private static final SoftFabric FABRIC = new SoftFabric();
    private static final List<Verbs> HOSTS = new ArrayList<>();

    /** For {@link java.util.ServiceLoader}. */
    public SoftIbProvider() {
    }

    @Override
    public String name() {
        return "SoftIB";
    }

    /** {@inheritDoc} Behind all that moves data between processes. */
    @Override
    public int priority() {
        return -1;
    }

    @Override
    public NetPlugin create(ProxyConfig config, int rank) {
        return new IbNetProvider(() -> host(rank)).create(config, rank);
    }

    private static Verbs host(int rank) {
        synchronized (HOSTS) {
            for (int next = HOSTS.size(); next <= rank; next++) {
                String[] names = {"soft" + next + "a", "soft" + next + "b"};
                FABRIC.addRoce(names[0], "10.0.0." + (next + 1));
                FABRIC.addRoce(names[1], "10.0.1." + (next + 1));
                HOSTS.add(FABRIC.host(names));
            }
            return HOSTS.get(rank);
        }
    }
}
