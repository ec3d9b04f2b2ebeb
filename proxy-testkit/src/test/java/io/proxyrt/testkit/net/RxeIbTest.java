/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.util.Map;
import org.junit.jupiter.api.condition.EnabledIf;

/** The IB network over this host's own verbs: soft-RoCE is enough. The GID is found, not named. */
@EnabledIf(value = "isThere", disabledReason = "this host has no RDMA device, or no access to it")
class RxeIbTest extends NetPluginConformance {
    static boolean isThere() {
        Verbs verbs = Verbs.find();
        return verbs.whyNot().isEmpty() && !verbs.devices().isEmpty();
    }

    @Override
    protected NetPlugin open(int rank) {
        return network("IB", Map.of("net.socket.retry.count", "2", "net.socket.retry.sleep", "1ms"), rank);
    }

    @Override
    protected boolean isHugeTested() {
        return false;
    }
}
