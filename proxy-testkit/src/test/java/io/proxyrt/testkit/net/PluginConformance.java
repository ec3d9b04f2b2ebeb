/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import io.proxyrt.transport.net.spi.NetPlugin;
import java.nio.file.Path;
import java.util.Set;

/** The network of a plug-in in C, with what NCCL's interface leaves open. */
abstract class PluginConformance extends NetPluginConformance {
    /** Of the plug-in. */
    abstract Path library();

    @Override
    protected NetPlugin open(int rank) {
        return plugIn(library(), rank);
    }

    @Override
    protected Set<NetLeeway> leeway() {
        return Set.of(NetLeeway.FOREIGN_HANDLES, NetLeeway.UNNAMED_PEERS, NetLeeway.FREED_MEMORY);
    }
}
