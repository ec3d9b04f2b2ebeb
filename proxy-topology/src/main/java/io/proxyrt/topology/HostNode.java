/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.agent.thread.CpuList;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import java.util.BitSet;
import java.util.OptionalInt;

/** On which NUMA node a rank of this process is. */
final class HostNode {
    private HostNode() {
    }

    /** Empty if it may be on several. */
    static OptionalInt of(Platform platform, ProxyConfig config) {
        String asked = config.get(CoreOptions.NUMA_NODE);
        if (asked.matches("\\d{1,4}")) {
            return OptionalInt.of(Integer.parseInt(asked));
        }
        if (!platform.whyNot().isEmpty()) {
            return OptionalInt.empty();
        }
        BitSet bound = CpuList.parse(config.get(CoreOptions.CPUSET));
        BitSet cpus = bound.isEmpty() ? platform.processCpus() : bound;
        int[] nodes = cpus.stream().map(platform.pages()::nodeOf).distinct().limit(2).toArray();
        return nodes.length == 1 && nodes[0] >= 0 ? OptionalInt.of(nodes[0]) : OptionalInt.empty();
    }
}
