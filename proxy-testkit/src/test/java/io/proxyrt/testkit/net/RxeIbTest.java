/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import io.proxyrt.transport.net.spi.NetPlugin;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.condition.EnabledIf;

/** The IB network over this host's own verbs: soft-RoCE is enough. The GID is found, not named. */
@EnabledIf(value = "io.proxyrt.testkit.verbs.InstalledRdma#isThere", disabledReason = "this host has no RDMA device")
class RxeIbTest extends NetPluginConformance {
    @Override
    protected NetPlugin open(int rank) {
        return network("IB", Map.of("net.socket.retry.count", "2", "net.socket.retry.sleep", "1ms"), rank);
    }

    /** An adapter writes to memory that was freed as to any other. */
    @Override
    protected Set<NetLeeway> leeway() {
        return Set.of(NetLeeway.FREED_MEMORY);
    }

    @Override
    protected boolean isHugeTested() {
        return false;
    }
}
