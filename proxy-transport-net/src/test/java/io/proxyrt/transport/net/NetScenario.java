/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.util.Map;
import java.util.Random;

/**
 * What a simulation is about, drawn from its seed.
 *
 * @param protocol     of all ops
 * @param isShared     whether slots come from a pool, and all connections form one group
 * @param usesUser     whether the kernels' data are in registered memory, now and then
 * @param connections  how many
 * @param maxRecvs     of the network
 * @param isFlushing   whether received data have to be flushed
 * @param isSequential whether a kernel begins only when the one before it has ended
 * @param backPressure one request in this many is refused; 0 for none
 * @param isGdr        whether the network reaches into GPUs, whose memory is not the CPU's
 * @param isGdrCopy    whether those GPUs flush by a read, and not the network
 */
record NetScenario(Protocol protocol, boolean isShared, boolean usesUser, int connections, int maxRecvs,
        boolean isFlushing, boolean isSequential, int backPressure, boolean isGdr, boolean isGdrCopy) {
    static final long CHUNK_BYTES = 1024;
    private static final Protocol[] PROTOCOLS = Protocol.values();

    static NetScenario draw(Random random) {
        boolean isShared = random.nextInt(3) > 0;
        Protocol protocol = random.nextInt(3) > 0 ? Protocol.SIMPLE
                : PROTOCOLS[random.nextInt(isShared ? 1 : 2)];
        int maxRecvs = random.nextBoolean() ? 1 : random.nextInt(2, 9);
        int connections = isShared ? connections(random) : random.nextInt(1, 4);
        boolean isGrouped = isShared && maxRecvs > 1;
        return new NetScenario(protocol, isShared, protocol == Protocol.SIMPLE && random.nextInt(3) == 0, connections,
                maxRecvs, random.nextInt(3) == 0, !isGrouped && random.nextInt(4) == 0,
                random.nextBoolean() ? 0 : random.nextInt(2, 6), random.nextInt(4) == 0, random.nextBoolean());
    }

    private static int connections(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> 1;
            case 1 -> random.nextInt(2, 9);
            case 2 -> random.nextInt(9, 20);
            default -> random.nextInt(20, 65);
        };
    }

    ProxyConfig config() {
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.BUFFER_BYTES, 32L << 10)
                .set(CoreOptions.LL_BUFFER_BYTES, 4L << 10).set(CoreOptions.LL128_BUFFER_BYTES, 4L << 10)
                .set(NetOptions.SHARED_BUFFERS, 1).set(NetOptions.P2P_CHUNK_BYTES, CHUNK_BYTES)
                .set(NetOptions.ALLOC_P2P_LL_BUFFERS, 1)
                .set(NetOptions.FORCE_FLUSH, isFlushing && !isGdr ? 1 : 0).build();
    }
}
