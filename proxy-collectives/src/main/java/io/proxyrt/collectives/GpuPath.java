/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.LinkType;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;

/** What the slowest connection between ranks on GPUs goes by: how many channels that takes, and up to when LL wins. */
enum GpuPath {
    /** By proxies, to other hosts or as if. */
    NET(8, 0, CollectivesOptions.GPU_NET_LL_BYTES),
    /** By the host's memory. */
    SHM(8, 16, CollectivesOptions.GPU_SHM_LL_BYTES),
    /** From GPU to GPU. */
    P2P(24, 32, CollectivesOptions.GPU_P2P_LL_BYTES),
    /** The same by NVLink, or within a GPU: lines of LL128 are seen whole. */
    NVLINK(32, 32, CollectivesOptions.GPU_P2P_LL_BYTES);

    /** How much longer lines take over the host's memory than from GPU to GPU. */
    private static final int SHM_SLOWNESS = 3;

    private final int channels;
    private final int shotPairs;
    private final Option<Long> llBytes;

    GpuPath(int channels, int shotPairs, Option<Long> llBytes) {
        this.channels = channels;
        this.shotPairs = shotPairs;
        this.llBytes = llBytes;
    }

    static GpuPath of(String transport, LinkType link) {
        return switch (transport) {
            case "SHM" -> SHM;
            case "P2P" -> link.hasWholeLines() ? NVLINK : P2P;
            default -> NET;
        };
    }

    int channels() {
        return channels;
    }

    /** Connections of a rank with all others that collectives in one shot or two take, each way: they take memory. */
    int shotPairs() {
        return shotPairs;
    }

    /** What a rank sends to all others by those, at most. */
    long shotBytes(ProxyConfig config, Option<Long> option) {
        return this == SHM ? config.get(option) / SHM_SLOWNESS : config.get(option);
    }

    long llBytes(ProxyConfig config) {
        return config.get(llBytes);
    }

    /** -1 if LL128 wins nowhere. */
    long ll128Bytes(ProxyConfig config) {
        return this == NVLINK ? config.get(CollectivesOptions.GPU_NVLINK_LL128_BYTES) : -1;
    }
}
