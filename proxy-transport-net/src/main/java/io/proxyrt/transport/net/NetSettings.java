/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceConnection;

/**
 * How connections are laid out and used, from the configuration.
 *
 * @param llBytes          of an LL buffer
 * @param ll128Bytes       of an LL128 buffer
 * @param simpleBytes      of a Simple buffer
 * @param chunkBytes       of a shared slot
 * @param channels         of a shared pool
 * @param sharesBuffers    whether point-to-point connections share their slots
 * @param sharesComms      whether shared connections share comms, where the network can
 * @param hasSharedLl      whether shared connections have LL buffers
 * @param untracksLl       whether receives of LL and LL128 may be complete before their data are there
 * @param forcesFlush      whether received data are always flushed
 * @param mayUseGdr        whether networks may reach into a GPU's memory
 */
record NetSettings(long llBytes, long ll128Bytes, long simpleBytes, long chunkBytes, int channels,
        boolean sharesBuffers, boolean sharesComms, boolean hasSharedLl, boolean untracksLl, boolean forcesFlush,
        boolean mayUseGdr) {
    /** Keeps every slot aligned to 128 bytes. */
    private static final long BUFFER_UNIT = 128L * DeviceConnection.STEPS;
    private static final int HOST_CHANNELS = 2;
    private static final int GPU_CHANNELS = 16;

    /** For kernels of the host, or of a GPU. */
    static NetSettings of(ProxyConfig config, boolean isGpu) {
        long simpleBytes = rounded(config.get(CoreOptions.BUFFER_BYTES));
        long chunkBytes = Math.min(config.get(NetOptions.P2P_CHUNK_BYTES), simpleBytes / DeviceConnection.STEPS);
        return new NetSettings(rounded(config.get(CoreOptions.LL_BUFFER_BYTES)),
                rounded(config.get(CoreOptions.LL128_BUFFER_BYTES)), simpleBytes, chunkBytes / 128 * 128,
                channels(config.get(NetOptions.P2P_CHANNELS), isGpu), config.get(NetOptions.SHARED_BUFFERS) != 0,
                config.get(NetOptions.SHARED_COMMS) != 0, config.get(NetOptions.ALLOC_P2P_LL_BUFFERS) != 0,
                config.get(NetOptions.OPTIONAL_RECV_COMPLETION) != 0, config.get(NetOptions.FORCE_FLUSH) != 0,
                config.get(NetOptions.GDR) != 0);
    }

    /** Bytes of a connection's own buffer; 0 if it has none. */
    long bufferBytes(Protocol protocol, boolean isShared) {
        return switch (protocol) {
            case LL -> isShared && !hasSharedLl ? 0 : llBytes;
            case LL128 -> isShared ? 0 : ll128Bytes;
            case SIMPLE -> isShared ? 0 : simpleBytes;
        };
    }

    private static int channels(int wanted, boolean isGpu) {
        return wanted > 0 ? wanted : isGpu ? GPU_CHANNELS : HOST_CHANNELS;
    }

    private static long rounded(long bytes) {
        return bytes / BUFFER_UNIT * BUFFER_UNIT;
    }
}
